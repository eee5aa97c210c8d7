"""Opening the database, to write or only to read."""

from __future__ import annotations

import contextlib
import os
import random
import time
from typing import TYPE_CHECKING, Final

import apsw

from workspace.constants import LOCK_NAME
from workspace.storage import schema
from workspace.storage.lock import HOLDER_NAME
from workspace.storage.migrations import migrate
from workspace.storage.transaction import transaction
from workspace.storage.trouble import explained
from workspace.types import WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_BUSY_SECONDS: Final = 5.0
"""How long to wait for a foreign transaction (a shell, a backup). Readers of a WAL database need it only while
another connection opens or closes the file; our own index runs exclude each other by a lock."""

_RETRY_SECONDS: Final = (0.001, 0.05)
"""Bounds of the random time until the next attempt: those who wait for the same thing must not come in step."""

_WRITER_PRAGMAS: Final = (
    ("journal_mode", "wal"),  # readers go on while we write
    ("synchronous", "normal"),  # a power cut may cost the last batches, never the file
    ("foreign_keys", True),
    ("cache_size", -16 * 1024),  # KiB; pages that merges and deletions in a large index come back to
    # Pages, two batches; with the default of 1,000 every commit pays for a checkpoint: 5 % slower.
    ("wal_autocheckpoint", 4_000),
)

COMPANIONS: Final = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite may keep beside a database."""

_NO_SHARED_MEMORY: Final = (apsw.CantOpenError, apsw.ReadOnlyError)
"""How SQLite refuses a plain read-only connection where it can make no -shm beside the file."""


def open_writer(path: Path) -> apsw.Connection:
    """Open the database for writing, brought to the present schema; make it, for its owner alone, if there is none.

    The caller holds the index lock and closes the connection. Nothing is written to a file that is not ours.
    Raises `WorkspaceError` if the file cannot be used; where the file itself is to blame, `IndexUnusable`.
    """
    try:
        _make_private(path)
        connection = _connect(path, "rw")
        with _closed_on_error(connection):
            _prepare(connection, path)
    except (OSError, apsw.Error) as error:
        raise explained(error, path, "write") from error
    return connection


def open_checker(path: Path) -> apsw.Connection:
    """Open an existing database as it is, for checks that only a writing connection may run. Changes nothing.

    Raises as `open_writer` does. The caller closes the connection.
    """
    try:
        connection = _connect(path, "rw")
        with _closed_on_error(connection):
            schema.holds_index(connection, path)
    except (OSError, apsw.Error) as error:
        raise explained(error, path, "write") from error
    return connection


def open_reader(path: Path) -> apsw.Connection | None:
    """Open the database read-only, or return None where there is no index yet. Writes nothing, makes nothing.

    An index run in progress is no obstacle: the connection sees what was last committed. The caller closes it.
    Raises `WorkspaceError` if the file cannot be used; where the file itself is to blame, `IndexUnusable`.
    """
    try:
        if file_size(path) == 0:
            return None
        try:
            return _open_to_read(path, "ro")
        except _NO_SHARED_MEMORY as error:
            if os.access(path, os.R_OK) and file_size(companion(path, "-wal")):
                raise WorkspaceError(
                    f"cannot read the index {path}: an interrupted run left changes in its -wal file,"
                    " and they can only be read where the directory is writable"
                ) from error
            return _open_to_read(path, "ro&immutable=1")
    except (OSError, apsw.Error) as error:
        raise explained(error, path, "read") from error


def private_file_ids(path: Path) -> frozenset[tuple[int, int]]:
    """Return device and inode of every file that belongs to the database at `path`, as far as they exist.

    Nobody else may open them: closing any descriptor of the database drops the locks that SQLite holds on it.
    """
    files = [companion(path, suffix) for suffix in ("", *COMPANIONS)]
    files += [path.with_name(name) for name in (LOCK_NAME, HOLDER_NAME)]
    found = set()
    for file in files:
        with contextlib.suppress(OSError):
            status = file.stat()
            found.add((status.st_dev, status.st_ino))
    return frozenset(found)


def _make_private(path: Path) -> None:
    """Make an empty file of mode 0600, whatever the umask; SQLite gives -wal and -shm the mode of the database.

    An existing file is not opened here, see `private_file_ids`.
    """
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, 0o600)
        finally:
            os.close(descriptor)


def _connect(path: Path, mode: str) -> apsw.Connection:
    # A URI carries any file name, whatever its characters and bytes; its mode counts only within the flags.
    flags = apsw.SQLITE_OPEN_READWRITE if mode == "rw" else apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(f"{path.absolute().as_uri()}?mode={mode}", flags | apsw.SQLITE_OPEN_URI)
    connection.set_busy_handler(_patience())
    return connection


def _patience() -> Callable[[int], bool]:
    """Return a busy handler: it waits a while and says whether SQLite shall try again."""
    since = 0.0

    def wait(attempts: int) -> bool:
        nonlocal since
        if not attempts:
            since = time.monotonic()
        time.sleep(random.uniform(*_RETRY_SECONDS))  # noqa: S311 - no secret
        return time.monotonic() - since < _BUSY_SECONDS

    return wait


def _prepare(connection: apsw.Connection, path: Path) -> None:
    if connection.readonly("main"):  # what SQLite makes of a file it may not write
        raise apsw.ReadOnlyError("it is read-only")
    # Looked at before the pragmas are set: a journal mode is written into the file.
    fresh = not schema.holds_index(connection, path)
    for name, value in _WRITER_PRAGMAS:
        connection.pragma(name, value)
    if fresh:
        with transaction(connection):
            schema.create(connection)
    else:
        migrate(connection)


def _open_to_read(path: Path, mode: str) -> apsw.Connection | None:
    connection = _connect(path, mode)
    with _closed_on_error(connection):
        if schema.holds_index(connection, path):
            return connection
    connection.close()
    return None


@contextlib.contextmanager
def _closed_on_error(connection: apsw.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def companion(path: Path, suffix: str) -> Path:
    """Name a file that SQLite keeps beside the database: beside the real one, where `path` is a symlink."""
    real = path.resolve()
    return real.with_name(real.name + suffix)


def file_size(path: Path) -> int:
    """Return the size of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
