"""The database's tables, and the question whether a file holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workspace.types import Condition, IndexUnusable

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

APPLICATION_ID: Final = int.from_bytes(b"HWsp")
"""``PRAGMA application_id`` of our files: tells them from any other SQLite database."""

SCHEMA_VERSION: Final = 2
"""``PRAGMA user_version``. Raised by every change that older versions could not work with, or that needs more than a
column with a default; it brings its step in `migrations`."""

FTS_TABLE: Final = "chunks_fts"
"""The full-text index, all of it made from `chunks`; its shadow tables begin with this name and an underscore."""

FTS_COLUMNS: Final = ("content", "headings", "path_terms", "symbols")
"""The searched columns, in the order that weights of ``bm25()`` follow."""

FTS_TOKENIZER: Final = ("porter", "unicode61", "remove_diacritics", "2")
"""What makes terms of text: words without diacritics, stemmed by the rules of Porter for English."""

_FTS_SETTINGS: Final = (
    ("automerge", 12),  # merge less often than by default (4): a batch is already a large segment
    ("hashsize", 8 * 1024 * 1024),  # hold a whole batch in memory (default 1 MB) and write it as one segment
)
"""Together a sixth more throughput on the Linux documentation (43 to 50 MB/s); searches are not slower."""

_NAMES: Final = ", ".join(FTS_COLUMNS)
_NEW: Final = ", ".join(f"new.{name}" for name in FTS_COLUMNS)
_OLD: Final = ", ".join(f"old.{name}" for name in FTS_COLUMNS)

# The text stands once, in `chunks`; FTS5 holds only its index (external content). An entry of that index can be
# taken out only with the very values it was made from, hence triggers: nothing that changes `chunks` can forget it.
_UNINDEX: Final = f"INSERT INTO chunks_fts(chunks_fts, rowid, {_NAMES}) VALUES ('delete', old.id, {_OLD});"
_INDEX: Final = f"INSERT INTO chunks_fts(rowid, {_NAMES}) VALUES (new.id, {_NEW});"

FTS_DDL: Final = (
    f"""
    CREATE VIRTUAL TABLE {FTS_TABLE} USING fts5(
        {_NAMES}, content='chunks', content_rowid='id', tokenize='{" ".join(FTS_TOKENIZER)}'
    )
    """,
    *(f"INSERT INTO {FTS_TABLE}({FTS_TABLE}, rank) VALUES ('{name}', {value})" for name, value in _FTS_SETTINGS),
)

TABLES: Final = {
    "meta": """
    CREATE TABLE meta (
        key   TEXT NOT NULL PRIMARY KEY,
        value TEXT NOT NULL
    )
    """,
    "files": """
    CREATE TABLE files (
        abs_path         TEXT    NOT NULL PRIMARY KEY,
        root_path        TEXT    NOT NULL,
        content_hash     TEXT    NOT NULL,
        config_signature TEXT    NOT NULL,
        size_bytes       INTEGER NOT NULL,
        mtime_ns         INTEGER NOT NULL,
        ctime_ns         INTEGER NOT NULL,
        inode            INTEGER NOT NULL,
        verified_ns      INTEGER NOT NULL,
        modified_at      TEXT    NOT NULL,
        indexed_at       TEXT    NOT NULL,
        encoding         TEXT    NOT NULL,
        chunk_count      INTEGER NOT NULL
    )
    """,
    "chunks": """
    CREATE TABLE chunks (
        id          INTEGER PRIMARY KEY,
        chunk_id    TEXT    NOT NULL UNIQUE,
        abs_path    TEXT    NOT NULL REFERENCES files ON DELETE CASCADE,
        chunk_index INTEGER NOT NULL,
        content     TEXT    NOT NULL,
        token_count INTEGER NOT NULL,
        start_line  INTEGER NOT NULL,
        end_line    INTEGER NOT NULL,
        start_char  INTEGER NOT NULL,
        end_char    INTEGER NOT NULL,
        section     TEXT,
        kind        TEXT    NOT NULL,
        headings    TEXT    NOT NULL,
        path_terms  TEXT    NOT NULL,
        symbols     TEXT    NOT NULL,
        UNIQUE (abs_path, chunk_index)
    )
    """,
    # Contents that no chunker could cut, under a configuration: not tried again until either changes.
    "failures": """
    CREATE TABLE failures (
        content_hash     TEXT NOT NULL,
        config_signature TEXT NOT NULL,
        error_type       TEXT NOT NULL,
        message          TEXT NOT NULL,
        PRIMARY KEY (content_hash, config_signature)
    ) WITHOUT ROWID
    """,
}
"""What cannot be made from anything else in the database, and the text that `migrations.reconcile` goes by."""

_SINCE: Final = {"failures": 2}
"""The version that brought a table, for those that not every version has."""

_DDL: Final = (
    *TABLES.values(),
    *FTS_DDL,
    f"CREATE TRIGGER chunks_inserted AFTER INSERT ON chunks BEGIN {_INDEX} END",
    f"CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN {_UNINDEX} END",
    f"CREATE TRIGGER chunks_updated AFTER UPDATE ON chunks BEGIN {_UNINDEX} {_INDEX} END",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


def holds_index(connection: apsw.Connection, path: Path) -> bool:
    """Say whether the database at `path` holds our tables; False means that it is empty. Only reads.

    Raises `IndexUnusable` for a database that is another program's, or comes from a newer version.
    """
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    application = connection.pragma("application_id")
    version = connection.pragma("user_version")
    if application == APPLICATION_ID and version > SCHEMA_VERSION:
        raise IndexUnusable(
            Condition.NEWER,
            f"{path} was written by a newer version of hermes-workspace"
            f" (schema {version}, this one knows {SCHEMA_VERSION}); update it, or use another workspace",
        )
    if application != APPLICATION_ID and tables:
        raise IndexUnusable(
            Condition.FOREIGN, f"{path} is a database of another program; move it away, and index again"
        )
    return bool(tables)


def tables_of(version: int) -> tuple[str, ...]:
    """Return the names of the tables that a database of this version has, the full-text index aside."""
    return tuple(name for name in TABLES if _SINCE.get(name, 1) <= version)


def create(connection: apsw.Connection) -> None:
    """Make the tables in an empty database; the caller's transaction makes it all or none."""
    for statement in _DDL:
        connection.execute(statement).fetchall()
