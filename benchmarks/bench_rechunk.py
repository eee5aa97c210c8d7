"""Could overturn replacing rows in place: if new settings cost far more than a first run, a new file is the better way.

Changing `chunk_size` makes every file's rows outdated; each is read, chunked, deleted and written again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import answer

if TYPE_CHECKING:
    from lab import Facts, Figures, Lab
    from processes import Cost


def measure(lab: Lab) -> Figures:
    """Compare a run after a change of `chunk_size` with a first run."""
    corpus = lab.base()
    first = lab.first_run(corpus)
    after: list[Facts] = []

    def again() -> Cost:
        with lab.copy_of(first.home) as home:
            home.configure(corpus, chunk_size=400)
            cost = lab.index(home)
            after.append(home.facts())
        return cost

    figures = lab.beside_cold(corpus, again)
    growth = after[0].database / first.facts.database
    return {"files": first.facts.files, **figures, "database_growth": growth}


if __name__ == "__main__":
    answer(measure, __doc__)
