"""The settings of a workspace and the file they stand in."""

from __future__ import annotations

from workspace.config.file import ConfigError
from workspace.config.model import WorkspaceConfig
from workspace.config.place import prepare_workspace
from workspace.config.roots import add_root, remove_root

__all__ = ["ConfigError", "WorkspaceConfig", "add_root", "prepare_workspace", "remove_root"]
