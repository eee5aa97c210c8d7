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
    search_workspace,
)
from workspace.config import ConfigError, WorkspaceConfig
from workspace.types import (
    IndexingError,
    IndexLocked,
    IndexSummary,
    Progress,
    Root,
    SearchResult,
    WorkspaceError,
)

__all__ = [
    "ConfigError",
    "IndexLocked",
    "IndexSummary",
    "IndexingError",
    "MissingExtraError",
    "Progress",
    "Root",
    "SearchResult",
    "WorkspaceConfig",
    "WorkspaceError",
    "add_root",
    "index_workspace",
    "list_roots",
    "remove_root",
    "search_workspace",
]
