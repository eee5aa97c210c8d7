"""Could overturn looking at every file's stat: if that costs much more than a bare walk, a watcher would pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import answer

if TYPE_CHECKING:
    from lab import Figures, Lab


def measure(lab: Lab) -> Figures:
    """Compare a run that finds nothing to do with a walk that stats the same tree."""
    corpus = lab.base()
    first = lab.first_run(corpus)
    costs = lab.alternate(unchanged=lambda: lab.unchanged(first.home), floor=lambda: lab.walk(corpus.directory))
    unchanged, floor = costs["unchanged"], costs["floor"]
    return {
        "files": first.facts.files,
        "wall_s": unchanged.wall_s,
        "cpu_s": unchanged.cpu_s,
        "floor_wall_s": floor.wall_s,
        "wall_over_floor": unchanged.wall_s / floor.wall_s,
    }


if __name__ == "__main__":
    answer(measure, __doc__)
