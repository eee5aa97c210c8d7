"""What the command line does, for Python: composes configuration, pipeline and query; prints nothing."""

from __future__ import annotations

import contextlib
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from workspace.config import WorkspaceConfig, add_root, prepare_workspace, remove_root
from workspace.constants import DEFAULT_PER_FILE
from workspace.types import Condition, RepairReport, Root, SearchResult, WorkspaceError

if TYPE_CHECKING:
    from pathlib import Path

    from workspace.pipeline.runner import RunOptions
    from workspace.types import IndexStatus, IndexSummary, ProgressCallback

__all__ = [
    "MissingExtraError",
    "add_root",
    "index_workspace",
    "list_roots",
    "remove_root",
    "repair_index",
    "reset_index",
    "search_workspace",
    "workspace_status",
]

EXTRA_MODULES: Final = ("chonkie", "pebble", "tree_sitter")
"""What the extra ``workspace`` brings and an index run cannot do without. Looked for, not imported: that takes long."""

MAX_JOBS: Final = 8
"""Worker processes at most: one writer cannot keep up with more, and each costs memory."""


class MissingExtraError(WorkspaceError):
    """Indexing needs packages that are not installed."""


def index_workspace(  # noqa: PLR0913 - named options, each with a default
    config: WorkspaceConfig,
    *,
    verify: bool = False,
    retry_failed: bool = False,
    wait: float = 0.0,
    jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> IndexSummary:
    """Bring the index up to date with the files below all roots. Unchanged files cost one look at their stat.

    Args:
        config: the settings of one home.
        verify: hash every file, also those whose stat says that nothing has changed.
        retry_failed: try again what could not be chunked, although neither the file nor the settings have changed.
        wait: seconds to wait for another run on the same index before giving up.
        jobs: worker processes for long files; by default as many as there are processors, at most 8.
        progress: called in this thread, now and then, with how far the run has come.

    Raises:
        ValueError: `jobs` is less than 1.
        MissingExtraError: the extra ``workspace`` is not installed.
        WorkspaceError: the workspace is disabled or cannot be made, another run holds the index (`IndexLocked`), the
            database is not ours or of a newer version or was damaged (`IndexUnusable`), or it cannot be written; what
            was committed before stays.
        KeyboardInterrupt: on Ctrl-C, after what was whole has been committed.

    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    if missing := [name for name in EXTRA_MODULES if find_spec(name) is None]:
        raise MissingExtraError(
            f"indexing needs the extra 'workspace' ({', '.join(missing)} not found):"
            " pip install 'hermes-workspace[workspace]'"
        )
    from workspace.pipeline.runner import run

    prepare_workspace(config)
    options = _run_options(config, verify=verify, retry_failed=retry_failed, wait=wait, jobs=jobs)
    return run(options, progress=progress)


def search_workspace(  # noqa: PLR0913 - all but two by name, each for itself
    config: WorkspaceConfig,
    query: str,
    *,
    path: str | None = None,
    glob: str | None = None,
    limit: int | None = None,
    per_file: int = DEFAULT_PER_FILE,
    context: int = 0,
    max_chars: int | None = None,
) -> list[SearchResult]:
    """Return the best passages for a free-text query, best first. The database is not written.

    Where its full-text index is damaged, all rows are read instead, with a warning logged.

    Args:
        config: the settings of one home.
        query: any text; no character of it is an operator.
        path: only files at or below this path, by whole components.
        glob: only files whose name (or path, if it holds a slash) matches, in gitignore style.
        limit: hits at most; None or less than 1 means the configured default, and 1,000 is the most.
        per_file: hits of one file at most, 0 for any number; all of them where `path` is that file.
        context: lines to show above and below each hit.
        max_chars: characters of a hit, its context aside; 0 means no cap, None the configured one.

    Raises:
        ValueError: `per_file`, `context` or `max_chars` is negative.
        WorkspaceError: the workspace is disabled, or the index cannot be read.

    """
    from workspace.query.search import SearchOptions, search
    from workspace.storage.connection import open_reader

    if min(per_file, context, max_chars or 0) < 0:
        raise ValueError("per_file, context and max_chars must be at least 0")
    config.require_enabled()
    connection = open_reader(config.database_path)
    if connection is None:
        return []
    options = SearchOptions(
        path=path,
        glob=glob,
        limit=limit,
        default_limit=config.default_limit,
        per_file=per_file,
        context=context,
        max_content_chars=config.max_content_chars if max_chars is None else max_chars,
    )
    with contextlib.closing(connection):
        return search(connection, query, options)


def workspace_status(config: WorkspaceConfig) -> IndexStatus:
    """Return what the index holds, root by root, and whether it is sound. Reads all of it, and does not write it.

    Raises:
        WorkspaceError: the workspace is disabled.

    """
    from workspace.storage.status import index_status

    config.require_enabled()
    return index_status(config.database_path, config.all_roots)


def repair_index(config: WorkspaceConfig, *, check_only: bool = False, wait: float = 0.0) -> RepairReport:
    """Examine the index to the last row, and mend it: build its full-text index anew, or set the database aside.

    Args:
        config: the settings of one home.
        check_only: mend nothing.
        wait: seconds to wait for an index run to end before giving up.

    Raises:
        WorkspaceError: the workspace is disabled, a run holds the index (`IndexLocked`), or the database is not ours
            or of a newer version (`IndexUnusable`, unless `check_only`), or it cannot be read and written.

    """
    from workspace.storage.lock import index_lock
    from workspace.storage.repair import repair

    config.require_enabled()
    if not config.index_directory.is_dir():
        return RepairReport(Condition.MISSING, "none", "there is no index yet: run the command index")
    with index_lock(config.index_directory, wait):
        return repair(config.database_path, check_only=check_only)


def reset_index(config: WorkspaceConfig, *, wait: float = 0.0) -> list[Path]:
    """Delete the index, so that the next run starts from nothing; return the files deleted.

    The indexed files are not touched, nor are databases that were set aside.

    Raises:
        WorkspaceError: the workspace is disabled, a run holds the index and `wait` seconds have passed
            (`IndexLocked`), the database is not ours or of a newer version (`IndexUnusable`), or it cannot be deleted.

    """
    from workspace.storage.lock import index_lock
    from workspace.storage.repair import remove

    config.require_enabled()
    if not config.index_directory.is_dir():
        return []
    with index_lock(config.index_directory, wait):
        return remove(config.database_path)


def list_roots(config: WorkspaceConfig) -> list[Root]:
    """Return the configured roots, without the workspace itself, which is always one."""
    return list(config.roots)


def _run_options(
    config: WorkspaceConfig, *, verify: bool, retry_failed: bool, wait: float, jobs: int | None
) -> RunOptions:
    from workspace.pipeline.chunking.options import ChunkOptions
    from workspace.pipeline.runner import RunOptions

    return RunOptions(
        roots=config.all_roots,
        database=config.database_path,
        chunking=ChunkOptions(chunk_size=config.chunk_size, overlap=config.overlap, threshold=config.threshold),
        max_file_bytes=config.max_file_bytes,
        verify=verify,
        retry_failed=retry_failed,
        wait=wait,
        jobs=jobs or min(_processors(), MAX_JOBS),
    )


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this platform
        return os.cpu_count() or 1
