"""Discovery: from the roots to the files that are wanted, and to what could not be looked at."""

from __future__ import annotations

import os
import stat
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workspace.constants import BINARY_SUFFIXES, DEFAULT_IGNORE, IGNORE_FILES, NEVER_ENTERED
from workspace.pipeline.coverage import Coverage
from workspace.pipeline.ignore import Rules
from workspace.pipeline.ignore_source import own_ignore_file
from workspace.pipeline.items import Candidate, Failed, Skipped, SkipReason
from workspace.types import FileStat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from workspace.types import Root

__all__ = ["Coverage", "DiscoverOptions", "discover"]

BATCH_SIZE: Final = 64
"""Items with which a batch is handed over: enough to make that cheap, few enough to bound what is in flight. Those of
several small directories share one; it holds less than twice as many."""

FILE_SYSTEM_ENCODING: Final = sys.getfilesystemencoding()
NEVER_ENTERED_NAMES: Final = frozenset(map(os.fsencode, NEVER_ENTERED))
IGNORE_FILE_NAMES: Final = frozenset(map(os.fsencode, IGNORE_FILES))
NEVER_LISTED_NAMES: Final = IGNORE_FILE_NAMES | {b".git"}
"""Files that no rule can open. A linked work tree has a file ``.git``, and git does not list that either."""


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """What to look for.

    `roots` are resolved; a file belongs to the first that lists it. A file of exactly `max_file_bytes` is wanted.
    `private_files` are (st_dev, st_ino) of files never to be opened: our database and what lies beside it.
    `root_devices` is the st_dev that each root had when it was last indexed.
    """

    roots: tuple[Root, ...]
    max_file_bytes: int
    private_files: frozenset[tuple[int, int]]
    root_devices: Mapping[str, int]


def discover(
    options: DiscoverOptions, coverage: Coverage, *, warn: Callable[[str], None]
) -> Iterator[list[Candidate | Skipped | Failed]]:
    """Yield what the roots hold, in batches and in a stable order: root by root, files before directories, by name.

    What is ignored is not yielded, and no file is yielded twice. `coverage` is complete when the iterator has ended.
    Nothing but ignore files is opened, and no symbolic link below a root is followed.
    """
    claimed: set[str] = set()  # of the paths that several roots can list, those that one has listed
    batch: list[Candidate | Skipped | Failed] = []
    for index, root in enumerate(options.roots):
        overlaps = _overlaps(root, options.roots[:index] + options.roots[index + 1 :])
        for found in _Walk(options, root, coverage, warn).batches():
            fresh = [item for item in found if item.path not in claimed]
            claimed.update(item.path for item in fresh if item.path.startswith(overlaps))
            batch += fresh
            if len(batch) >= BATCH_SIZE:
                yield batch
                batch = []
    if batch:
        yield batch


def _overlaps(root: Root, others: Iterable[Root]) -> tuple[str, ...]:
    """Return the beginnings of all paths that one of the others could list as well as `root`."""
    own = _with_separator(root.path)
    pairs = ((own, _with_separator(other.path)) for other in others)
    return tuple(max(pair, key=len) for pair in pairs if pair[0].startswith(pair[1]) or pair[1].startswith(pair[0]))


def _with_separator(path: str) -> str:
    return path if path.endswith(os.sep) else path + os.sep


@dataclass(frozen=True, slots=True)
class _Folder:
    """A directory that is wanted. Its paths end with a separator; `inside` is the one below the root, for `Rules`.

    `parent_rules` is None for a root.
    """

    path: str
    inside: bytes
    parent_rules: Rules | None


@dataclass(frozen=True, slots=True)
class _Listing:
    """What is wanted of a directory: names in order, the rules that chose them, and what nobody can tell."""

    folder: _Folder
    rules: Rules
    files: list[bytes]
    folders: list[bytes]
    unclear: list[Failed]


class _Walk:
    """The walk through one root."""

    def __init__(self, options: DiscoverOptions, root: Root, coverage: Coverage, warn: Callable[[str], None]) -> None:
        self._options = options
        self._root = root
        self._coverage = coverage
        self._warn = warn

    def batches(self) -> Iterator[list[Candidate | Skipped | Failed]]:
        """Walk depth-first. No more is held than a list of names for each level, and nothing recurses."""
        top = _Folder(_with_separator(self._root.path), b"", None)
        levels: list[Iterator[_Folder | Failed]] = [iter((top,))]
        while levels:
            folder = next(levels[-1], None)
            if folder is None:
                levels.pop()
                continue
            listing = folder if isinstance(folder, Failed) else self._list(folder)
            if isinstance(listing, Failed):
                yield [listing]
                continue
            yield from self._files(listing)
            levels.append(_inner_folders(listing))

    def _list(self, folder: _Folder) -> _Listing | Failed:
        """List a directory to its end, or say why not: half a listing might lack the ignore file."""
        is_root = folder.parent_rules is None
        path = self._root.path if is_root else folder.path.removesuffix(os.sep)
        try:
            device = _device_of_root(path) if is_root else None
            with os.scandir(os.fsencode(folder.path)) as entries:
                found = list(entries)
        except (OSError, ValueError) as error:  # ValueError: a root whose path can be no path
            if is_root or not isinstance(error, FileNotFoundError | NotADirectoryError):
                self._coverage.note_out_of_reach(path, recursive=self._root.recursive)
            return _failed(path, error, "this directory cannot be listed")
        if device is not None:
            self._note_root(device, is_empty=not found)
        return self._choose(folder, found)

    def _note_root(self, device: int, *, is_empty: bool) -> None:
        path = self._root.path
        if is_empty and device != self._options.root_devices.get(path, device):
            self._coverage.note_out_of_reach(path, recursive=self._root.recursive)
            self._warn(f"{path}: empty, and not the disk that was there; what is indexed of it stays")
        else:
            self._coverage.note_root(self._root, device)

    def _choose(self, folder: _Folder, entries: list[os.DirEntry[bytes]]) -> _Listing:
        rules = self._rules(folder, IGNORE_FILE_NAMES.intersection([entry.name for entry in entries]))
        listing = _Listing(folder, rules, [], [], [])
        for entry in entries:
            name = entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if self._enters(name) and not rules.ignore_folder(folder.inside, name):
                        listing.folders.append(name)
                elif not rules.ignore_file(folder.inside, name) and entry.is_file(follow_symlinks=False):
                    listing.files.append(name)
            except OSError as error:
                listing.unclear.append(self._lost(folder.path + _shown(name), error))
        listing.files.sort()
        listing.folders.sort()
        return listing

    def _enters(self, name: bytes) -> bool:
        return self._root.recursive and name not in NEVER_ENTERED_NAMES

    def _rules(self, folder: _Folder, names: frozenset[bytes]) -> Rules:
        """Return the rules for the entries of a folder, of which `names` are called like ignore files."""
        source = own_ignore_file(folder.path, names, private_files=self._options.private_files, warn=self._warn)
        if source is None and folder.parent_rules is not None:
            return folder.parent_rules
        path, content = source or ("built-in rules", DEFAULT_IGNORE.encode())

        def complain(number: int, trouble: str) -> None:
            self._warn(f"{path}:{number}: {trouble}")

        if folder.parent_rules is None:
            return Rules.of_root(content, complain)
        return folder.parent_rules.in_folder(folder.inside, content, complain)

    def _files(self, listing: _Listing) -> Iterator[list[Candidate | Skipped | Failed]]:
        for start in range(0, len(listing.unclear), BATCH_SIZE):
            yield [*listing.unclear[start : start + BATCH_SIZE]]
        for start in range(0, len(listing.files), BATCH_SIZE):
            verified_ns = time.time_ns()
            looked_at = [
                self._look(listing.folder, raw, verified_ns) for raw in listing.files[start : start + BATCH_SIZE]
            ]
            if batch := [item for item in looked_at if item is not None]:
                yield batch

    def _look(self, folder: _Folder, raw: bytes, verified_ns: int) -> Candidate | Skipped | Failed | None:
        """Tell what a file is that no rule ignores; None if it is not to be touched, nor counted."""
        if raw in NEVER_LISTED_NAMES:
            return None
        try:
            path = folder.path + raw.decode(FILE_SYSTEM_ENCODING)
        except UnicodeDecodeError as error:
            return _undecodable(folder, raw, error)
        if _has_binary_suffix(path):
            return Skipped(path, SkipReason.BINARY_SUFFIX)
        try:
            return self._judge(path, os.lstat(path), verified_ns)
        except OSError as error:
            return self._lost(path, error)

    def _judge(self, path: str, status: os.stat_result, verified_ns: int) -> Candidate | Skipped | None:
        if not stat.S_ISREG(status.st_mode) or (status.st_dev, status.st_ino) in self._options.private_files:
            return None
        if status.st_size == 0:
            return Skipped(path, SkipReason.EMPTY)
        if status.st_size > self._options.max_file_bytes:
            return Skipped(path, SkipReason.OVERSIZED)
        identity = FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        return Candidate(path, self._root.path, identity, verified_ns)

    def _lost(self, path: str, error: OSError) -> Failed:
        """Report an entry whose status cannot be had. If it is gone, nothing of it is to be kept."""
        is_gone = isinstance(error, FileNotFoundError | NotADirectoryError)
        if not is_gone:
            self._coverage.note_out_of_reach(path)
        return _failed(path, error, "this file has vanished" if is_gone else "its status cannot be read", gone=is_gone)


def _inner_folders(listing: _Listing) -> Iterator[_Folder | Failed]:
    for raw in listing.folders:
        try:
            path = listing.folder.path + raw.decode(FILE_SYSTEM_ENCODING) + os.sep
        except UnicodeDecodeError as error:
            yield _undecodable(listing.folder, raw, error)
        else:
            yield _Folder(path, listing.folder.inside + raw + b"/", listing.rules)


def _device_of_root(path: str) -> int:
    path.encode()  # raises for a path that is not valid UTF-8: no file below it could be stored
    return Path(path).stat().st_dev


def _has_binary_suffix(path: str) -> bool:
    dot = path.rfind(".", path.rfind(os.sep) + 2)  # a dot that starts the name starts no suffix
    return dot > 0 and path[dot:].lower() in BINARY_SUFFIXES


def _shown(name: bytes) -> str:
    return name.decode(FILE_SYSTEM_ENCODING, "backslashreplace")


def _undecodable(folder: _Folder, raw: bytes, error: UnicodeDecodeError) -> Failed:
    message = f"its name is not valid {FILE_SYSTEM_ENCODING.upper()}"
    return Failed(folder.path + _shown(raw), "discover", type(error).__name__, message)


def _failed(path: str, error: OSError | ValueError, trouble: str, *, gone: bool = False) -> Failed:
    shown = path.encode(errors="backslashreplace").decode()
    why = error.strerror if isinstance(error, OSError) else str(error)
    return Failed(shown, "discover", type(error).__name__, f"{trouble}: {why}", rows_are_gone=gone)
