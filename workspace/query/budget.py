"""How much text the hits of one search may hold together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TOTAL_BYTES: Final = 90_000
"""Bytes of all contents together, as JSON in UTF-8: about 25,000 tokens of a language model's context."""

PUNCTUATION_BYTES: Final = 4
"""Two quotes, a comma and a space: what a content costs besides itself."""

OWED_BYTES: Final = 1_500
"""What is kept for each lower hit while a higher one is served: a paragraph, or all of a shorter row."""

OWED_SHARE: Final = 2 / 3
"""Of the total, what is owed at most: a thousand hits get a line each, and the best of them still their rows."""

_escaped = json.encoder.encode_basestring
"""What ``json.dumps(..., ensure_ascii=False)`` does to a string, without its overhead."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a passage may fill: `chars` characters, and `size` bytes as JSON."""

    chars: int
    size: int

    def holds(self, text: str) -> bool:
        """Return whether `text` fits."""
        return len(text) <= min(self.chars, self.size) and encoded_size(text) <= self.size

    def half(self) -> Room:
        """Return half of this room."""
        return Room(self.chars // 2, self.size // 2)

    def without(self, text: str) -> Room:
        """Return the room that `text`, which fits, leaves."""
        return Room(self.chars - len(text), self.size - encoded_size(text))


def encoded_size(text: str) -> int:
    """Return the bytes of `text` as JSON in UTF-8, quotes excluded; the sizes of its parts add up to it."""
    escaped = _escaped(text)
    return (len(escaped) if escaped.isascii() else len(escaped.encode())) - 2


def owed_below(sizes: Sequence[int]) -> list[int]:
    """Return for each hit what must be left for those below it, given the bytes of all hits' rows, best first."""
    each = min(OWED_BYTES, int(TOTAL_BYTES * OWED_SHARE / len(sizes))) if sizes else 0
    owed = [min(size, each) + PUNCTUATION_BYTES for size in reversed(sizes)]
    return list(accumulate(owed, initial=0))[-2::-1]
