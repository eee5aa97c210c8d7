"""Where FTS5 itself sees the words of a query in a row, as character offsets."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

_HIGHLIGHT: Final = (
    "SELECT highlight(chunks_fts, 0, :opening, :closing), highlight(chunks_fts, 3, :opening, :closing)"
    " FROM chunks_fts WHERE chunks_fts MATCH :match AND rowid = :row"
)
"""Content and symbols. FTS5 starts the query at the row, so that no other is read."""

_NONCHARACTERS: Final = tuple(map(chr, range(0xFDD0, 0xFDF0)))
"""Characters that Unicode reserves for use inside a program: 32, of which a text would have to hold 31."""


class Match(NamedTuple):
    """Where a word of the query, or several as a phrase, stand in a text; `word` is the same for what is to the index.

    A tuple, since a long row has thousands, and a frozen record takes three times as long to make.
    """

    start: int
    end: int
    word: str


def find_matches(
    connection: apsw.Connection, match: str, row: int, content: str, stem: Callable[[str], str]
) -> list[Match]:
    """Return the places in `content`, that of row number `row`, that make it fit `match`, in order.

    Where there are none, since the row was found by the name of something defined in it, that name's place.
    """
    marks = tuple(islice((mark for mark in _NONCHARACTERS if mark not in content), 2))
    if len(marks) < 2:
        return []
    bindings = {"opening": marks[0], "closing": marks[1], "match": match, "row": row}
    rows: list[Any] = connection.execute(_HIGHLIGHT, bindings).fetchall()
    [(marked, symbols)] = rows
    marked_word = re.compile("{}([^{}]*)".format(*marks))
    found = [(place.start(), place[1]) for place in marked_word.finditer(marked)]
    if len(marked) != len(content) + 2 * len(found):  # FTS5 ends its copy at a NUL
        return []
    return [
        Match(start - 2 * before, start - 2 * before + len(word), stem(word))
        for before, (start, word) in enumerate(found)
    ] or _first_places(content, marked_word.findall(symbols))


def _first_places(content: str, words: list[str]) -> list[Match]:
    return sorted(Match(at, at + len(word), word) for word in set(words) if (at := content.find(word)) >= 0)
