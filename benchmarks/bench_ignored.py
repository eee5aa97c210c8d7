"""Could overturn matching each name in Python: if many ignored files slow a run down, the walk must match in bulk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import answer
from lab import Corpus

if TYPE_CHECKING:
    from pathlib import Path

    from lab import Figures, Lab


def fill(directory: Path, files: int) -> None:
    """Write so many files, and a file that ignores them by their names."""
    (directory / ".hermesignore").write_text("*.log\n", encoding="utf-8")
    for number in range(files):
        (directory / f"{number}.log").touch()


def measure(lab: Lab) -> Figures:
    """Compare runs with and without a directory of ignored files."""
    ignored = Corpus("ignored files", lab.new_directory("ignored"))
    fill(ignored.directory, lab.scale.ignored)
    corpus = lab.base()
    first = lab.first_run(corpus)
    home = lab.home(corpus, ignored)
    lab.index(home)
    costs = lab.alternate(
        without=lambda: lab.cold(corpus),
        together=lambda: lab.cold(corpus, ignored),
        unchanged_without=lambda: lab.unchanged(first.home),
        unchanged_together=lambda: lab.unchanged(home),
        walk=lambda: lab.walk(ignored.directory),
    )
    return {
        "files": first.facts.files,
        "ignored_files": lab.scale.ignored,
        "together_over_without": costs["together"].wall_s / costs["without"].wall_s,
        **{f"{name}_wall_s": cost.wall_s for name, cost in costs.items()},
    }


if __name__ == "__main__":
    answer(measure, __doc__)
