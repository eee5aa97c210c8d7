"""Where discovery could look, and so what the absence of a file means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workspace.types import Root


class Coverage:
    """Filled while discovery runs, read afterwards: what we could not look at must not be pruned.

    `devices` is the device of each root that was listed this time.
    """

    def __init__(self) -> None:
        self.devices: dict[str, int] = {}
        self._listed_roots: dict[str, bool] = {}  # to whether they are recursive
        self._out_of_reach: dict[str, bool] = {}  # to whether what lies deeper is meant as well

    def note_root(self, root: Root, device: int) -> None:
        """Note that a root itself was listed."""
        path = _plain(root.path)
        self.devices[root.path] = device
        self._listed_roots[path] = root.recursive or self._listed_roots.get(path, False)

    def note_out_of_reach(self, path: str, *, recursive: bool = True) -> None:
        """Note that nobody knows what is at or below `path`, or only directly in it, although it was wanted."""
        path = _plain(path)
        self._out_of_reach[path] = recursive or self._out_of_reach.get(path, False)

    def keeps(self, path: str) -> bool:
        """Tell whether a stored file must stay although discovery has not come across it.

        The nearest directory above it decides of which anything is known. Below a listed root that is every directory
        that was listed, or else was not there or not wanted, so only roots need to be remembered. A root that is not
        recursive knows only of the files directly in it.
        """
        if not self._out_of_reach:
            return False
        if path in self._out_of_reach:
            return True
        for distance, folder in enumerate(_folders_above(path)):
            for places, answer in (self._out_of_reach, True), (self._listed_roots, False):
                is_recursive = places.get(folder)
                if is_recursive or (is_recursive is not None and distance == 0):
                    return answer
        return False


def _plain(path: str) -> str:
    return path.rstrip(os.sep)  # of the root of a file system nothing is left, as in _folders_above


def _folders_above(path: str) -> Iterator[str]:
    folder, separator, _ = path.rpartition(os.sep)
    while separator:
        yield folder
        folder, separator, _ = folder.rpartition(os.sep)
