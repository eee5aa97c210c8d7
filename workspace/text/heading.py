"""What a heading is, whichever markup it is written in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_HEADING_CHARS: Final = 200
"""Characters of a heading that are kept: whatever is longer is no title, and sections are stored with every row."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading. `offset` is that of its line's first character, in HTML of its tag; `level` counts from 1, the top.

    `line_text` is the heading as written ("## Rollback Procedures"), without what surrounds it (white space, the
    markers of block quotes and list items, underlines), in one line of at most `MAX_HEADING_CHARS` characters.
    """

    offset: int
    line_text: str
    level: int


def clipped(text: str) -> str:
    """Return `text` as the `line_text` of a heading: stripped, and cut where it is too long."""
    return text.strip()[:MAX_HEADING_CHARS].rstrip()


def unix_lines(text: str) -> str:
    """Return `text` with every line ended by a line feed alone, character offsets unchanged.

    The carriage return before a line feed becomes a space: at the end of a line no markup tells it from none.
    """
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")
