"""Charts of the results, as SVG and PNG: the only importer of matplotlib, which the extra `bench` brings."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BLUE, GREY, RED = "#3b6ea8", "#b8bec6", "#b5443c"
STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "font.size": 9,
    "svg.hashsalt": "benchmarks",
    "svg.fonttype": "none",
}
FORMATS: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None}},
    "png": {"dpi": 150, "metadata": {"Software": None}},
}
"""Without a date or version in it, the same figures give the same file."""


def available() -> bool:
    """Tell whether charts can be drawn."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(questions: Mapping[str, Any], directory: Path) -> list[Path]:
    """Draw all charts for which there are figures, and return the files."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("agg")
    answers = {name: question["figures"] for name, question in questions.items()}
    drawn = []
    with matplotlib.rc_context(STYLE):
        for name, chart in CHARTS.items():
            figure = importlib.import_module("matplotlib.figure").Figure(figsize=(8, 4), layout="constrained")
            if not chart(figure, answers):
                continue
            for suffix, arguments in FORMATS.items():
                drawn.append(directory / f"{name}.{suffix}")
                figure.savefig(drawn[-1], facecolor="white", **arguments)
    return drawn


def targets(figure: Any, answers: Mapping[str, Any]) -> bool:  # noqa: ANN401 - matplotlib is not imported here
    """Show how much of each limit is used up."""
    shown = [(target, value) for target in TARGETS if (value := target.measured(answers)) is not None]
    if not shown:
        return False
    figure.set_size_inches(8, 0.8 + 0.3 * len(shown))
    axes = figure.subplots()
    burdens = [target.burden(value) for target, value in shown]
    axes.barh(range(len(shown)), burdens, color=[BLUE if burden <= 1 else RED for burden in burdens], height=0.6)
    axes.set_yticks(range(len(shown)), [target.label(answers) for target, _ in shown])
    axes.invert_yaxis()
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xlim(0, max(1.5, *burdens) * 1.35)
    for row, ((target, value), burden) in enumerate(zip(shown, burdens, strict=True)):
        bound = f"{'at least' if target.at_least else 'limit'} {target.limit:g}"
        axes.annotate(
            f"{f'{value:.3g} {target.unit}'.rstrip()} ({bound})",
            (burden, row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    _title(figure, "Measured, as a part of what is allowed (1 is the limit; less is better)")
    return True


def runs(figure: Any, answers: Mapping[str, Any]) -> bool:  # noqa: ANN401 - see above
    """Show the wall clock of every kind of run, over that of the writer alone."""
    names = {
        "writer alone": ("cold", "floor_wall_s"),
        "first run": ("cold", "wall_s"),
        "another chunk_size": ("rechunk", "wall_s"),
        "all files dropped": ("prune", "wall_s"),
        "1 % changed": ("changed", "wall_s"),
        "nothing changed": ("unchanged", "wall_s"),
        "walk and stat alone": ("unchanged", "floor_wall_s"),
    }
    shown = {label: answers[question][name] for label, (question, name) in names.items() if question in answers}
    if not shown:
        return False
    figure.set_size_inches(8, 3)
    axes = figure.subplots()
    bars = axes.barh(list(shown), list(shown.values()), color=[GREY if "alone" in name else BLUE for name in shown])
    axes.bar_label(bars, fmt=" {:.3g} s")
    axes.invert_yaxis()
    axes.margins(x=0.12)
    _title(figure, "Kinds of index runs, seconds (grey: what cannot be undercut)")
    return True


def growth(figure: Any, answers: Mapping[str, Any]) -> bool:  # noqa: ANN401 - see above
    """Show throughput, memory and search latency over the number of files."""
    sizes = answers.get("growth", {}).get("sizes", [])
    if len(sizes) < 2:
        return False
    figure.set_size_inches(8, 2.8)
    files = [size["files"] for size in sizes]
    panels = {"MB/s": ["mb_per_s"], "peak memory, MB": ["peak_mb"], "search, ms": ["p50_ms", "p95_ms"]}
    for axes, (title, names) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        for name, colour in zip(names, (BLUE, RED), strict=False):
            axes.plot(files, [size[name] for size in sizes], marker="o", color=colour, label=name.removesuffix("_ms"))
        axes.set_xscale("log")
        axes.set_xticks(files, [f"{count:,}" for count in files])
        axes.minorticks_off()
        axes.margins(0.1)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("files")
        axes.set_title(title)
    axes.legend(frameon=False)
    return True


def workers(figure: Any, answers: Mapping[str, Any]) -> bool:  # noqa: ANN401 - see above
    """Show what worker processes gain where everything is chunked."""
    found = answers.get("workers")
    if not found:
        return False
    figure.set_size_inches(8, 2.4)
    axes = figure.subplots()
    labels = ["default, few long files", *(f"all chunked, workers: {run['workers']}" for run in found["runs"])]
    values = [found["default_wall_s"], *(run["wall_s"] for run in found["runs"])]
    axes.bar_label(axes.barh(labels, values, color=[GREY, *[BLUE] * len(found["runs"])]), fmt=" {:.3g} s")
    axes.invert_yaxis()
    axes.margins(x=0.12)
    _title(figure, "First run by number of workers, seconds")
    return True


def _title(figure: Any, text: str) -> None:  # noqa: ANN401 - see above
    figure.suptitle(text, x=0.01, ha="left", fontsize="medium")


CHARTS = {"targets": targets, "runs": runs, "growth": growth, "workers": workers}
