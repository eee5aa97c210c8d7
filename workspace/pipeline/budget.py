"""Bounds the memory of a run: how much text is between reading and commit at any time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

IN_FLIGHT_BYTES: Final = 16 * 1_048_576
"""Text objects in flight, in bytes. Enough that no stage starves, small beside the interpreter and its workers.
A single document above it is admitted when nothing else is in flight."""


class ByteBudget:
    """Admits documents while their texts fit in `limit` bytes. One thread admits; any thread settles.

    `on_wait` is called when a document has to wait, so that what is finished is settled soon. It must not wait itself.
    """

    def __init__(self, limit: int, *, on_wait: Callable[[], None] = lambda: None) -> None:
        self._limit = limit
        self._on_wait = on_wait
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._open = False
        self._changed = threading.Condition()

    def fits(self, size: int) -> bool:
        """Tell whether `size` bytes would be admitted without waiting."""
        return self._open or not self._sizes or self._total + size <= self._limit

    def admit(self, path: str, size: int) -> None:
        """Count `size` bytes for `path`, waiting until they fit (or nothing else is in flight)."""
        with self._changed:
            if not self.fits(size):
                self._on_wait()
                self._changed.wait_for(lambda: self.fits(size))
            self._set(path, size)

    def resize(self, path: str, size: int) -> None:
        """Correct the estimate that `path` was admitted with, without waiting."""
        with self._changed:
            self._set(path, size)

    def settle(self, path: str) -> None:
        """Forget `path`: it is committed, skipped or failed. Harmless for one that was never admitted."""
        if path not in self._sizes:
            return  # an unchanged file, and there may be a million
        with self._changed:
            self._total -= self._sizes.pop(path, 0)
            self._changed.notify_all()

    def open(self) -> None:
        """Let everybody pass from now on: the run is ending, and nobody may wait for what will not be settled."""
        with self._changed:
            self._open = True
            self._changed.notify_all()

    def _set(self, path: str, size: int) -> None:
        self._total += size - self._sizes.get(path, 0)
        self._sizes[path] = size
