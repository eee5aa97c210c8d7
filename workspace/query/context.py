"""The lines around a row, from its neighbours in the index: a file is not read to answer a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workspace.text.lines import LineMap

if TYPE_CHECKING:
    import apsw

    from workspace.query.candidates import Hit

MAX_CONTEXT: Final = 1_000
"""Lines around a hit on each side, at most: more than all hits together may hold."""

_OWN: Final = "SELECT start_char, end_char FROM chunks WHERE id = ?"
_ABOVE: Final = (
    "SELECT content, start_char, end_char FROM chunks WHERE abs_path = ? AND chunk_index < ? ORDER BY chunk_index DESC"
)
_BELOW: Final = (
    "SELECT content, start_char, end_char FROM chunks WHERE abs_path = ? AND chunk_index > ? ORDER BY chunk_index"
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the file holds before and after the text of a row."""

    above: str
    below: str


def surroundings(connection: apsw.Connection, hit: Hit, lines: int) -> Surroundings:
    """Return at least `lines` whole lines on each side of a row, where the file has as many, and not many more."""
    rows: list[Any] = connection.execute(_OWN, (hit.row,)).fetchall()
    [(start, end)] = rows
    above = below = ""
    # Rows overlap: of each only what no nearer one holds. One line more makes up for a row that begins within one.
    for content, row_start, _ in connection.execute(_ABOVE, (hit.path, hit.chunk_index)):
        above = content[: max(0, start - row_start)] + above
        start = min(start, row_start)
        if LineMap(above).count > lines + 1:
            break
    for content, _, row_end in connection.execute(_BELOW, (hit.path, hit.chunk_index)):
        below += content[len(content) - max(0, row_end - end) :]
        end = max(end, row_end)
        if LineMap(below).count > lines + 1:
            break
    return Surroundings(above, below)
