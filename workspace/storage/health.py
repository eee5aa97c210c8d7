"""Whether a database is sound, and what search does where only its full-text index is not."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import apsw

from workspace.constants import DOUBT_NAME
from workspace.storage import schema
from workspace.storage.connection import open_reader
from workspace.storage.schema import FTS_TABLE
from workspace.storage.trouble import damage_message
from workspace.types import Condition, Health, IndexUnusable, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SAME_COUNT: Final = f"SELECT (SELECT count(*) FROM chunks) = (SELECT count(*) FROM {FTS_TABLE}_docsize)"

_COMPARE: Final = f"INSERT INTO {FTS_TABLE}({FTS_TABLE}, rank) VALUES ('integrity-check', 1)"
"""FTS5's comparison of its index with every row of `chunks`: 12 ms per MB of text, and for writers only."""

_HALF_A_FILE: Final = (
    "SELECT abs_path FROM files f WHERE chunk_count != (SELECT count(*) FROM chunks c WHERE c.abs_path = f.abs_path)"
)

OUT_OF_STEP: Final = "it does not cover the same rows as the stored text"


def inspect(path: Path) -> Health:
    """Return the state of the database at `path`. Only reads; the full-text index is not compared row by row."""
    try:
        connection = open_reader(path)
    except IndexUnusable as error:
        return Health(error.condition, str(error))
    except WorkspaceError as error:
        return Health(Condition.UNREADABLE, str(error))
    if connection is None:
        return Health(Condition.MISSING, "there is no index yet: run the command index")
    with contextlib.closing(connection):
        return examine(connection, path)


def examine(connection: apsw.Connection, path: Path, *, compare: bool = False) -> Health:
    """Return the state of our database behind `connection`, having looked at every page.

    With `compare`, which needs a writer's connection, the full-text index is compared with every row of text, too.
    """
    if why := _first_complaint(connection):
        return Health(Condition.DAMAGED, damage_message(path, why))
    # The check of the whole also trips over a damaged full-text index, and says nothing of one that is out of step.
    whole = _complaint(connection, "PRAGMA integrity_check(1)")
    if why := _text_complaint(connection, compare=compare, suspect=bool(whole)):
        return Health(Condition.TEXT_INDEX_DAMAGED, text_index_message(path, why))
    if whole:
        return Health(Condition.DAMAGED, damage_message(path, whole))
    return Health(Condition.HEALTHY, "the index is sound")


def glance(connection: apsw.Connection) -> None:
    """Look for what shows at once, a table that is missing or an index out of step: a millisecond for 40,000 rows.

    Raises `apsw.CorruptError` for these, or what SQLite raises if it cannot even be looked at.
    """
    for table in (*_tables(connection), FTS_TABLE):
        if not _exists(connection, table):
            raise apsw.CorruptError(f"the table {table} is missing")
    if not connection.execute(_SAME_COUNT).get:
        raise apsw.CorruptError(OUT_OF_STEP)


def text_index_message(path: Path, why: str) -> str:
    """Return the sentence about a database of which only the full-text index is damaged."""
    return (
        f"the full-text index in {path} is damaged ({why}); run the command index, or repair: both build it anew from"
        " the stored text"
    )


# --- Doubt ------------------------------------------------------------------------------------------------------


def doubt_file(path: Path) -> Path:
    """Return the file that stands for doubt about the database at `path`."""
    return path.with_name(DOUBT_NAME)


def leave_doubt(path: Path) -> None:
    """Make the next index run examine the database before it uses it; where nothing may be written, do nothing."""
    with contextlib.suppress(OSError):
        doubt_file(path).touch(mode=0o600)


# --- Searching without the full-text index ----------------------------------------------------------------------


@contextlib.contextmanager
def scanned(connection: apsw.Connection) -> Iterator[None]:
    """Within the block, let queries use a full-text index made on the spot by reading all of `chunks`.

    It is made of temporary tables, which take precedence over those of the same name in the database: any query
    gives what it would give with a sound index, some seconds later. The database is not written.

    Raises:
        apsw.Error: the rows themselves cannot be read, or there is no room for temporary files.

    """
    create, *_ = schema.FTS_DDL
    connection.execute("CREATE TEMP VIEW chunks AS SELECT * FROM main.chunks").fetchall()
    try:
        connection.execute(create.replace(FTS_TABLE, f"temp.{FTS_TABLE}", 1)).fetchall()
        connection.execute(f"INSERT INTO temp.{FTS_TABLE}({FTS_TABLE}) VALUES ('rebuild')").fetchall()
        yield
    finally:
        connection.execute(f"DROP TABLE IF EXISTS temp.{FTS_TABLE}").fetchall()
        connection.execute("DROP VIEW temp.chunks").fetchall()


# --- Checks -----------------------------------------------------------------------------------------------------


def _first_complaint(connection: apsw.Connection) -> str | None:
    for table in _tables(connection):
        if not _exists(connection, table):
            return f"the table {table} is missing"
        if why := _complaint(connection, f"PRAGMA integrity_check({table})"):
            return f"table {table}: {why}"
    if connection.execute("PRAGMA foreign_key_check").get is not None:
        return "rows without their file"
    if path := connection.execute(_HALF_A_FILE).get:
        return f"some rows of {path} are missing"
    return None


def _text_complaint(connection: apsw.Connection, *, compare: bool, suspect: bool) -> str | None:
    if not _exists(connection, FTS_TABLE):
        return "it is missing"
    try:
        glance(connection)
        if compare:
            connection.execute(_COMPARE).fetchall()
    except (apsw.CorruptError, apsw.SQLError) as error:
        return str(error)
    return _complaint(connection, f"PRAGMA integrity_check({FTS_TABLE})") if suspect else None


def _tables(connection: apsw.Connection) -> tuple[str, ...]:
    return schema.tables_of(connection.pragma("user_version"))


def _exists(connection: apsw.Connection, table: str) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = ?", (table,)).get)


def _complaint(connection: apsw.Connection, check: str) -> str | None:
    """Return the first thing that a check finds, on one line; None if all is well."""
    try:
        found = str(connection.execute(check).get)
    except (apsw.CorruptError, apsw.SQLError) as error:  # SQLError: a virtual table that cannot be opened
        return str(error)
    return None if found == "ok" else " ".join(found.split())
