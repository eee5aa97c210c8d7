"""Writing the index: whole files, in batches of one transaction each."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import astuple, dataclass, field
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import apsw

from workspace.storage.transaction import transaction
from workspace.types import Poison

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from workspace.types import ChunkRecord, FileRecord, FileStat

_BATCH_CHARS: Final = 4 * 1024 * 1024
"""Text after which a batch is full. Half costs 4 %, four times as much gains 2 % and loses more when we are killed."""

_BATCH_ROWS: Final = 1_000
"""Rows after which a batch is full. With 14 values a row also the most that one statement takes: SQLite allows
32,766 parameters."""

_BATCH_SECONDS: Final = 1.0
"""Age at which a batch is written although it is not full: work done must not wait for work to come."""

_MERGE_AFTER: Final = 20_000
"""Row changes of a connection, those of FTS5's own tables included, from which a merge is worth its while: about
25 MB of new text."""

_MERGE_PAGES: Final = 4_000
"""Work limit of that merge: a tenth of a second, enough for the whole index of 50 MB of text. Searches are a tenth
faster for it. An index ten times as large gains less, so one portion is all that is done."""

_FILE_COLUMNS: Final = (
    "abs_path", "root_path", "content_hash", "config_signature", "size_bytes", "mtime_ns", "ctime_ns", "inode",
    "verified_ns", "modified_at", "indexed_at", "encoding", "chunk_count",
)  # fmt: skip

_CHUNK_COLUMNS: Final = (
    "chunk_id", "abs_path", "chunk_index", "content", "token_count", "start_line", "end_line", "start_char",
    "end_char", "section", "kind", "headings", "path_terms", "symbols",
)  # fmt: skip

_chunk_row: Callable[[ChunkRecord], tuple[Any, ...]] = attrgetter(*_CHUNK_COLUMNS)

_DELETE: Final = "DELETE FROM files WHERE abs_path IN (SELECT value FROM json_each(?))"

_REFRESH: Final = """
    UPDATE files
    SET size_bytes = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, verified_ns = ?,
        modified_at = coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', ?, 'unixepoch'), modified_at)
    WHERE abs_path = ?
"""

_REMEMBER: Final = "INSERT INTO failures VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"

_FILE_ERRORS: Final = (apsw.ConstraintError, apsw.TooBigError, apsw.MismatchError, UnicodeError, OverflowError)
"""What is wrong with one file's rows, not with the database: only that file fails. All else ends the run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call made of earlier ones: the files now stored, and those that could not be, with the reason."""

    stored: tuple[FileRecord, ...] = ()
    failed: tuple[tuple[FileRecord, Exception], ...] = ()


_NOTHING: Final = Outcome()


@dataclass(slots=True)
class _Batch:
    """What is to be written next. A path occurs once, so the order of its three parts does not matter."""

    files: dict[str, tuple[FileRecord, Sequence[ChunkRecord]]] = field(default_factory=dict)
    refreshed: dict[str, tuple[FileStat, int]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    poisons: list[Poison] = field(default_factory=list)
    chars: int = 0
    rows: int = 0
    since: float = 0.0

    def __contains__(self, path: str) -> bool:
        return path in self.files or path in self.refreshed or path in self.removed

    def fits(self, *, chars: int, rows: int) -> bool:
        """Say whether so much more keeps the batch within its limits."""
        return self.chars + chars <= _BATCH_CHARS and self.rows + rows <= _BATCH_ROWS


class Writer:
    """Stores, refreshes and removes files in batches; each batch is one transaction of whole files.

    Every method first writes the waiting batch where the new entry does not fit into it, and returns what became of
    it. What a call added is safe only after a later call, `flush` at the latest. An exception is fatal to the run:
    the waiting batch is lost, everything committed before stays. For one thread at a time.
    """

    def __init__(self, connection: apsw.Connection, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._connection = connection
        self._clock = clock
        self._batch = _Batch()

    def store(self, file: FileRecord, chunks: Sequence[ChunkRecord]) -> Outcome:
        """Put a file with its chunks in the place of whatever is stored for its path."""
        chars = sum(len(chunk.content) for chunk in chunks)
        outcome = self._make_room(file.abs_path, chars=chars, rows=max(1, len(chunks)))
        self._batch.files[file.abs_path] = file, chunks
        return outcome

    def refresh(self, path: str, stat: FileStat, verified_ns: int) -> Outcome:
        """Note that a stored file has another stat, or was verified later, and nothing else."""
        outcome = self._make_room(path)
        self._batch.refreshed[path] = stat, verified_ns
        return outcome

    def remove(self, path: str, *, poison: Poison | None = None) -> Outcome:
        """Drop a file and its chunks; one that is not stored is no error. Remember `poison`, if that is why."""
        outcome = self._make_room(path)
        self._batch.removed.add(path)
        if poison:
            self._batch.poisons.append(poison)
        return outcome

    def flush(self) -> Outcome:
        """Commit what waits, whole."""
        batch, self._batch = self._batch, _Batch()
        if not batch.rows:
            return _NOTHING
        try:
            self._commit(batch)
        except _FILE_ERRORS:
            return self._commit_apart(batch)
        return Outcome(stored=tuple(file for file, _ in batch.files.values()))

    def due(self) -> float | None:
        """Return in how many seconds `flush` is wanted, 0 for at once; None if nothing waits."""
        if not self._batch.rows:
            return None
        if not self._batch.fits(chars=0, rows=1):
            return 0.0
        return max(0.0, self._batch.since + _BATCH_SECONDS - self._clock())

    def _make_room(self, path: str, *, chars: int = 0, rows: int = 1) -> Outcome:
        outcome = _NOTHING
        if path in self._batch or not self._batch.fits(chars=chars, rows=rows) or self.due() == 0:
            outcome = self.flush()
        if not self._batch.rows:
            self._batch.since = self._clock()
        self._batch.chars += chars
        self._batch.rows += rows
        return outcome

    def _commit(self, batch: _Batch) -> None:
        with transaction(self._connection):
            _write(self._connection, batch)

    def _commit_apart(self, batch: _Batch) -> Outcome:
        """Give every file of a refused batch a transaction of its own, to find those that are to blame.

        A file that cannot be stored loses its old rows: they are known to be outdated.
        """
        self._commit(_Batch(refreshed=batch.refreshed, removed=batch.removed, poisons=batch.poisons))
        stored, failed = [], []
        for path, (file, chunks) in batch.files.items():
            try:
                self._commit(_Batch(files={path: (file, chunks)}))
                stored.append(file)
            except _FILE_ERRORS as error:
                failed.append((file, error))
                self._commit(_Batch(removed={path}))
        return Outcome(stored=tuple(stored), failed=tuple(failed))


def poisons_of(connection: apsw.Connection, signature: str, *, forget: bool) -> dict[str, Poison]:
    """Return what has failed under the configuration of `signature`, by the hash of its content.

    What failed under another one is forgotten, since it will be tried again; with `forget`, all is.
    """
    gone = "" if forget else signature
    if connection.execute("SELECT count(*) FROM failures WHERE config_signature != ?", (gone,)).get:
        with transaction(connection):
            connection.execute("DELETE FROM failures WHERE config_signature != ?", (gone,)).fetchall()
    rows = connection.execute("SELECT content_hash, config_signature, error_type, message FROM failures")
    return {row[0]: Poison(*row) for row in rows}


def set_meta(connection: apsw.Connection, values: Mapping[str, str]) -> None:
    """Store `values` in the ``meta`` table, each in the place of an older one of its key."""
    with transaction(connection):
        connection.executemany(
            "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            values.items(),
        ).fetchall()


def finish(connection: apsw.Connection) -> None:
    """Leave the index fit for searching: the last act on a connection that has written. Waits for nobody.

    Merges the full-text index after a large run, brings the planner's statistics up to date, and empties the -wal
    unless a reader is in it.
    """
    changes = connection.total_changes()
    if not changes:
        return
    connection.set_busy_timeout(0)
    with contextlib.suppress(apsw.BusyError):
        if changes >= _MERGE_AFTER:
            connection.execute(
                "INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('merge', ?)", (_MERGE_PAGES,)
            ).fetchall()
        connection.execute("PRAGMA optimize").fetchall()
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _write(connection: apsw.Connection, batch: _Batch) -> None:
    refreshed = [
        (*_stat_values(stat), verified, stat.mtime_ns // 1_000_000_000, path)
        for path, (stat, verified) in batch.refreshed.items()
    ]
    connection.executemany(_REFRESH, refreshed).fetchall()
    # The chunks go by the foreign key, and their FTS5 entries by the trigger. `INSERT OR REPLACE` would skip it.
    connection.execute(_DELETE, (json.dumps([*batch.removed, *batch.files]),)).fetchall()
    _insert(connection, "files", _FILE_COLUMNS, [_file_row(file) for file, _ in batch.files.values()])
    if batch.poisons:
        connection.executemany(_REMEMBER, map(astuple, batch.poisons)).fetchall()
    chunks = chain.from_iterable(chunks for _, chunks in batch.files.values())
    _insert(connection, "chunks", _CHUNK_COLUMNS, list(map(_chunk_row, chunks)))


def _insert(connection: apsw.Connection, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, a thousand in one statement: FTS5 flushes at the end of every statement that fires a trigger."""
    placeholders = f"({', '.join('?' * len(columns))})"
    for start in range(0, len(rows), _BATCH_ROWS):
        part = rows[start : start + _BATCH_ROWS]
        statement = f"INSERT INTO {table}({', '.join(columns)}) VALUES {', '.join([placeholders] * len(part))}"
        connection.execute(statement, tuple(chain.from_iterable(part))).fetchall()


def _file_row(file: FileRecord) -> tuple[Any, ...]:
    return (
        file.abs_path,
        file.root_path,
        file.content_hash,
        file.config_signature,
        *_stat_values(file.stat),
        file.verified_ns,
        file.modified_at,
        file.indexed_at,
        file.encoding,
        file.chunk_count,
    )


def _stat_values(stat: FileStat) -> tuple[int, ...]:
    """Return the stat as SQLite's 64-bit integers; wrapped where it does not fit, as inodes of some systems do.

    The reader undoes it for 64-bit inodes. Beyond that the file only looks changed, and is read again by every run.
    """
    values = (stat.size_bytes, stat.mtime_ns, stat.ctime_ns, stat.inode)
    return tuple((value + 2**63) % 2**64 - 2**63 for value in values)
