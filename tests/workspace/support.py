"""What the pipeline tests share: literal trees, whole-database checks and comparable dumps."""

from __future__ import annotations

import multiprocessing
import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from workspace import WorkspaceConfig, index_workspace
from workspace.api import _run_options
from workspace.config import prepare_workspace
from workspace.pipeline.runner import run
from workspace.storage.connection import open_reader

if TYPE_CHECKING:
    from pathlib import Path

SMALL = {"chunking": {"chunk_size": 20, "overlap": 5, "threshold": 30}}
"""Settings under which small texts take the way of large ones."""

FILE_COLUMNS = "abs_path, root_path, content_hash, config_signature, size_bytes, mtime_ns, encoding, chunk_count"
CHUNK_COLUMNS = (
    "chunk_id, abs_path, chunk_index, content, token_count, start_line, end_line, start_char, end_char,"
    " section, kind, headings, path_terms, symbols"
)


def plant(directory: Path, tree: dict[str, str | bytes]) -> None:
    """Write a literal tree: relative path to text (as UTF-8, line ends as given) or bytes."""
    for name, content in tree.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def settings(home: Path, *roots: Path, recursive: bool = True, **knowledgebase: dict[str, object]) -> WorkspaceConfig:
    """Return a configuration with these roots; keyword arguments are sections of ``knowledgebase``."""
    listed = [{"path": str(root), "recursive": recursive} for root in roots]
    return WorkspaceConfig.from_dict({"knowledgebase": {"roots": listed, **knowledgebase}}, home=home)


def index(config: WorkspaceConfig, *, inline: bool = False, **options):
    """Run the real index, then check the whole database and that nothing of the run is left.

    With `inline`, the stages run one after the other in this thread.
    """
    if inline:
        prepare_workspace(config)
        summary = run(
            replace(_run_options(config, verify=False, retry_failed=False, wait=0, jobs=None), inline=True, **options)
        )
    else:
        summary = index_workspace(config, **options)
    check(config)
    return summary


def check(config: WorkspaceConfig) -> None:
    """The database is sound in every way SQLite and FTS5 can tell, and no thread or process of ours is left."""
    connection = apsw.Connection(str(config.database_path))
    try:
        assert connection.execute("PRAGMA integrity_check").get == "ok"
        connection.execute("INSERT INTO chunks_fts(chunks_fts, rank) VALUES('integrity-check', 1)").get  # noqa: B018
        assert connection.execute("PRAGMA foreign_key_check").get is None
        counts = (
            "SELECT abs_path FROM files f WHERE chunk_count !="
            " (SELECT count(*) FROM chunks c WHERE c.abs_path = f.abs_path)"
        )
        assert connection.execute(counts).get is None, "a file is half there"
    finally:
        connection.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("workspace-")]
    assert not [child for child in multiprocessing.active_children() if child.name.startswith("pebble")]


def holds_tables(config: WorkspaceConfig) -> bool:
    """Say whether there is an index at all: a run may have ended before it made one."""
    reader = open_reader(config.database_path)
    if reader:
        reader.close()
    return reader is not None


def dump(config: WorkspaceConfig) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Everything stored that does not depend on when and in which order it was stored."""
    connection = apsw.Connection(str(config.database_path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        files = connection.execute(f"SELECT {FILE_COLUMNS} FROM files ORDER BY abs_path").fetchall()
        chunks = connection.execute(f"SELECT {CHUNK_COLUMNS} FROM chunks ORDER BY abs_path, chunk_index").fetchall()
    finally:
        connection.close()
    return files, chunks


def stored(config: WorkspaceConfig) -> dict[str, list[dict[str, object]]]:
    """The rows of each file, by path, as dictionaries."""
    names = CHUNK_COLUMNS.replace(" ", "").split(",")
    rows: dict[str, list[dict[str, object]]] = {}
    for row in dump(config)[1]:
        record = dict(zip(names, row, strict=True))
        rows.setdefault(str(record["abs_path"]), []).append(record)
    return rows


def lines_of(text: str) -> list[str]:
    """The lines of a text as an editor counts them: ended by \\n, \\r\\n or a lone \\r, and by nothing else."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text)
