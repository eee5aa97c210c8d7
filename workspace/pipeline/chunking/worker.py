"""What runs in a worker process: texts in, spans out; nothing that happens here may escape as an exception object."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from workspace.pipeline.items import Span

if TYPE_CHECKING:
    from workspace.pipeline.chunking.options import ChunkOptions

log = logging.getLogger(__name__)

Text = tuple[str, str, bool]
"""A text, its path, and whether only the default chunker is to be tried."""

Answer = list[Span] | tuple[str, str]
"""The spans of a text, or the class name and message of what the default chunker raised."""


def limit_memory(limit: int) -> None:
    """Let this process have at most `limit` bytes, where the system can tell: more is a MemoryError, or its end."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # no such thing here, or a lower limit is in force
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def chunk_group(texts: list[Text], options: ChunkOptions) -> list[Answer]:
    """Chunk each text by the chunker of its kind, or by the default one where that fails."""
    return [_chunk(text, path, options, fallback=fallback) for text, path, fallback in texts]


def _chunk(text: str, path: str, options: ChunkOptions, *, fallback: bool) -> Answer:
    from workspace.pipeline.chunking.chunker import chunk_text

    if not fallback:
        try:
            return chunk_text(text, path, options)
        except Exception as error:  # noqa: BLE001 - whatever a chunker raises, the default one gets its turn
            log.warning("%s: %s; trying the default chunker", path, error)
    try:
        return chunk_text(text, path, options, fallback=True)
    except Exception as error:  # noqa: BLE001 - reported as text: exceptions do not cross the process border
        return type(error).__name__, str(error) or "the chunkers gave no reason"
