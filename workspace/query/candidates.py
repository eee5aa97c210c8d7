"""Which rows fit a query, best first."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import apsw

from workspace.query import lexrank
from workspace.query.tree import Term

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workspace.query.filters import Restriction
    from workspace.query.lexrank import Asked

RANK: Final = "bm25(1, 8, 8, 8)"
"""The order in which FTS5 offers rows: a word in a heading, the path or a symbol says more of what a row is about."""

MIN_CANDIDATES: Final = 60
CANDIDATES_PER_HIT: Final = 3
"""Rows that are looked at closely for each hit wanted. More of them change next to nothing in the order."""

MAX_CANDIDATES: Final = 5_000
"""Rows that are looked at before one that would fill the list up is given up: a tenth of a second."""

TIED_ROWS: Final = 1_000
"""Rows read beyond the limit while they score as the last one does; more of them come in the order of the index."""

_COLUMNS: Final = (
    f"f.rank, c.id, {lexrank.NAME}(f.chunks_fts, :asked), c.abs_path, c.chunk_index, octet_length(c.content)"
)
_MATCHING: Final = (
    f"SELECT {_COLUMNS} FROM chunks_fts f CROSS JOIN chunks c ON c.id = f.rowid"
    " WHERE f.chunks_fts MATCH :match AND f.rank MATCH :rank"
)
"""FTS5 sorts and the table is looked up afterwards (CROSS JOIN forbids the other order): nothing but what is read."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that fits. `score` is more negative the better it fits, `size` the bytes of its content."""

    row: int
    score: float
    path: str
    chunk_index: int
    size: int


def best_hits(
    connection: apsw.Connection, asked: Asked, restriction: Restriction, *, limit: int, per_file: int
) -> list[Hit]:
    """Return the `limit` best rows for what is `asked`, at most `per_file` of one file (0: any number).

    They are ordered by score, then path and place in the file. FTS5 sorts all of them in its own cheap order; the first
    of these are scored by `lexrank.lexrank`, and more of them while too few are left.
    """
    connection.register_fts5_function(lexrank.NAME, cast("apsw.FTS5Function", lexrank.lexrank))
    bindings = {"match": asked.match, "rank": RANK, "asked": apsw.pyobject(asked), **restriction.bindings}
    # "+" keeps the restriction from steering FTS5, which would start the query anew for each row allowed.
    allowed = f" AND +f.rowid IN ({restriction.rows})" if restriction.rows else ""
    cursor: Any = connection.execute(f"{_MATCHING}{allowed} ORDER BY f.rank", bindings)
    found: list[Hit] = []
    best: list[Hit] = []
    try:
        for batch in _batches(cursor, max(MIN_CANDIDATES, CANDIDATES_PER_HIT * limit)):
            found += batch
            best = few_of_each(ranked(found), per_file)[:limit]
            if len(best) == limit or len(found) >= MAX_CANDIDATES:
                break
    finally:
        cursor.close()
    return best


def ranked(hits: list[Hit]) -> list[Hit]:
    """Return `hits` in the order in which they are shown, the same for every index of the same files."""
    return sorted(hits, key=lambda hit: (hit.score, hit.path, hit.chunk_index))


def few_of_each(hits: list[Hit], per_file: int) -> list[Hit]:
    """Return `hits` without those that follow `per_file` others of their file (0: all of them)."""
    if not per_file:
        return hits
    before: Counter[str] = Counter()
    kept = []
    for hit in hits:
        if before[hit.path] < per_file:
            kept.append(hit)
        before[hit.path] += 1
    return kept


def rows_with(connection: apsw.Connection, term: Term) -> int:
    """Return how many rows of the index hold `term`, composed or decomposed."""
    spellings = dict.fromkeys((term.text, unicodedata.normalize("NFD", term.text)))
    match = " OR ".join(str(Term(text)) for text in spellings)
    count: int = connection.execute("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?", (match,)).get
    return count


def _batches(rows: Iterator[tuple[Any, ...]], count: int) -> Iterator[list[Hit]]:
    """Yield `count` rows, then as many again and so on, each time with all that rank as the last one, within reason."""
    batch: list[Hit] = []
    last = None
    for rank, *row in rows:
        if len(batch) >= count and (rank != last or len(batch) == count + TIED_ROWS):
            yield batch
            batch = []
        batch.append(Hit(*row))
        last = rank
    yield batch
