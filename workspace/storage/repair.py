"""Mending a database, or setting it aside: nothing here deletes what cannot be made again, but `remove`."""

from __future__ import annotations

import contextlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import apsw

from workspace.storage import schema
from workspace.storage.connection import COMPANIONS, companion, file_size, open_checker, open_writer
from workspace.storage.health import doubt_file, examine, glance
from workspace.storage.schema import FTS_TABLE
from workspace.storage.transaction import transaction
from workspace.storage.trouble import explained
from workspace.types import Condition, Health, IndexUnusable, RepairReport, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

_DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError)

_ODD: Final = (apsw.ConstraintError, apsw.SQLError)
"""What our statements never raise on a sound database. A damaged full-text index refuses new entries by the first."""


@contextlib.contextmanager
def sound_index(path: Path) -> Iterator[apsw.Connection]:
    """Open the index for a run, mended first where it needs to be; explain what then goes wrong with it.

    The caller holds the index lock. What an interrupted run left is examined, and so is what a reader doubted.
    Damage that shows only within the block ends the block: the full-text index is built anew, or the database is set
    aside, so that the next run starts from something sound.

    Raises:
        WorkspaceError: the database cannot be used or written; one sentence says why and what to do.

    """
    connection = _open_mended(path)
    try:
        yield connection
    except (*_DAMAGE, *_ODD) as error:
        raise _after_damage(connection, path, error) from error
    except apsw.Error as error:
        raise explained(error, path, "write") from error
    finally:
        connection.close()


def repair(path: Path, *, check_only: bool = False) -> RepairReport:
    """Examine the database at `path` to the last row and mend it, or set it aside if that is not possible.

    The caller holds the index lock.
    Raises `WorkspaceError` where nothing can be mended: the file is not ours, or the system refuses. With
    `check_only`, that is an answer like any other.
    """
    if not file_size(path):
        return RepairReport(Condition.MISSING, "none", "there is no index yet: run the command index")
    health = _examined(path, open_checker if check_only else open_writer)
    match health.condition:
        case Condition.HEALTHY if not check_only:
            _clear_doubt(path)
        case Condition.DAMAGED if not check_only:
            return _report_set_aside(path)
        case Condition.TEXT_INDEX_DAMAGED if not check_only:
            return _report_rebuilt(path)
        case Condition.FOREIGN | Condition.NEWER | Condition.NOT_A_DATABASE if not check_only:
            raise IndexUnusable(health.condition, health.message)
    return RepairReport(health.condition, "none", health.message)


def remove(path: Path) -> list[Path]:
    """Delete the database at `path` and what belongs to it; return what was deleted. The caller holds the index lock.

    Raises `WorkspaceError` if the file is not ours, or cannot be deleted.
    """
    if file_size(path):
        health = _examined(path, open_checker, deeply=False)
        if health.condition not in {Condition.HEALTHY, Condition.DAMAGED, Condition.TEXT_INDEX_DAMAGED}:
            raise IndexUnusable(health.condition, health.message)
    files = [path, *(companion(path, suffix) for suffix in COMPANIONS), doubt_file(path)]
    found = [file for file in files if file.exists()]
    try:
        for file in found:
            file.unlink()
    except OSError as error:
        raise explained(error, path, "delete") from error
    return found


# --- Opening ----------------------------------------------------------------------------------------------------


def _open_mended(path: Path) -> apsw.Connection:
    wal = companion(path, "-wal")
    if file_size(wal) and not file_size(path):
        # SQLite would delete it. It belongs to a database that somebody has taken away.
        log.warning("%s lies here without its database: it is set aside as %s", wal, _stray(path)[0])
    doubtful = bool(file_size(wal)) or doubt_file(path).exists()
    try:
        connection = open_writer(path)
    except IndexUnusable as error:
        if error.condition is not Condition.DAMAGED:
            raise
        return _open_new(path, str(error))
    try:
        health = _mended(connection, path, doubtful=doubtful)
    except BaseException:
        connection.close()
        raise
    if health.condition is not Condition.HEALTHY:
        connection.close()
        return _open_new(path, health.message)
    _clear_doubt(path)
    return connection


def _mended(connection: apsw.Connection, path: Path, *, doubtful: bool) -> Health:
    """Return the state of the database, its full-text index built anew if that was all that was wrong with it."""
    try:
        health = _health(connection, path, deeply=doubtful)
        if health.condition is Condition.TEXT_INDEX_DAMAGED and _rebuild(connection, path):
            log.warning("the full-text index in %s was damaged, and has been built anew from the stored text", path)
            return Health(Condition.HEALTHY, "")
    except apsw.Error as error:
        raise explained(error, path, "write") from error
    return health


def _open_new(path: Path, why: str) -> apsw.Connection:
    log.debug("%s", why)
    log.warning("the index %s was damaged: it is set aside as %s, and all is indexed anew", path, set_aside(path)[0])
    return open_writer(path)


def _health(connection: apsw.Connection, path: Path, *, deeply: bool) -> Health:
    """Return the state of the database: as far as it shows at once, and to the last row if it does or if asked."""
    if not deeply:
        with contextlib.suppress(apsw.CorruptError, apsw.SQLError):
            glance(connection)
            return Health(Condition.HEALTHY, "")
    return examine(connection, path, compare=True)


def _after_damage(connection: apsw.Connection, path: Path, error: apsw.Error) -> WorkspaceError:
    """Make the next run start from something sound; return what to tell of this one."""
    try:
        condition = examine(connection, path, compare=True).condition
        if condition is Condition.HEALTHY and not isinstance(error, _DAMAGE):
            return explained(error, path, "write")
        if condition is not Condition.DAMAGED and _rebuild(connection, path):
            message = f"the full-text index in {path} was damaged ({error}) and has been built anew; index again"
            return IndexUnusable(Condition.TEXT_INDEX_DAMAGED, message)
    except apsw.Error as second:
        if not isinstance(second, _DAMAGE):
            return explained(second, path, "write")
    connection.close()
    message = f"the index {path} was damaged ({error}): it is set aside as {set_aside(path)[0]}; index again to build"
    return IndexUnusable(Condition.DAMAGED, f"{message} a new one")


# --- Mending ----------------------------------------------------------------------------------------------------


def _rebuild(connection: apsw.Connection, path: Path) -> bool:
    """Build the full-text index anew from `chunks`; tell whether the database is sound afterwards.

    The old one is not dropped but forgotten: to drop it, SQLite would have to read what is damaged. VACUUM then
    leaves its pages behind.
    """
    with contextlib.suppress(*_DAMAGE, apsw.SQLError):
        with transaction(connection):
            connection.execute("PRAGMA writable_schema = ON").fetchall()
            connection.execute(
                "DELETE FROM sqlite_schema WHERE name = ?1 OR tbl_name GLOB ?1 || '_*'", (FTS_TABLE,)
            ).fetchall()
            connection.execute("PRAGMA writable_schema = RESET").fetchall()
            for statement in schema.FTS_DDL:
                connection.execute(statement).fetchall()
            connection.execute(f"INSERT INTO {FTS_TABLE}({FTS_TABLE}) VALUES ('rebuild')").fetchall()
        connection.execute("VACUUM").fetchall()
        return examine(connection, path, compare=True).condition is Condition.HEALTHY
    return False


def set_aside(path: Path) -> list[Path]:
    """Give a database and its companions another name in the same directory; return the new names.

    The database goes first: if we are killed in between, what is left counts as stray. No connection may be open.
    Raises `WorkspaceError` if the system refuses.
    """
    if path.is_symlink():
        return _renamed(path, [path])  # what it points to, and what lies beside that, stays as it is
    return _renamed(path, [path, *(companion(path, suffix) for suffix in COMPANIONS)])


def _stray(path: Path) -> list[Path]:
    return _renamed(path, [companion(path, suffix) for suffix in COMPANIONS])[:1]


def _renamed(path: Path, files: list[Path]) -> list[Path]:
    now = datetime.now(UTC)
    base = path.resolve().name
    renamed = []
    try:
        for number in range(1_000):
            label = f".damaged-{now:%Y%m%dT%H%M%SZ}" + (f"-{number}" if number else "")
            targets = [(file, file.with_name(path.name + label + file.name.removeprefix(base))) for file in files]
            if not any(target.exists() for _, target in targets):
                break
        for file, target in targets:
            if file.exists() or file.is_symlink():
                file.rename(target)
                renamed.append(target)
        doubt_file(path).unlink(missing_ok=True)
    except OSError as error:
        raise explained(error, path, "set aside") from error
    return renamed


def _clear_doubt(path: Path) -> None:
    with contextlib.suppress(OSError):
        doubt_file(path).unlink(missing_ok=True)


def _examined(path: Path, opener: Callable[[Path], apsw.Connection], *, deeply: bool = True) -> Health:
    try:
        with contextlib.closing(opener(path)) as connection:
            return _health(connection, path, deeply=deeply)
    except IndexUnusable as error:
        return Health(error.condition, str(error))
    except apsw.Error as error:
        raise explained(error, path, "write") from error


def _report_set_aside(path: Path) -> RepairReport:
    files = set_aside(path)
    message = f"the index was damaged: it is set aside as {files[0]}; run the command index to build a new one"
    return RepairReport(Condition.DAMAGED, "set-aside", message, tuple(map(str, files)))


def _report_rebuilt(path: Path) -> RepairReport:
    with contextlib.closing(open_writer(path)) as connection:
        try:
            is_sound = _rebuild(connection, path)
        except apsw.Error as error:
            raise explained(error, path, "write") from error
    if not is_sound:
        return _report_set_aside(path)
    _clear_doubt(path)
    message = "the full-text index was damaged, and has been built anew from the stored text"
    return RepairReport(Condition.TEXT_INDEX_DAMAGED, "rebuilt", message)
