"""Could overturn deleting through triggers: if dropping all files costs as much as a first run, rebuild instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import answer

if TYPE_CHECKING:
    from lab import Figures, Lab
    from processes import Cost


def measure(lab: Lab) -> Figures:
    """Compare a run that drops every file, because its root was removed, with a first run."""
    corpus = lab.base()
    first = lab.first_run(corpus)

    def prune() -> Cost:
        with lab.copy_of(first.home) as home:
            home.configure()
            cost = lab.index(home)
            if home.facts().files:
                raise ValueError("there still are files in the index")
        return cost

    return {"files": first.facts.files, **lab.beside_cold(corpus, prune)}


if __name__ == "__main__":
    answer(measure, __doc__)
