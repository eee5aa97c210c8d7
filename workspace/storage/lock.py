"""The lock that keeps index runs on one database apart."""

from __future__ import annotations

import contextlib
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from workspace.constants import LOCK_NAME
from workspace.types import IndexLocked, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOLDER_NAME: Final = "workspace.lock-holder"
"""The file that says who holds the lock. Not the lock file itself, which filelock may truncate at any attempt.
Only the lock counts: a holder file that a killed process left behind says nothing."""

_POLL_SECONDS: Final = 0.1
"""How often a waiting run tries again."""


@contextlib.contextmanager
def index_lock(directory: Path, wait: float = 0.0) -> Iterator[None]:
    """Hold the index lock of `directory`, an existing directory; try for `wait` seconds to get it.

    The system frees the lock of a process that dies. Child processes do not inherit it, unless by a bare fork.
    Raises `IndexLocked`, naming the holder, or `WorkspaceError` where no lock can be had at all.
    """
    from filelock import FileLock, Timeout  # takes 40 ms, which a search should not pay

    path = directory / LOCK_NAME
    lock = FileLock(path, timeout=max(wait, 0.0), mode=0o600, thread_local=False)
    try:
        lock.acquire(poll_interval=_POLL_SECONDS)
    except Timeout as error:
        raise IndexLocked(f"the index in {directory} is in use by {_holder(directory)}") from error
    except (OSError, NotImplementedError) as error:
        raise WorkspaceError(f"cannot lock the index {path}: {error}") from error
    try:
        with _named_holder(directory / HOLDER_NAME):
            yield
    finally:
        lock.release()


@contextlib.contextmanager
def _named_holder(path: Path) -> Iterator[None]:
    """Tell others who we are for as long as the block runs; a failure to do so is none of the run."""
    with contextlib.suppress(OSError):
        _write_private(path, json.dumps({"pid": os.getpid(), "since": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"}))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _holder(directory: Path) -> str:
    """Describe the process that holds the lock, as far as it is known."""
    try:
        found = json.loads((directory / HOLDER_NAME).read_text(encoding="utf-8"))
        return f"another run (process {found['pid']}, since {found['since']})"
    except (OSError, ValueError, LookupError, TypeError):
        return "another run"
