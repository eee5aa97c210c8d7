"""What a word that the index does not hold may have been meant to be."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Final

from workspace.storage.schema import FTS_TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import apsw

    from workspace.query.tree import Term

MIN_LETTERS: Final = 4
"""Of a word that is corrected: every shorter one is near to many others."""

MIN_LETTERS_TWICE: Final = 8
"""Of a word in which two errors are looked for."""

MAX_LETTERS: Final = 32
"""Of a word that is corrected: a longer one is no word of a language, and near to very many strings."""

MAX_WORDS: Final = 3
"""Words corrected in one query, each some milliseconds: with more, the text is not about what is indexed."""

_IS_TEMPORARY: Final = f"SELECT count(*) FROM temp.sqlite_schema WHERE name = '{FTS_TABLE}'"
_TABLE: Final = (
    f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.workspace_vocabulary USING fts5vocab('{{}}', '{FTS_TABLE}', 'row')"
)
_ROWS: Final = "SELECT doc FROM temp.workspace_vocabulary WHERE term = ?"
_BETWEEN: Final = "SELECT term, doc FROM temp.workspace_vocabulary WHERE term >= ? AND term < ?"


def corrections(connection: apsw.Connection, unknown: list[Term], stem: Callable[[str], str]) -> dict[str, str]:
    """Return for those of the `unknown` terms that look misspelled, by stem, the word to search for in their place."""
    words = [term.text.lower() for term in unknown if term.text.isalpha()]
    words = [word for word in words if MIN_LETTERS <= len(word) <= MAX_LETTERS][:MAX_WORDS]
    if words:  # the table is one of this connection, in memory: nothing is written
        # That of the index which queries use: where the database's own is damaged, a temporary one.
        schema = "temp" if connection.execute(_IS_TEMPORARY).get else "main"
        connection.execute(_TABLE.format(schema)).fetchall()
    found = {stem(word): _one_error(connection, word, stem) or _two_errors(connection, word, stem) for word in words}
    return {word: correction for word, correction in found.items() if correction}


def _one_error(connection: apsw.Connection, word: str, stem: Callable[[str], str]) -> str | None:
    """Return the word, one edit from `word`, that most rows hold."""
    spelled: dict[str, str] = {}
    for candidate in edits(word):
        spelled.setdefault(stem(candidate), candidate)
    rows = {candidate: _rows_with(connection, term) for term, candidate in spelled.items() if term}
    return max(rows, key=rows.__getitem__) if any(rows.values()) else None


def _two_errors(connection: apsw.Connection, word: str, stem: Callable[[str], str]) -> str | None:
    """Return the stem, two edits from that of a long `word` and begun as it is, that most rows hold."""
    if len(word) < MIN_LETTERS_TWICE:
        return None
    term = stem(word)
    start = term[:2]
    nearby: list[Any] = connection.execute(_BETWEEN, (start, start[:-1] + chr(ord(start[-1]) + 1))).fetchall()
    near = [(rows, other) for other, rows in nearby if abs(len(other) - len(term)) <= 2 and distance(term, other) <= 2]
    return max(near)[1] if near else None


def _rows_with(connection: apsw.Connection, term: str) -> int:
    return connection.execute(_ROWS, (term,)).get or 0


def edits(word: str) -> Iterator[str]:
    """Yield what becomes of `word` if two neighbours change places, or one letter goes, changes or comes in."""
    letters = sorted({*ascii_lowercase, *word})
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    yield from (head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1)
    yield from (head + tail[1:] for head, tail in cuts if tail)
    yield from (head + letter + tail[1:] for head, tail in cuts if tail for letter in letters)
    yield from (head + letter + tail for head, tail in cuts for letter in letters)


def distance(one: str, other: str) -> int:
    """Return how many edits, as in `edits`, turn `one` into `other` (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
    return row[-1]
