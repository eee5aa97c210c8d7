"""Which rows fit a query, best first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from workspace.query.filters import Restriction

RANK: Final = "bm25(1, 8, 8, 8)"
"""A word in a heading, the path or a symbol says more of what a row is about than one in its text."""

TIED_ROWS: Final = 1_000
"""Rows read beyond the limit while they score as the last one does; more of them come in the order of the index."""

_COLUMNS: Final = "c.id, f.rank, c.abs_path, c.chunk_index, octet_length(c.content)"
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


def best_hits(connection: apsw.Connection, match: str, restriction: Restriction, *, limit: int) -> list[Hit]:
    """Return the `limit` best rows that `match` finds, by score, then path and place in the file."""
    found = ranked(candidates(connection, match, restriction, limit=limit))
    return found[:limit]


def candidates(connection: apsw.Connection, match: str, restriction: Restriction, *, limit: int) -> list[Hit]:
    """Return the `limit` best rows and all that score as the last of them does, within reason."""
    # "+" keeps the restriction from steering FTS5, which would start the query anew for each row allowed.
    allowed = f" AND +f.rowid IN ({restriction.rows})" if restriction.rows else ""
    bindings = {"match": match, "rank": RANK, **restriction.bindings}
    cursor: Any = connection.execute(f"{_MATCHING}{allowed} ORDER BY f.rank", bindings)
    try:
        return _through_tie((Hit(*row) for row in cursor), limit)
    finally:
        cursor.close()


def ranked(hits: list[Hit]) -> list[Hit]:
    """Return `hits` in the order in which they are shown, the same for every index of the same files."""
    return sorted(hits, key=lambda hit: (hit.score, hit.path, hit.chunk_index))


def _through_tie(hits: Iterator[Hit], limit: int) -> list[Hit]:
    found = list(islice(hits, limit))
    for hit in islice(hits, TIED_ROWS):
        if hit.score != found[-1].score:
            break
        found.append(hit)
    return found
