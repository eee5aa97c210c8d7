"""What is asked of the database besides searches, whose SQL is the query package's."""

from __future__ import annotations

import json
from sys import intern
from typing import TYPE_CHECKING, Final

from workspace.types import FileStat, Known, LastRun

if TYPE_CHECKING:
    import apsw

LAST_RUN_KEY: Final = "last_run"
"""The key in ``meta`` under which a run leaves `LastRun`, as JSON."""


def known_files(connection: apsw.Connection) -> dict[str, Known]:
    """Return every stored file by its absolute path."""
    rows = connection.execute(
        "SELECT abs_path, size_bytes, mtime_ns, ctime_ns, inode, content_hash, config_signature, root_path, verified_ns"
        " FROM files"
    )
    # Roots and signatures are few: one string each, whatever the number of files. Inodes are unsigned.
    return {
        path: Known(
            FileStat(size, mtime, ctime, inode % 2**64), content_hash, intern(signature), intern(root), verified
        )
        for path, size, mtime, ctime, inode, content_hash, signature, root, verified in rows
    }


def get_meta(connection: apsw.Connection, key: str) -> str | None:
    """Return what the ``meta`` table holds under `key`, if anything."""
    value: str | None = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
    return value


def last_run(connection: apsw.Connection) -> LastRun | None:
    """Return what the last run that came to its end has left, if any has."""
    stored = get_meta(connection, LAST_RUN_KEY)
    return LastRun(**json.loads(stored)) if stored else None


def totals_by_root(connection: apsw.Connection) -> dict[str, tuple[int, int]]:
    """Return the number of files and of rows of each root that has any."""
    rows = connection.execute("SELECT root_path, count(*), sum(chunk_count) FROM files GROUP BY root_path")
    return {root: (files, chunks) for root, files, chunks in rows}
