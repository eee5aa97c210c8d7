"""Hits as they are handed out: text, lines, section, and what has become of the file."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import apsw

from workspace.query.budget import PUNCTUATION_BYTES, TOTAL_BYTES, Room, encoded_size, owed_below
from workspace.query.context import MAX_CONTEXT, Surroundings, surroundings
from workspace.query.matches import Match, find_matches
from workspace.query.passage import best_passage, trimmed, widened
from workspace.text.lines import LineMap, line_span
from workspace.text.words import count_words
from workspace.types import SearchResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from workspace.query.candidates import Hit

_ROW: Final = (
    "SELECT c.content, c.token_count, c.start_line, c.end_line, c.section, d.modified_at, d.size_bytes, d.mtime_ns"
    " FROM chunks c JOIN files d ON d.abs_path = c.abs_path WHERE c.id = ?"
)
_LINES_OF_A_HEADING: Final = 2
"""Lines after the one a heading begins on that may belong to it, as a setext underline does."""


@dataclass(frozen=True, slots=True)
class _Row:
    content: str
    token_count: int
    start_line: int
    end_line: int
    section: str | None
    modified_at: str
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class _Shown:
    """What of a row is handed out; it begins at offset `start` of the row's text."""

    content: str
    line_start: int
    line_end: int
    section: str | None
    tokens: int
    truncated: bool
    start: int


@dataclass(frozen=True, slots=True)
class Shape:
    """How much a hit shows: at most `max_chars` characters (0: no cap), and `context` lines more on either side."""

    max_chars: int = 0
    context: int = 0


def shaped(
    connection: apsw.Connection, match: str, hits: list[Hit], stem: Callable[[str], str], shape: Shape
) -> list[SearchResult]:
    """Return `hits`, which `match` found, best first, as results of that shape.

    A hit is left out if a better one shows its lines already, as of two chunks that overlap where the words stand.
    Together they keep to the total budget; where it is scarce, the lower ones are narrowed first. Rows are read one
    at a time, so that memory does not grow with their number.
    """
    results: list[SearchResult] = []
    left = TOTAL_BYTES
    for hit, owed in zip(hits, owed_below([hit.size for hit in hits]), strict=True):
        rows: list[Any] = connection.execute(_ROW, (hit.row,)).fetchall()
        if not rows:
            raise apsw.CorruptError("rows without their file")
        row = _Row(*rows[0])
        room = Room(shape.max_chars or sys.maxsize, left - owed - PUNCTUATION_BYTES)
        shown = _whole(row)
        if not room.holds(shown.content):
            matches = find_matches(connection, match, hit.row, row.content, stem)
            shown = _narrowed(row, hit.path, matches, room)
        if shape.context:
            around = surroundings(connection, hit, min(shape.context, MAX_CONTEXT))
            shown = _widened(row, around, shown, shape.context, Room(sys.maxsize, room.size))
        if _is_among(results, hit.path, shown):
            continue
        left -= encoded_size(shown.content) + PUNCTUATION_BYTES
        results.append(_result(hit, row, shown))
    return results


def _is_among(results: list[SearchResult], path: str, shown: _Shown) -> bool:
    return any(
        better.path == path and better.line_start <= shown.line_start and shown.line_end <= better.line_end
        for better in results
    )


def _whole(row: _Row) -> _Shown:
    start, end = trimmed(row.content, 0, len(row.content))
    return _Shown(
        row.content[start:end], row.start_line, row.end_line, row.section, row.token_count, truncated=False, start=start
    )


def _narrowed(row: _Row, path: str, matches: list[Match], room: Room) -> _Shown:
    lines = LineMap(row.content)
    start, end = best_passage(row.content, lines, matches, room)
    content = row.content[start:end]
    first, last = line_span(lines, row.content, start, end)
    above = row.start_line - line_span(lines, row.content, 0, len(row.content))[0]
    section = _section_at(row.content[: lines.end_of(min(first + _LINES_OF_A_HEADING, lines.count))], path, start)
    return _Shown(
        content, above + first, above + last, section or row.section, count_words(content), truncated=True, start=start
    )


def _widened(row: _Row, around: Surroundings, shown: _Shown, count: int, room: Room) -> _Shown:
    """Return `shown` with `count` lines more on either side; its section stays that of the hit itself."""
    text = around.above + row.content + around.below
    lines = LineMap(text)
    start = len(around.above) + shown.start
    end = start + len(shown.content)
    above = shown.line_start - line_span(lines, text, start, end)[0]
    start, end = widened(text, lines, (start, end), count, room)
    first, last = line_span(lines, text, start, end)
    content = text[start:end]
    return replace(shown, content=content, line_start=above + first, line_end=above + last, tokens=count_words(content))


def _section_at(text: str, path: str, offset: int) -> str | None:
    from workspace.text.headings import heading_in_force, headings_of  # for long rows alone: 6 ms of patterns

    heading = heading_in_force(headings_of(text, path), offset)
    return heading.line_text if heading else None


def _result(hit: Hit, row: _Row, shown: _Shown) -> SearchResult:
    return SearchResult(
        path=hit.path,
        line_start=shown.line_start,
        line_end=shown.line_end,
        section=shown.section,
        chunk_index=hit.chunk_index,
        score=hit.score,
        tokens=shown.tokens,
        modified=row.modified_at,
        content=shown.content,
        truncated=shown.truncated,
        stale=_is_stale(hit.path, row.size_bytes, row.mtime_ns),
    )


def _is_stale(path: str, size_bytes: int, mtime_ns: int) -> bool:
    try:
        now = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - no object for each of a thousand hits
    except OSError:
        return True
    return (now.st_size, now.st_mtime_ns) != (size_bytes, mtime_ns)
