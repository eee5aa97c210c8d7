"""Could overturn one database for everything: if ten times the files cost far more than ten times as much, split it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench_search import percentiles
from command_line import answer
from lab import shell

if TYPE_CHECKING:
    from lab import Figures, FirstRun, Lab

MANY = 40_000
"""Files from which the time of an unchanged run is taken to stand for `NOMINAL` files."""

NOMINAL = 80_000


def figures_of(lab: Lab, first: FirstRun) -> dict[str, float | int | str]:
    """Return what one size has to tell."""
    p50, p95, common = percentiles(lab, first.home)
    return {
        "files": first.facts.files,
        "rows": first.facts.rows,
        "text_mb": first.facts.text / 1e6,
        "wall_s": first.cost.wall_s,
        "cpu_s": first.cost.cpu_s,
        "mb_per_s": first.facts.text / 1e6 / first.cost.wall_s,
        "peak_mb": first.cost.peak_mb,
        "unchanged_wall_s": lab.unchanged(first.home).wall_s,
        "unchanged_from_shell_s": shell(first.home, "index").wall_s,
        "p50_ms": p50,
        "p95_ms": p95,
        "three_very_common_words_ms": common,
    }


def measure(lab: Lab) -> Figures:
    """Index, index again and search corpora of growing size."""
    sizes = [figures_of(lab, lab.first_run(corpus)) for corpus in lab.sizes()]
    base, large = ({name: float(value) for name, value in size.items()} for size in sizes[-2:])
    figures: Figures = {
        "largest_text_mb": round(large["text_mb"]),
        "peak_mb": large["peak_mb"],
        "throughput_over_smaller": large["mb_per_s"] / base["mb_per_s"],
        "latency_over_rows": large["p95_ms"] / base["p95_ms"] / (large["rows"] / base["rows"]),
        "sizes": sizes,
    }
    if large["files"] > MANY:
        figures["unchanged_80000_from_shell_s"] = large["unchanged_from_shell_s"] * NOMINAL / large["files"]
    return figures


if __name__ == "__main__":
    answer(measure, __doc__)
