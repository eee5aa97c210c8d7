"""Could overturn a new process for each search: if it costs far more than its imports must, a daemon would pay."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import corpus as generator
import floors
from bench_search import SAMPLE
from command_line import answer
from lab import best_of, python, shell

if TYPE_CHECKING:
    from lab import Figures, Lab

QUERIES = 5
TIMES = 4


def measure(lab: Lab) -> Figures:
    """Compare a search from the shell with a Python that only imports what is indispensable."""
    home = lab.first_run(lab.base()).home
    asked, _ = generator.queries(home.texts(SAMPLE), QUERIES)
    costs = [(shell(home, "search", query), python(floors.IMPORTS)) for _ in range(TIMES) for query in asked]
    floor = best_of([floor for _, floor in costs])
    searches = [best_of([search for search, _ in costs[number::QUERIES]]) for number in range(QUERIES)]
    cpu = statistics.mean(search.cpu_s for search in searches)
    return {
        "wall_s": statistics.mean(search.wall_s for search in searches),
        "cpu_s": cpu,
        "floor_wall_s": floor.wall_s,
        "floor_cpu_s": floor.cpu_s,
        "cpu_over_floor": cpu / floor.cpu_s,
    }


if __name__ == "__main__":
    answer(measure, __doc__)
