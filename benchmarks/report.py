"""Results as Markdown: the table of targets first, then every figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from targets import Target

UNITS = {"s": "s", "ms": "ms", "mb": "MB"}
"""The last part of a figure's name, where that is a unit, and how it is written."""


def markdown(results: Mapping[str, Any]) -> str:
    """Return the whole report."""
    parts = ["# Benchmarks", conditions(results), targets_table(results)]
    for name, question in results["questions"].items():
        parts += [f"## {words(name)}", question["decision"], *_figures(question["figures"])]
    return "\n\n".join(parts) + "\n"


def conditions(results: Mapping[str, Any]) -> str:
    """Return on what was measured."""
    machine = results["machine"]
    return (
        f"On {results['corpus']}, {machine['cores']} cores ({machine['processor']}), Python {machine['python']},"
        f" SQLite {machine['sqlite']}, APSW {machine['apsw']}, version {machine['hermes-workspace']}"
        f" of {results['date']}{', quick' if results['quick'] else ''}. Load average before: {machine['load']:.1f}."
    )


def targets_table(results: Mapping[str, Any]) -> str:
    """Return the promises beside what was measured; a quick run is too small for a verdict."""
    answers = {name: question["figures"] for name, question in results["questions"].items()}
    rows = []
    for target in TARGETS:
        value = target.measured(answers)
        bound = f"{'≥' if target.at_least else '≤'} {number(target.limit)} {target.unit}".rstrip()
        shown = "-" if value is None else f"{number(value)} {target.unit}".rstrip()
        rows.append((target.label(answers), bound, shown, "" if results["quick"] else verdict(target, value)))
    return table(("what", "target", "measured", ""), rows)


def verdict(target: Target, value: float | None) -> str:
    """Return whether a promise is kept, as a word."""
    if value is None:
        return "not measured"
    return "kept" if target.burden(value) <= 1 else "**missed**"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table whose columns but the first are aligned to the right."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])


def words(name: str) -> str:
    """Return a figure's name as people would say it, without its unit."""
    name, unit = _split(name)
    return name.replace("_per_s", "/s").replace("mb/", "MB/").replace("_", " ") + (f", {unit}" if unit else "")


def number(value: object) -> str:
    """Return a number with three significant digits, and anything else as it is."""
    if isinstance(value, bool | str) or value is None:
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _figures(figures: Mapping[str, Any]) -> list[str]:
    single = [(words(name), number(value)) for name, value in figures.items() if not isinstance(value, list)]
    tables = [table(("figure", "value"), single)] if single else []
    for rows in figures.values():
        if isinstance(rows, list) and rows:
            names = list(dict.fromkeys(name for row in rows for name in row))
            tables.append(table([words(n) for n in names], [[number(row.get(n, "-")) for n in names] for row in rows]))
    return tables


def _split(name: str) -> tuple[str, str]:
    stem, _, last = name.rpartition("_")
    return (stem, UNITS[last]) if stem and last in UNITS and not stem.endswith("_per") else (name, "")
