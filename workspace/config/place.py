"""The directories of a workspace."""

from __future__ import annotations

import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from workspace.constants import DEFAULT_IGNORE, HERMESIGNORE, WORKSPACE_DIRECTORIES
from workspace.types import WorkspaceError

if TYPE_CHECKING:
    from pathlib import Path

    from workspace.config.model import WorkspaceConfig

INDEX_MODE: Final = 0o700
"""The index holds copies of private text: nobody but its owner looks into the directory."""


def prepare_workspace(config: WorkspaceConfig) -> None:
    """Make the workspace's directories and its ``.hermesignore`` on first use; later, do next to nothing.

    First use ends when ``.index`` exists: a directory or an ignore file that the user removes afterwards stays away.

    Raises:
        WorkspaceError: the workspace is disabled or cannot be made.
    """
    config.require_enabled()
    index = config.index_directory
    try:
        if not index.is_dir():
            for name in WORKSPACE_DIRECTORIES:
                (config.workspace_path / name).mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                _seed(config.workspace_path / HERMESIGNORE)
            index.mkdir(mode=INDEX_MODE, exist_ok=True)
        if stat.S_IMODE(index.stat().st_mode) != INDEX_MODE:
            index.chmod(INDEX_MODE)
    except OSError as error:
        raise WorkspaceError(f"the workspace {config.workspace_path} cannot be made: {error}") from error


def _seed(path: Path) -> None:
    """Write the built-in rules to a file that does not exist: whole, or not at all, as an empty one ignores nothing."""
    with path.open("x", encoding="utf-8") as file:
        try:
            file.write(DEFAULT_IGNORE)
            file.flush()
        except OSError:
            path.unlink(missing_ok=True)
            raise
