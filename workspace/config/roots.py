"""Add and remove roots in ``config.yaml``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from workspace.config.edit import rest_of, with_root, without_root
from workspace.config.file import ConfigError, edit, yaml_errors
from workspace.config.model import WorkspaceConfig, resolve_path
from workspace.constants import CONFIG_NAME, hermes_home
from workspace.types import Root, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable

    Roots = tuple[Root, ...]


def add_root(home: Path | None, path: str | os.PathLike[str], *, recursive: bool = False) -> Root:
    """Write a directory into the config file of `home` as a root; adding it again sets its `recursive` flag.

    ``~``, relative paths and symlinks are resolved now, not when the file is read.

    Raises:
        WorkspaceError: `path` is no directory, or the file cannot be read, edited or written.
    """
    given = os.fspath(path)
    root = Root(resolve_path(given), recursive)
    if not given or "\0" in given or not Path(root.path).is_dir():
        raise WorkspaceError(f"{given!r} is not a directory")
    if any("\ud800" <= character <= "\udfff" for character in root.path):
        raise WorkspaceError(f"{given!r} is not valid UTF-8 and cannot be written in a config file")

    def add(roots: Roots) -> Roots:
        others = {old.path: old for old in roots}
        return tuple((others | {root.path: root}).values())

    def change(text: str) -> str:
        return with_root(text, root.path, recursive=recursive, is_root=lambda old: resolve_path(old) == root.path)

    _edit(home, add, change)
    return root


def remove_root(home: Path | None, path: str | os.PathLike[str]) -> Root:
    """Take a root out of the config file of `home` and return it. It need not exist on disk any more.

    Raises:
        WorkspaceError: `path` is no configured root, or the file cannot be read, edited or written.
    """
    given = os.fspath(path)
    resolved = resolve_path(given) if given else ""
    removed: list[Root] = []

    def remove(roots: Roots) -> Roots:
        removed.extend(root for root in roots if root.path == resolved)
        if not removed:
            raise WorkspaceError(f"{given!r} is not a configured root")
        return tuple(root for root in roots if root.path != resolved)

    _edit(home, remove, lambda text: without_root(text, is_root=lambda old: resolve_path(old) == resolved))
    return removed[0]


def _edit(home: Path | None, want: Callable[[Roots], Roots], change: Callable[[str], str]) -> None:
    """Replace the config file's text by ``change(text)``, if that makes its roots ``want(roots)`` and the rest stays.

    An invalid file is never written to.
    """
    home = hermes_home() if home is None else home
    path = home / CONFIG_NAME

    def checked(text: str) -> str:
        wanted = want(WorkspaceConfig.from_text(text, home=home).roots)
        try:
            with yaml_errors(text, path):
                new = change(text)
                if rest_of(new) == rest_of(text) and WorkspaceConfig.from_text(new, home=home).roots == wanted:
                    return new
        except ConfigError:
            pass  # the patch broke the text: same answer
        raise WorkspaceError(
            f"{path}: knowledgebase.roots is written in a way that cannot be changed without touching other lines; "
            "please edit it by hand"
        )

    edit(path, checked)
