"""The records that cross module borders: frozen, typed, without behaviour of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from workspace.constants import Kind

Stage = Literal["discover", "read", "chunk", "store"]


class WorkspaceError(Exception):
    """Something the user can act on. Its text is one clear sentence, shown without a traceback."""


class IndexLocked(WorkspaceError):  # noqa: N818 - reads as the state it is, and users see the name
    """Another index run is at work on this database."""


class Condition(StrEnum):
    """What state a database is in. The values are part of what ``status`` and ``repair`` print."""

    MISSING = "missing"
    """There is none yet, or an empty file."""
    HEALTHY = "healthy"
    TEXT_INDEX_DAMAGED = "text-index-damaged"
    """The full-text index is damaged or out of step; all text is there, and the index can be built from it."""
    DAMAGED = "damaged"
    """A table, or the file as such: it can only be set aside, and a new one built from the indexed files."""
    FOREIGN = "foreign"
    """A database of another program."""
    NEWER = "newer"
    """Written by a newer version of this program."""
    NOT_A_DATABASE = "not-a-database"
    UNREADABLE = "unreadable"
    """The system refuses; what the file holds is not known."""


class IndexUnusable(WorkspaceError):  # noqa: N818 - reads as the state it is, and users see the name
    """The database cannot be used as it is; `condition` says why, and the text what to do."""

    def __init__(self, condition: Condition, message: str) -> None:
        super().__init__(message)
        self.condition = condition


@dataclass(frozen=True, slots=True)
class Root:
    """A directory that is indexed. `path` is absolute and resolved."""

    path: str
    recursive: bool = False


class FileStat(NamedTuple):
    """What tells an unchanged file without opening it. Times are nanoseconds since 1970.

    A tuple, as is all that is made for every file of every run: a frozen dataclass takes four times as long.
    """

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One row of ``files``: a document as it was when it was last indexed."""

    abs_path: str
    root_path: str
    content_hash: str
    config_signature: str
    stat: FileStat
    verified_ns: int
    modified_at: str
    indexed_at: str
    encoding: str
    chunk_count: int


class Known(NamedTuple):
    """What the database knows of a file: the other half of every is-it-unchanged question."""

    stat: FileStat
    content_hash: str
    config_signature: str
    root: str
    verified_ns: int


@dataclass(frozen=True, slots=True)
class Poison:
    """One row of ``failures``: a content on which every chunker has failed, under a configuration."""

    content_hash: str
    config_signature: str
    error_type: str
    message: str


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """One row of ``chunks``. Offsets count characters, lines count from 1, tokens are words.

    `headings`, `path_terms` and `symbols` are the words by which the row can be found besides its content.
    """

    chunk_id: str
    abs_path: str
    chunk_index: int
    content: str
    token_count: int
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    section: str | None
    kind: Kind
    headings: str
    path_terms: str
    symbols: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit: `content` is what stands on lines `line_start` to `line_end` of the file at `path`.

    `score` is more negative the better the hit; `tokens` are the words of `content`; `modified` is UTC.
    `truncated` says that the stored row is longer than `content`, `stale` that the file is gone or has
    another size or modification time than when it was indexed.
    """

    path: str
    line_start: int
    line_end: int
    section: str | None
    chunk_index: int
    score: float
    tokens: int
    modified: str
    content: str
    truncated: bool
    stale: bool


@dataclass(frozen=True, slots=True)
class IndexingError:
    """One file (or directory) that could not be indexed; `error_type` is the exception's class name."""

    path: str
    stage: Stage
    error_type: str
    message: str


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The outcome of one run. `errors` holds at most 50; `files_errored` is the full count."""

    files_indexed: int = 0
    files_skipped: int = 0
    files_pruned: int = 0
    files_errored: int = 0
    chunks_created: int = 0
    duration_seconds: float = 0.0
    errors: tuple[IndexingError, ...] = field(default=())
    errors_truncated: bool = False


@dataclass(frozen=True, slots=True)
class LastRun:
    """When the last run came to its end, in UTC, and how many files failed in it, for each root it dealt with."""

    ended_at: str
    errors: dict[str, int]


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a database, and one sentence that says why, and what to do about it."""

    condition: Condition
    message: str


@dataclass(frozen=True, slots=True)
class RootStatus:
    """What the index holds of one root; None where it cannot be told.

    `last_run` is when a run last dealt with the root, in UTC, and `errors` how many files failed then.
    """

    path: str
    recursive: bool
    files: int | None
    rows: int | None
    errors: int | None
    last_run: str | None


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of one home's index. `database_bytes` counts what waits in the -wal, too."""

    database: str
    database_bytes: int
    schema_version: int | None
    healthy: bool
    condition: Condition
    message: str
    roots: tuple[RootStatus, ...]


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What was found (`condition`), what was done about it, and the files that were set aside for it."""

    condition: Condition
    action: Literal["none", "rebuilt", "set-aside"]
    message: str
    set_aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: `done` of the `found` files so far; `found` still grows while `discovering`."""

    done: int
    found: int
    discovering: bool
    path: str


if TYPE_CHECKING:
    ProgressCallback = Callable[[Progress], None]
