"""The read stage: from a candidate to its text, its hash, and the word whether anything has changed."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import stat
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workspace.pipeline.decode import decode
from workspace.pipeline.items import Candidate, Document, Failed, Refreshed, Skipped, SkipReason
from workspace.types import FileStat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workspace.pipeline.budget import ByteBudget
    from workspace.pipeline.items import Item
    from workspace.types import Known

log = logging.getLogger(__name__)

RACY_NS: Final = 2_000_000_000
"""A file that changed so shortly before it was looked at may change again within the same tick of its file system's
clock, FAT's being the coarsest: its stat proves nothing. Git calls such files racy."""

READ_SIZE: Final = 65_536
"""Bytes asked for at a time beyond the size that a file had when it was opened."""

_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # a link that took the file's place may lead out of the root
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO that did would wait for a writer
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_REPLACED: Final = {
    errno.ELOOP: "it has become a symbolic link",
    errno.ENXIO: "it is no regular file any more",
}
"""Errors which say that something else has taken the place of the file. Opening a socket is ENXIO, too."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What reading depends on. `signature` is that of the configuration; `verify` trusts no stat."""

    max_file_bytes: int
    signature: str
    verify: bool


@dataclass(frozen=True, slots=True)
class _Content:
    """The bytes of a file, and a stat that equals a later one only if they are still the same."""

    data: bytes
    stat: FileStat
    verified_ns: int


def read_all(
    batches: Iterable[list[Item]], known: dict[str, Known], options: ReadOptions, budget: ByteBudget
) -> Iterator[list[Item]]:
    """Turn each candidate of `batches` into what became of it; everything else passes.

    Every file whose rows are to stay or to be replaced is taken out of `known`: the rest is to be pruned. A document is
    counted against `budget` before it is read. What has been read is handed on before waiting for room, since only
    others can make it.
    """
    for batch in batches:
        items: list[Item] = []
        for item in batch:
            if not isinstance(item, Candidate):
                items.append(item)
                continue
            before = known.pop(item.path, None)
            if unchanged(item, before, options):
                items.append(Skipped(item.path, SkipReason.UNCHANGED))
                continue
            if items and not budget.fits(item.stat.size_bytes):
                yield items
                items = []
            outcome = _read_within(budget, item, before, options)
            if before and isinstance(outcome, Skipped):
                known[item.path] = before
            items.append(outcome)
        if items:
            yield items


def _read_within(
    budget: ByteBudget, candidate: Candidate, known: Known | None, options: ReadOptions
) -> Document | Refreshed | Skipped | Failed:
    budget.admit(candidate.path, candidate.stat.size_bytes)
    outcome = read(candidate, known, options)
    if isinstance(outcome, Document):
        budget.resize(candidate.path, sys.getsizeof(outcome.text))
    else:
        budget.settle(candidate.path)
    return outcome


def unchanged(candidate: Candidate, known: Known | None, options: ReadOptions) -> bool:
    """Tell from the stat alone that a file is as it was indexed, under the same configuration and root."""
    return (
        known is not None
        and not options.verify
        and known.stat == candidate.stat
        and known.config_signature == options.signature
        and known.root == candidate.root
        and known.verified_ns - known.stat.mtime_ns > RACY_NS
    )


def read(candidate: Candidate, known: Known | None, options: ReadOptions) -> Document | Refreshed | Skipped | Failed:
    """Read, hash and decode a file, whatever its stat says. Trouble with it is an outcome, never an exception.

    A file that cannot be read keeps its rows, unless its content is known to be gone: it was deleted or replaced by
    something else, or it has changed and cannot be decoded.
    """
    try:
        descriptor = os.open(candidate.path, _FLAGS)
    except OSError as error:
        return _failed(candidate.path, "open", error)
    try:
        content = _content(descriptor, options.max_file_bytes)
    except OSError as error:
        return _failed(candidate.path, "read", error)
    finally:
        os.close(descriptor)
    if content is None:
        return Skipped(candidate.path, SkipReason.OVERSIZED)
    return _outcome(candidate, known, options, content)


def _outcome(
    candidate: Candidate, known: Known | None, options: ReadOptions, content: _Content
) -> Document | Refreshed | Skipped | Failed:
    digest = hashlib.sha256(content.data).hexdigest()
    is_changed = known is not None and known.content_hash != digest
    if known and not is_changed and (known.config_signature, known.root) == (options.signature, candidate.root):
        return Refreshed(candidate.path, content.stat, content.verified_ns)
    if not content.data:
        return Skipped(candidate.path, SkipReason.EMPTY)
    try:
        decoded = decode(content.data)
    except Exception as error:  # whatever a decoder stumbles over costs this file, not the run
        log.debug("cannot decode %s", candidate.path, exc_info=True)
        message = f"cannot decode the file: {error}"
        return Failed(candidate.path, "read", type(error).__name__, message, rows_are_gone=is_changed)
    if decoded is None:
        return Skipped(candidate.path, SkipReason.BINARY_CONTENT)
    if not decoded.text or decoded.text.isspace():
        return Skipped(candidate.path, SkipReason.BLANK)
    fresh = Candidate(candidate.path, candidate.root, content.stat, content.verified_ns)
    return Document(fresh, digest, decoded.text, decoded.encoding)


def _content(descriptor: int, limit: int) -> _Content | None:
    """Read an open file; None if it holds more than `limit` bytes.

    Of a file that changes while it is read, the earlier stat is kept, and marked as one that proves nothing.
    """
    verified_ns = time.time_ns()
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        raise OSError(errno.ENXIO, _REPLACED[errno.ENXIO])
    if before.st_size > limit:
        return None
    data = _bytes(descriptor, before.st_size, limit + 1)
    if len(data) > limit:
        return None
    identity = _identity(before)
    if _identity(os.fstat(descriptor)) != identity:
        verified_ns = min(verified_ns, before.st_mtime_ns)
    return _Content(data, identity, verified_ns)


def _bytes(descriptor: int, size: int, most: int) -> bytes:
    """Read to the end of a file of about `size` bytes, or `most` bytes."""
    parts = []
    wanted = size + 1
    while part := os.read(descriptor, min(wanted, most)):
        parts.append(part)
        most -= len(part)
        wanted = max(wanted - len(part), READ_SIZE)
    return b"".join(parts)


def _identity(status: os.stat_result) -> FileStat:
    return FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _failed(path: str, operation: str, error: OSError) -> Failed:
    is_gone = error.errno in _REPLACED or (isinstance(error, FileNotFoundError | NotADirectoryError) and _is_gone(path))
    why = _REPLACED.get(error.errno or 0) or error.strerror or str(error)
    return Failed(path, "read", type(error).__name__, f"cannot {operation} the file: {why}", rows_are_gone=is_gone)


def _is_gone(path: str) -> bool:
    """Tell a file that vanished from a whole tree out of reach: its directory is still there and holds something.

    An unmounted disk leaves an empty directory behind, or none at all. What became of its files is for discovery to
    say, on the next run.
    """
    try:
        return any(Path(path).parent.iterdir())
    except OSError as error:
        return isinstance(error, NotADirectoryError)
