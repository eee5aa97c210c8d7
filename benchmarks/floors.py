"""What cannot be undercut: the writer alone, and a bare walk of the tree. The ratios are taken to these."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from workspace.storage.connection import open_reader, open_writer
from workspace.storage.writer import Writer, finish
from workspace.types import ChunkRecord, FileRecord, FileStat

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Row = tuple[FileRecord, list[ChunkRecord]]

IMPORTS = "import click, apsw"
"""What a search from the shell has to import in any case."""


def rows_of(database: Path) -> list[Row]:
    """Read everything stored back into memory, as the writer takes it, in the order in which it was written."""
    connection = open_reader(database)
    if connection is None:
        raise ValueError(f"there is no index at {database}")
    with contextlib.closing(connection):
        chunks: dict[str, list[ChunkRecord]] = {}
        for row in connection.execute(f"SELECT {', '.join(ChunkRecord.__dataclass_fields__)} FROM chunks ORDER BY id"):
            chunks.setdefault(row[1], []).append(ChunkRecord(*row))
        files = connection.execute(
            "SELECT abs_path, root_path, content_hash, config_signature, size_bytes, mtime_ns, ctime_ns, inode,"
            " verified_ns, modified_at, indexed_at, encoding, chunk_count FROM files ORDER BY rowid"
        )
        return [(_file(row), chunks.get(row[0], [])) for row in files]


def write_alone(database: Path, rows: Iterable[Row]) -> None:
    """Feed rows to the writer as fast as it takes them, and finish as an index run does."""
    with contextlib.closing(open_writer(database)) as connection:
        writer = Writer(connection)
        for file, chunks in rows:
            writer.store(file, chunks)
        writer.flush()
        finish(connection)


def walk(directory: str) -> int:
    """Stat everything below `directory`, symlinks not followed, and return how many files there are."""
    files = 0
    waiting = [directory]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    os.lstat(entry.path)
                    files += 1
    return files


def _file(row: tuple[Any, ...]) -> FileRecord:
    values = (*row[:4], FileStat(*row[4:8]), *row[8:])
    return FileRecord(*values)
