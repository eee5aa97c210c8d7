"""From cuts to chunks: the last step of every chunker, which alone answers for sizes, edges and overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workspace.text.words import TokenGrid


class Piece(NamedTuple):
    """A chunk in words of its text: its own are `first` up to, not including, `end`; it starts at `overlapped`."""

    overlapped: int
    first: int
    end: int


def pieces_of(cuts: Iterable[int], grid: TokenGrid, *, size: int, overlap: int) -> Iterator[Piece]:
    """Yield the chunks that `cuts` make, whatever these are: their own words tile the text.

    Each holds at least one word and at most `size`, and repeats up to `overlap` of the words before it.
    """
    firsts = sorted({0, *map(grid.word_at, cuts)} - {len(grid)})
    for first, end in zip(firsts, [*firsts[1:], len(grid)], strict=True):
        for begin in range(first, end, size):
            yield Piece(max(0, begin - overlap), begin, min(begin + size, end))
