"""What there is to tell of a database: its state, its size, and what it holds of each root."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import apsw

from workspace.storage.connection import companion, file_size, open_reader
from workspace.storage.health import inspect, leave_doubt
from workspace.storage.reader import last_run, totals_by_root
from workspace.types import Condition, IndexStatus, RootStatus, WorkspaceError

if TYPE_CHECKING:
    from pathlib import Path

    from workspace.types import Root


def index_status(path: Path, roots: tuple[Root, ...]) -> IndexStatus:
    """Return the state of the database at `path`, and what it holds of `roots`. Never raises for a bad database."""
    health = inspect(path)
    if health.condition in {Condition.DAMAGED, Condition.TEXT_INDEX_DAMAGED}:
        leave_doubt(path)
    version, contents = None, [RootStatus(root.path, root.recursive, None, None, None, None) for root in roots]
    with contextlib.suppress(apsw.Error, WorkspaceError):
        connection = open_reader(path)
        if connection is not None:
            with contextlib.closing(connection):
                version = connection.pragma("user_version")
                contents = _contents(connection, roots)
    return IndexStatus(
        database=str(path),
        database_bytes=_bytes(path),
        schema_version=version,
        healthy=health.condition is Condition.HEALTHY,
        condition=health.condition,
        message=health.message,
        roots=tuple(contents),
    )


def _contents(connection: apsw.Connection, roots: tuple[Root, ...]) -> list[RootStatus]:
    totals, last = totals_by_root(connection), last_run(connection)
    errors = last.errors if last else {}
    return [
        RootStatus(
            root.path,
            root.recursive,
            *totals.get(root.path, (0, 0)),
            errors.get(root.path),
            last.ended_at if last and root.path in errors else None,
        )
        for root in roots
    ]


def _bytes(path: Path) -> int:
    total = 0
    for suffix in ("", "-wal"):
        with contextlib.suppress(OSError):
            total += file_size(companion(path, suffix))
    return total
