"""What every chunker is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from workspace.text.words import TokenGrid

Chunker = Callable[[str, TokenGrid, int], list[int]]
"""``(text, grid, size) -> cuts``: the ascending offsets at which pieces of at most `size` words start, the first 0.

A chunker is a pure function and need not be exact: a cut inside a word or in white space is moved, a piece that has no
word is dropped, and one that is too long is divided (`pieces.py`)."""


class Cut(NamedTuple):
    """Where a piece starts, and the section that its chunker knows it to be in."""

    offset: int
    section: str | None


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """Sizes in words.

    Files of more than `threshold` are cut into chunks of at most `chunk_size`, each of which begins with the last
    `overlap` of what precedes it.
    """

    chunk_size: int
    overlap: int
    threshold: int

    @property
    def base_size(self) -> int:
        """The most words that a chunk holds before it is extended by its overlap."""
        return self.chunk_size - self.overlap
