"""The chunk stage: documents become rows, in one piece up to the threshold, else through the chunkers."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Protocol

from workspace.constants import PIPELINE_VERSION, TOKENIZER_NAME
from workspace.pipeline.items import Chunked, ChunkResult, Document, Failed, Item, Span
from workspace.text.filetypes import kind_of
from workspace.text.headings import HEADINGS_SEPARATOR, headings_of
from workspace.text.lines import whole_span_lines
from workspace.text.terms import path_terms, symbols_in
from workspace.text.words import count_words
from workspace.types import ChunkRecord, FileRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from workspace.pipeline.chunking.options import ChunkOptions
    from workspace.types import Poison

NANOSECONDS: Final = 1_000_000_000
EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC like all times of ours, and written twice as fast without
LAST_TIME: Final = "9999-12-31T23:59:59Z"


class Chunkers(Protocol):
    """Whatever chunks long documents: a pool of processes, or this process."""

    def submit(self, document: Document) -> None:
        """Take a document."""

    def ready(self) -> list[ChunkResult]:
        """Return what is finished, without waiting."""

    def rest(self) -> Iterator[list[ChunkResult]]:
        """Yield all the rest, as it is finished."""


def config_signature(options: ChunkOptions) -> str:
    """Return the fingerprint of everything in the configuration that changes what is stored for the same bytes."""
    relevant = [options.chunk_size, options.overlap, options.threshold, TOKENIZER_NAME, PIPELINE_VERSION]
    return hashlib.sha256(json.dumps(relevant).encode()).hexdigest()


def chunk(
    batches: Iterable[list[Item]],
    options: ChunkOptions,
    chunkers: Chunkers,
    poisons: Mapping[str, Poison] | None = None,
) -> Iterator[list[Item]]:
    """Turn each document of `batches` into `Chunked` or `Failed`; everything else passes.

    Long documents go to `chunkers` and come back when they are finished, so that they delay nobody. What is among
    `poisons`, by the hash of its content, has failed before and is not tried again.
    """
    signature = config_signature(options)
    known = poisons or {}

    def chunked(document: Document, spans: list[Span] | Failed) -> Item:
        if isinstance(spans, Failed):
            return replace(spans, poison=document.content_hash)
        return _chunked(document, spans, signature, timestamp(int(time.time())))

    for batch in batches:
        items: list[Item] = []
        for item in batch:
            if not isinstance(item, Document):
                items.append(item)
            elif item.content_hash in known:
                items.append(_failed_before(item, known[item.content_hash]))
            elif (words := count_words(item.text)) > options.threshold:
                chunkers.submit(item)
            else:
                items.append(chunked(item, [_whole_span(item.text, item.candidate.path, words)]))
        items += [chunked(*result) for result in chunkers.ready()]
        if items:
            yield items
    for results in chunkers.rest():
        yield [chunked(*result) for result in results]


def _failed_before(document: Document, poison: Poison) -> Failed:
    message = f"{poison.message} (not tried again until the file changes, or with --retry-failed)"
    return Failed(document.candidate.path, "chunk", poison.error_type, message, rows_are_gone=True)


def _whole_span(text: str, path: str, words: int) -> Span:
    """Return the one chunk of a short text. Its section is its first heading."""
    kind, _ = kind_of(path, text)
    headings = [heading.line_text for heading in headings_of(text, path)]
    first, last = whole_span_lines(text)
    return Span(
        start=0,
        end=len(text),
        tokens=words,
        start_line=first,
        end_line=last,
        section=headings[0] if headings else None,
        kind=kind,
        headings=HEADINGS_SEPARATOR.join(dict.fromkeys(headings)),
        symbols=symbols_in(text) if kind == "code" else "",
    )


def chunk_id(path: str, index: int, content_hash: str) -> str:
    """Return the stable name of a chunk: the same path, index and content always give the same one.

    `content_hash` is the SHA-256 of the content as UTF-8, in hexadecimal.
    """
    return hashlib.sha256(f"{path}\0{index}\0{content_hash}".encode()).hexdigest()[:32]


def _content_hash(document: Document, content: str) -> str:
    if content.isascii() and len(content) == len(document.text) == document.candidate.stat.size_bytes:
        return document.content_hash  # it is all of the file, byte for byte
    return hashlib.sha256(content.encode()).hexdigest()


def _chunked(document: Document, spans: list[Span], signature: str, now: str) -> Chunked:
    candidate = document.candidate
    terms = path_terms(candidate.path, candidate.root)
    rows = tuple(_row(document, index, span, terms) for index, span in enumerate(spans))
    file = FileRecord(
        abs_path=candidate.path,
        root_path=candidate.root,
        content_hash=document.content_hash,
        config_signature=signature,
        stat=candidate.stat,
        verified_ns=candidate.verified_ns,
        modified_at=timestamp(candidate.stat.mtime_ns // NANOSECONDS),
        indexed_at=now,
        encoding=document.encoding,
        chunk_count=len(rows),
    )
    return Chunked(file, rows)


def _row(document: Document, index: int, span: Span, terms: str) -> ChunkRecord:
    path = document.candidate.path
    content = document.text[span.start : span.end]
    return ChunkRecord(
        chunk_id=chunk_id(path, index, _content_hash(document, content)),
        abs_path=path,
        chunk_index=index,
        content=content,
        token_count=span.tokens,
        start_line=span.start_line,
        end_line=span.end_line,
        start_char=span.start,
        end_char=span.end,
        section=span.section,
        kind=span.kind,
        headings=span.headings,
        path_terms=terms,
        symbols=span.symbols,
    )


def timestamp(seconds: int) -> str:
    """Return the UTC time so long after 1970, or the last one there is: file systems know later ones."""
    try:
        return (EPOCH + timedelta(seconds=seconds)).isoformat() + "Z"
    except OverflowError:
        return LAST_TIME
