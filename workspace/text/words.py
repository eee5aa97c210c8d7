r"""Words: the one unit in which sizes, overlaps and thresholds are counted.

A word is a maximal run of characters that are not white space (``str.isspace``, which is what ``\s`` matches). A
run of more than `LONGEST_WORD` characters counts as several words: each ends after the last character within the next
`LONGEST_WORD` that is not alphanumeric, or has exactly that length where there is none. A token is a word and the
white space after it; white space at the beginning of a text belongs to its first token.

Cutting a text at token starts changes no count: every piece has, on its own, the tokens it had in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final

LONGEST_WORD: Final = 256
"""Characters in a word. Above it lie minified code and base64, of which one "word" could fill a chunk with megabytes;
below it lie all words of prose and nearly all paths and URLs, which stay whole."""

_SHORT: Final = rf"\S{{1,{LONGEST_WORD}}}+(?!\S)"
_CUT_AT_PUNCTUATION: Final = rf"\S{{0,{LONGEST_WORD - 1}}}(?:[^\w\s]|_)"
_CUT_ANYWHERE: Final = rf"\S{{{LONGEST_WORD}}}"
_TOKEN: Final = re.compile(rf"(?:{_SHORT}|{_CUT_AT_PUNCTUATION}|{_CUT_ANYWHERE})\s*+")


_LONG_LINE: Final = re.compile(rf"\n[^\n]{{{LONGEST_WORD + 1}}}")
"""Where a word can be that is too long to be one, but in the first line. Lines are far fewer than words."""

_BLANKED: Final = "".join(" " if chr(byte).isspace() else "x" for byte in range(0x80)).encode().ljust(256, b"x")
"""ASCII as it looks to somebody who only tells white space from what is none."""


def count_words(text: str) -> int:
    """Return the number of words in `text`."""
    if (len(text) > LONGEST_WORD and "\n" not in text[: LONGEST_WORD + 1]) or _LONG_LINE.search(text):
        return sum(1 if len(run) <= LONGEST_WORD else len(_TOKEN.findall(run)) for run in text.split())
    if text.isascii():  # words are counted where they begin: without making each of them, a third faster
        shape = text.encode().translate(_BLANKED)
        return shape.count(b" x") + shape.startswith(b"x")
    return len(text.split())


def tokens_of(text: str) -> list[str]:
    """Return the tokens of `text`, which joined give it back; one that is only white space has a single token."""
    tokens: list[str] = _TOKEN.findall(text)
    leading = len(text) - len(text.lstrip())
    if leading:
        tokens[:1] = [text[:leading] + "".join(tokens[:1])]
    return tokens


def token_starts(text: str) -> list[int]:
    """Return the offsets at which the tokens of `text` start: one for each word, the first always 0."""
    starts = [match.start() for match in _TOKEN.finditer(text)]
    starts[:1] = [0] if starts else []  # white space at the beginning belongs to the first
    return starts


class TokenGrid:
    """The tokens of one text as offsets, so that any stretch of it is measured in words by two look-ups.

    `starts` are the token starts, ascending, the first of them 0. Words are numbered from 0 in the same order.
    """

    __slots__ = ("_leading", "_text", "starts")

    def __init__(self, text: str) -> None:
        self.starts = token_starts(text)
        self._text = text
        self._leading = len(text) - len(text.lstrip())

    def __len__(self) -> int:
        return len(self.starts)

    def count(self, start: int, end: int) -> int:
        """Return how many tokens start in [`start`, `end`): the words in between, if `start` lies inside none."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def word_at(self, offset: int) -> int:
        """Return the number of the word that a piece cut at `offset` begins with.

        A cut inside a word stands for one before it; a cut in white space stands for one before the next word.
        """
        if offset >= len(self._text):
            return len(self.starts)
        if offset <= self._leading:
            return 0
        word = bisect_right(self.starts, offset) - 1
        return word + (self.starts[word] != offset and self._text[offset].isspace())

    def edge(self, word: int) -> int:
        r"""Return the offset at which a piece that begins with word number `word` is cut off from what precedes it.

        That is the start of the word's line where only indentation precedes it there, else the start of the word: so
        pieces are whole lines where they can be, and no edge lies inside a word or between ``\r`` and ``\n``.
        """
        if word == 0:
            return 0
        if word >= len(self.starts):
            return len(self._text)
        start, before = self.starts[word], max(self.starts[word - 1], self._leading)
        line = max(self._text.rfind("\n", before, start), self._text.rfind("\r", before, start)) + 1
        return line or start
