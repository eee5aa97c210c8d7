"""What flows between the stages. Per-file trouble is a value here, never an exception across a stage."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from workspace.constants import Kind
    from workspace.types import ChunkRecord, FileRecord, FileStat, Stage


class SkipReason(Enum):
    """Why a file that no rule ignores is not (newly) indexed; the value explains it to people."""

    UNCHANGED = "unchanged since it was indexed"
    BINARY_SUFFIX = "its suffix names a binary format"
    BINARY_CONTENT = "it holds binary data"
    EMPTY = "it is empty"
    BLANK = "it holds only white space"
    OVERSIZED = "it is larger than indexing.max_file_mb"


class Candidate(NamedTuple):
    """A regular file that discovery wants read. `verified_ns` was taken before `stat` was."""

    path: str
    root: str
    stat: FileStat
    verified_ns: int


class Skipped(NamedTuple):
    """A file that needs no (further) work. Unless it is unchanged, rows stored for it are to go."""

    path: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Failed:
    """A file or directory that could not be dealt with.

    `rows_are_gone` says that the content is known to have changed, so that rows stored for it must not be served
    any longer; without it the last good rows stay. `poison` is the hash of a content that is not to be tried again.
    """

    path: str
    stage: Stage
    error_type: str
    message: str
    rows_are_gone: bool = False
    poison: str | None = None


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A file found unchanged although its stat (or the age of it) could not prove so: only the stat is stored."""

    path: str
    stat: FileStat
    verified_ns: int


@dataclass(frozen=True, slots=True)
class Document:
    """A file read and decoded. `content_hash` is the SHA-256 of its bytes, in hexadecimal."""

    candidate: Candidate
    content_hash: str
    text: str
    encoding: str


@dataclass(frozen=True, slots=True)
class Chunked:
    """A document as it is stored: its record and its rows, to be written in one transaction."""

    file: FileRecord
    chunks: tuple[ChunkRecord, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A chunk as the chunkers give it: where it lies in the text, and what is to be known of it.

    Plain integers and short strings, since spans cross the process border and the text does not cross back.
    Offsets count characters, lines count from 1; `tokens` are words.
    """

    start: int
    end: int
    tokens: int
    start_line: int
    end_line: int
    section: str | None
    kind: Kind
    headings: str
    symbols: str


ChunkResult = tuple[Document, list[Span] | Failed]
"""A document and its chunks, or why there are none."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A document committed: `rows` is the number of its chunks."""

    path: str
    rows: int


@dataclass(frozen=True, slots=True)
class Pruned:
    """A path whose rows were removed at the end of the run, as it is no candidate any more."""

    path: str


Item = Candidate | Skipped | Failed | Refreshed | Document | Chunked | Stored | Pruned
"""Whatever may lie in a batch between two stages. A stage passes on what it has nothing to do with."""


def path_of(item: Item) -> str:
    """Return the path that `item` is about."""
    match item:
        case Document():
            return item.candidate.path
        case Chunked():
            return item.file.abs_path
        case _:
            return item.path
