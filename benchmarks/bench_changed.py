"""Could overturn replacing whole files: if a few changes cost much of a first run, rows must be compared one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import answer
from lab import files_below

if TYPE_CHECKING:
    from pathlib import Path

    from lab import Figures, Lab
    from processes import Cost

ONE_IN = 100


def change(directory: Path, shift: int) -> int:
    """Add a line to one file in a hundred, other ones for another `shift`; return to how many."""
    files = [path for path in files_below(directory)[shift::ONE_IN] if path.read_bytes().isascii()]
    for path in files:
        with path.open("a", encoding="ascii") as file:
            file.write("\nand another line\n")
    return len(files)


def measure(lab: Lab) -> Figures:
    """Compare a run after changing one file in a hundred with a first run."""
    corpus = lab.copy(lab.base())
    home = lab.home(corpus)
    lab.index(home)
    changed: list[int] = []

    def again() -> Cost:
        changed.append(change(corpus.directory, shift=len(changed)))
        return lab.index(home)

    figures = lab.beside_cold(corpus, again)
    return {"files": home.facts().files, "changed_files": changed[0], **figures}


if __name__ == "__main__":
    answer(measure, __doc__)
