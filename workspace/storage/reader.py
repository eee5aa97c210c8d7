"""What an index run asks the database before it starts. The SQL of searches is the query package's."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING

from workspace.types import FileStat, Known

if TYPE_CHECKING:
    import apsw


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
