"""From what SQLite raises to a sentence that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import apsw

from workspace.storage.schema import APPLICATION_ID
from workspace.types import Condition, IndexUnusable, WorkspaceError

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC: Final = b"SQLite format 3\0"
_ID_OFFSET: Final = 68
"""Where the header of a database holds its application_id, 4 bytes, big-endian."""


def explained(error: apsw.Error | OSError, path: Path, doing: str) -> WorkspaceError:
    """Return what to raise for `error`, which came of `doing` something ("read", say) with the database at `path`."""
    match error:
        case apsw.CorruptError() | apsw.NotADBError():
            return _of_damage(error, path)
        case apsw.FullError():
            why = "the disk is full; make room and index again, what was finished is kept"
        case apsw.BusyError() | apsw.LockedError():
            why = "another program holds it, a database shell or a backup perhaps; end that one and try again"
        case apsw.ReadOnlyError() | PermissionError():
            why = f"{error}; check its permissions, those of its directory, and how the disk is mounted"
        case apsw.IOError():
            why = f"the disk or its file system fails ({error}); check it and try again"
        case _:
            why = str(error)
    return WorkspaceError(f"cannot {doing} the index {path}: {why}")


def _of_damage(error: apsw.Error, path: Path) -> IndexUnusable:
    if _may_be_ours(path):
        return IndexUnusable(Condition.DAMAGED, damage_message(path, str(error)))
    if isinstance(error, apsw.NotADBError):
        return IndexUnusable(Condition.NOT_A_DATABASE, f"{path} is not a database; move it away, and index again")
    return IndexUnusable(
        Condition.FOREIGN,
        f"{path} is damaged ({error}) and may be another program's; move it away, and index again",
    )


def damage_message(path: Path, why: str) -> str:
    """Return the sentence about a database that can only be set aside."""
    return (
        f"the index {path} is damaged ({why}); run the command repair, which sets it aside, then index, which builds"
        " a new one"
    )


def _may_be_ours(path: Path) -> bool:
    """Tell by the header, which SQLite itself could not make sense of; one cut off before our mark may be ours.

    Read through SQLite: closing a descriptor of our own would drop the locks of every connection in this process.
    """
    try:
        file = apsw.VFSFile("", str(path.resolve()), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    except apsw.Error:
        return False
    try:
        header = file.xRead(_ID_OFFSET + 4, 0)
    finally:
        file.xClose()
    mark = header[_ID_OFFSET:]
    return header[: len(_MAGIC)] == _MAGIC[: len(header)] and (len(mark) < 4 or mark == APPLICATION_ID.to_bytes(4))
