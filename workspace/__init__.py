"""Index directories of text files into one SQLite database, and search them for passages.

>>> from workspace import WorkspaceConfig, index_workspace, search_workspace
>>> config = WorkspaceConfig.load()
>>> summary = index_workspace(config)
>>> hits = search_workspace(config, "rollback procedure", limit=5)
"""

from __future__ import annotations

from workspace.api import (
    MissingExtraError,
    add_root,
    index_workspace,
    list_roots,
    remove_root,
    repair_index,
    reset_index,
    search_workspace,
    workspace_status,
)
from workspace.config import ConfigError, WorkspaceConfig
from workspace.types import (
    Condition,
    IndexingError,
    IndexLocked,
    IndexStatus,
    IndexSummary,
    IndexUnusable,
    Progress,
    RepairReport,
    Root,
    RootStatus,
    SearchResult,
    WorkspaceError,
)

__all__ = [
    "Condition",
    "ConfigError",
    "IndexLocked",
    "IndexStatus",
    "IndexSummary",
    "IndexUnusable",
    "IndexingError",
    "MissingExtraError",
    "Progress",
    "RepairReport",
    "Root",
    "RootStatus",
    "SearchResult",
    "WorkspaceConfig",
    "WorkspaceError",
    "add_root",
    "index_workspace",
    "list_roots",
    "remove_root",
    "repair_index",
    "reset_index",
    "search_workspace",
    "workspace_status",
]
