"""Could overturn the staged pipeline: if a first run is far slower than its writer alone, the stages are in the way.

The floor is the same rows, already in memory, through the same writer, merge and checkpoint included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import answer

if TYPE_CHECKING:
    from lab import Figures, Lab


def measure(lab: Lab) -> Figures:
    """Compare a first index run with its floor."""
    corpus = lab.base()
    home, facts = lab.first_run(corpus).home, lab.first_run(corpus).facts
    costs = lab.alternate(cold=lambda: lab.cold(corpus), floor=lambda: lab.write_alone(home))
    cold, floor = costs["cold"], costs["floor"]
    return {
        "files": facts.files,
        "rows": facts.rows,
        "text_mb": facts.text / 1e6,
        "wall_s": cold.wall_s,
        "cpu_s": cold.cpu_s,
        "peak_mb": cold.peak_mb,
        "mb_per_s": facts.text / 1e6 / cold.wall_s,
        "files_per_s": facts.files / cold.wall_s,
        "floor_wall_s": floor.wall_s,
        "floor_cpu_s": floor.cpu_s,
        "wall_over_floor": cold.wall_s / floor.wall_s,
        "cpu_over_floor": cold.cpu_s / floor.cpu_s,
        "database_over_text": facts.database / facts.text,
    }


if __name__ == "__main__":
    answer(measure, __doc__)
