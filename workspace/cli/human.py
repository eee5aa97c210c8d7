"""Text for people, with Rich. Names and content come from files, so nothing in them may act on the terminal."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from workspace.cli.output import visible
from workspace.types import Condition, Root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workspace.types import IndexStatus, IndexSummary, RepairReport, SearchResult

    Line = Sequence[tuple[str, str]]
    """Pieces of text, each with a Rich style."""

_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")
"""What ends a line for the numbers of a hit, and nothing else does."""


def render_roots(roots: Sequence[Root]) -> str:
    """Return a line for each root."""
    if not roots:
        return _render([[("no configured roots", "dim")]])
    return _render([_root(root) for root in roots])


def render_change(verb: str, root: Root) -> str:
    """Return a line that says what happened to a root."""
    return _render([[(f"{verb} ", ""), *_root(root)]])


def render_summary(summary: IndexSummary) -> str:
    """Return the counts of a run, and a line for each of its errors."""
    return _render(_summary(summary))


def render_results(results: Sequence[SearchResult]) -> str:
    """Return each hit as a heading and its numbered lines."""
    if not results:
        return _render([[("no results", "dim")]])
    return _render(line for rank, result in enumerate(results, 1) for line in _hit(rank, result))


def render_status(status: IndexStatus) -> str:
    """Return the state of the index, and a line for each root."""
    return _render(_status(status))


def render_repair(report: RepairReport) -> str:
    """Return what was found and done, and what lies set aside."""
    lines = [[(visible(report.message), "green" if report.condition is Condition.HEALTHY else "yellow")]]
    return _render([*lines, *([("set aside: ", "dim"), (visible(path), "bold")] for path in report.set_aside)])


def render_removed(paths: Sequence[str]) -> str:
    """Return a line for each file removed."""
    return _render([[("removed ", ""), (visible(path), "bold")] for path in paths] or [[("there was no index", "dim")]])


def _status(status: IndexStatus) -> Iterator[Line]:
    yield [(visible(status.message), "green" if status.healthy else "bold red")]
    version = "none" if status.schema_version is None else status.schema_version
    yield [(f"{visible(status.database)}  {status.database_bytes:,} bytes, schema {version}", "dim")]
    for root in status.roots:
        counts = [f"{name} {_number(getattr(root, name))}" for name in ("files", "rows", "errors")]
        yield [*_root(Root(root.path, root.recursive)), (f"  {'  '.join(counts)}  last run {root.last_run or '-'}", "")]


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _root(root: Root) -> Line:
    return [(visible(root.path), "bold"), ("  recursive" if root.recursive else "", "dim")]


def _summary(summary: IndexSummary) -> Iterator[Line]:
    for field in fields(summary):
        value = getattr(summary, field.name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield [(f"{field.name.replace('_', ' '):<17}", "dim"), (f"{value:>8,}", "bold")]
    for error in summary.errors:
        yield [
            (visible(error.path), "bold red"),
            (f"  {error.stage}: {error.error_type}: {visible(error.message)}", ""),
        ]
    if summary.errors_truncated:
        yield [(f"and {summary.files_errored - len(summary.errors):,} more", "red")]


def _hit(rank: int, result: SearchResult) -> Iterator[Line]:
    marks = [name for name in ("truncated", "stale") if getattr(result, name)]
    yield [
        (f"{rank:>3}. ", "dim"),
        (f"{visible(result.path)}:{result.line_start}-{result.line_end}", "bold cyan"),
        (f"  {visible(result.section)}" if result.section else "", "green"),
        (f"  score {result.score:.4g}", "dim"),
        (f"  {', '.join(marks)}" if marks else "", "yellow"),
    ]
    lines = _LINE_BREAK.split(result.content)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, result.line_start):
        yield [(f"{number:>7} │ ", "dim"), (visible(line.expandtabs(4)), "")]
    yield []


def _render(lines: Iterable[Line]) -> str:
    """Return lines with the colours that the terminal on stdout can show. None is wrapped or cut."""
    from rich.console import Console  # 40 ms that only people have to wait
    from rich.text import Text

    terminal = bool(sys.stdout and sys.stdout.isatty())
    console = Console(file=io.StringIO(), force_terminal=terminal)
    with console.capture() as capture:
        for line in lines:
            console.print(Text.assemble(*line), soft_wrap=True)
    return capture.get()
