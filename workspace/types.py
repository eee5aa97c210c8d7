"""The records that cross module borders: frozen, typed, without behaviour of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from workspace.constants import Kind

Stage = Literal["discover", "read", "chunk", "store"]


class WorkspaceError(Exception):
    """Something the user can act on. Its text is one clear sentence, shown without a traceback."""


class IndexLocked(WorkspaceError):  # noqa: N818 - reads as the state it is, and users see the name
    """Another index run is at work on this database."""


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
class Progress:
    """How far a run has come: `done` of the `found` files so far; `found` still grows while `discovering`."""

    done: int
    found: int
    discovering: bool
    path: str


if TYPE_CHECKING:
    ProgressCallback = Callable[[Progress], None]
