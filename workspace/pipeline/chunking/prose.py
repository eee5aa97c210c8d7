"""The default chunker: chonkie's RecursiveChunker over paragraphs, lines, sentences, pauses and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chonkie import RecursiveChunker, RecursiveRules

from workspace.pipeline.chunking.tokenizer import WordTokenizer
from workspace.text.words import count_words

if TYPE_CHECKING:
    from workspace.text.words import TokenGrid

MIN_CHARACTERS: Final = 24
"""Characters below which a split is joined to its neighbour: chonkie's own default, stated because it decides cuts."""


class LostTextError(ValueError):
    """The pieces that a chunker gave do not add up to the text it was given."""


class _UncachedChunker(RecursiveChunker):
    """chonkie's chunker without its cache of counts, which would keep thousands of texts alive in the worker."""

    def _estimate_token_count(self, text: str) -> int:  # type: ignore[override]
        return count_words(text)


def split_prose(text: str, grid: TokenGrid, size: int) -> list[int]:
    """Return cuts of `text` between paragraphs where they can be, else lines, sentences, pauses or words.

    Raises `LostTextError` if chonkie loses or invents text.
    """
    return split_region(text, grid, 0, len(text), size)


def split_region(text: str, grid: TokenGrid, start: int, end: int, size: int) -> list[int]:
    """Return cuts, as offsets in `text`, of the part from `start` to `end`; the first is `start`.

    Raises `LostTextError` if chonkie loses or invents text.
    """
    if grid.count(start, end) <= size:
        return [start]
    region = text[start:end]
    chunker = _UncachedChunker(
        tokenizer=WordTokenizer(),
        chunk_size=size,
        rules=RecursiveRules(levels=None),
        min_characters_per_chunk=MIN_CHARACTERS,
    )
    cuts, offset = [], 0
    for chunk in chunker.chunk(region):
        if not region.startswith(chunk.text, offset):
            raise LostTextError(f"the piece at character {start + offset} is not what stands there")
        cuts.append(start + offset)
        offset += len(chunk.text)
    if offset != len(region):
        raise LostTextError(f"the pieces end at character {start + offset}, the text at {end}")
    return cuts
