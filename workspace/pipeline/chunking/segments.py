"""Large code in segments: a syntax tree takes some fifty times the memory of its text, so no tree is of all of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from workspace.text.words import LONGEST_WORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workspace.text.words import TokenGrid

SEGMENT_CHARS: Final = 256 * 1024
"""Characters that are parsed at once. Files that people write are smaller, and parsed as a whole."""

_BORDERS: Final = (
    re.compile(r"\n[ \t\r]*+\n(?=[^\s)\]}])"),  # an empty line, and nothing indented or closing after it
    re.compile(r"\n(?=[^\s)\]}])"),
    re.compile(r"\n"),
)
"""Ends of what can go before a border, the likeliest to be between two definitions first."""


def segments_of(text: str, grid: TokenGrid) -> Iterator[tuple[int, int]]:
    """Yield start and end of the segments that tile `text`, whose grid is `grid`.

    They meet between definitions where that can be told from the text alone, else at the beginning of a word. None is
    longer than `SEGMENT_CHARS`, but for one that ends in as much white space.
    """
    start = 0
    while len(text) - start > SEGMENT_CHARS:
        end = _border(text, start + SEGMENT_CHARS // 2, start + SEGMENT_CHARS)
        if end is None:
            word = bisect_right(grid.starts, max(start, start + SEGMENT_CHARS - LONGEST_WORD))
            end = grid.starts[word] if word < len(grid) else len(text)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _border(text: str, first: int, last: int) -> int | None:
    window = text[first:last]
    for border in _BORDERS:
        ends = [match.end() for match in border.finditer(window)]
        if ends:
            return first + ends[-1]
    return None
