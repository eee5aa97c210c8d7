"""The ignore file of a directory: which one counts, and how it is read."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from workspace.constants import IGNORE_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

MAX_IGNORE_BYTES: Final = 1_048_576
"""Size of the largest ignore file read. Nobody writes a longer one, and compiling it could take minutes."""

OPEN_FLAGS: Final = (
    os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
)
"""Neither a link nor a pipe that takes the file's place in the last moment is followed or waited for."""


class UnusableIgnoreFileError(Exception):
    """There is an ignore file, but not one to be read; the text says why."""


def own_ignore_file(
    folder: str,
    names: Collection[bytes],
    *,
    private_files: frozenset[tuple[int, int]],
    warn: Callable[[str], None],
) -> tuple[str, bytes] | None:
    """Return path and content of the ignore file that counts in `folder` (a path that ends with a separator).

    `names` are the entries of the folder that may be one. One that cannot be read counts as not there, with a warning;
    a symbolic link is such a one, as it is to git.
    """
    for name in IGNORE_FILES:
        if name.encode() in names:
            try:
                return folder + name, _read(folder + name, private_files)
            except FileNotFoundError:
                continue  # deleted since the folder was listed
            except OSError as error:
                warn(f"{folder}{name}: not used, it cannot be read: {error.strerror or error}")
            except UnusableIgnoreFileError as error:
                warn(f"{folder}{name}: not used, {error}")
    return None


def _read(path: str, private_files: frozenset[tuple[int, int]]) -> bytes:
    _check(os.lstat(path), private_files)  # before opening: that alone can have effects on a device or a database
    with open(os.open(path, OPEN_FLAGS), "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        _check(os.fstat(file.fileno()), private_files)
        content = file.read(MAX_IGNORE_BYTES + 1)
    if len(content) > MAX_IGNORE_BYTES:
        raise UnusableIgnoreFileError(f"it is larger than {MAX_IGNORE_BYTES} bytes")
    return content


def _check(status: os.stat_result, private_files: frozenset[tuple[int, int]]) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise UnusableIgnoreFileError("it is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise UnusableIgnoreFileError("it is not a regular file")
    if (status.st_dev, status.st_ino) in private_files:
        raise UnusableIgnoreFileError("it is part of the index")
