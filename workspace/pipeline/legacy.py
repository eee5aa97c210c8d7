"""Which old code page bytes were written in, judged by the letters, words and typography that they spell.

A reading is scored as a likelihood: how probable are these bytes if somebody wrote that language in this code page?
Bytes that mean the same in every code page say nothing, so only the surroundings of non-ASCII bytes are looked at.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import repeat
from operator import mul
from typing import TYPE_CHECKING, Final

from workspace.pipeline.code_pages import CODE_PAGES, Ideographs, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workspace.pipeline.code_pages import CodePage

WINDOWS: Final = 16
WINDOW_BYTES: Final = 512
"""A large file is judged by this many windows of this size, from its beginning to its end: a word in another language
near the top must not decide, and the guess must not take longer the larger the file is."""

_CONTEXT: Final = 128
"""Bytes looked at before the first non-ASCII one of a window, so that its word is whole."""

_FARTHEST_BOUNDARY: Final = 8192
"""How far a window is stretched to end between words: Chinese may have no ASCII separator for a whole page."""

_FOREIGN: Final = math.log(1e-5)
"""What a character costs that its language does not have: a quoted name happens, two in one word hardly."""

_NOISE: Final = math.log(1 / 256)
"""What a byte costs that means nothing."""

_TOLERANCE: Final = 3.0
"""How much less likely than noise, or than the best reading, a reading may be and still count: an ellipsis is text."""

_MOSTLY_ASCII: Final = 0.125
"""Share of non-ASCII bytes up to which a file is text, whatever they mean: a keyboard map, say."""

_ALONE: Final = math.log(0.1)
"""What a word of one letter costs in another script. Single characters are rather symbols, or tables of letters."""

_ENOUGH_WORDS: Final = 0.1
_FEW_WORDS: Final = 0.001
"""Shares of words: fewer words than the first are not what a text in another script has, and count against it."""

_TOLERANCE_FOR_EACH_BYTE: Final = 0.02
"""How much more that may be, compared with the best reading, in a longer sample."""

_CAPITALISED: Final = math.log(0.3)
_CAPITALS: Final = math.log(0.05)
_MIXED_CASE: Final = math.log(0.001)
_SPLIT_WORD: Final = math.log(0.02)
"""What a word costs that begins with a capital, is all capitals, mixes both, or has a symbol where none is."""

_STUTTER: Final = math.log(0.02)
"""What each letter costs in a row of the same letter: frames and rules drawn with characters are no words."""

ASCII: Final = bytes(range(0x80))
_NON_ASCII: Final = re.compile(rb"[\x80-\xff]")
_BOUNDARY: Final = re.compile(rb"[\x00-/]")
"""Bytes that are never the second half of a character, in any code page."""

_SURROUNDINGS: Final = re.compile(rb"[A-Za-z]{0,2}(?:[\x80-\xff]+[0-9@-~]{0,2})+")
"""Non-ASCII bytes, what may be second halves after them, and two letters before them."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_MISPLACED_SYMBOL: Final = re.compile(
    r"(?<=[^\W\d_])"
    r"[^\w\s\x00-\x7f\u2019\u00b7\u2013\u2014\u2026"  # apostrophes, dashes and the like do stand between letters
    r"\u0300-\u036f\u0590-\u06ff\u0e00-\u0e7f\u3000-\uffff]"  # and so do combining marks and wide punctuation
    r"(?=[^\W\d_])"
    r"|[¤¦¨ª¬¯²³\u00b4\u00b8¹º¼½¾](?=[^\W\d_])"  # these do not stand before letters either
)
_ROW: Final = re.compile(r"([^\W\d_])\1{3,}")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What bytes say in a code page; `letters` is the log-likelihood, whatever the shapes of the words."""

    page: CodePage
    letters: float


def sample_of(data: bytes) -> bytes:
    """Return the parts of `data` by which it is judged: whole words around non-ASCII bytes, from all over it."""
    if len(data) <= WINDOWS * WINDOW_BYTES:
        return data
    return b"\n".join(_windows(data)) or data[: WINDOWS * WINDOW_BYTES]


def likeliest(sample: bytes) -> list[CodePage]:
    """Return the code pages that `sample` may be in, the likeliest first; none if it is noise in all of them."""
    found = _SURROUNDINGS.findall(sample)
    surroundings = b" ".join(found)
    foreign_cost = _foreign_cost(found, len(sample.split()))
    counts = Counter(surroundings)
    readings = [_read(surroundings, counts, page, foreign_cost) for page in CODE_PAGES]
    readings.sort(key=lambda reading: -reading.letters)
    tolerance = _TOLERANCE + _TOLERANCE_FOR_EACH_BYTE * len(surroundings)
    least = -math.inf
    if len(sample.translate(None, ASCII)) > len(sample) * _MOSTLY_ASCII:
        least = _NOISE * sum(map(len, found)) - _TOLERANCE
    scores: dict[CodePage, float] = {}
    for reading in readings:
        if reading.letters < least:
            break  # shapes only cost: no later one can be likelier
        text = surroundings.decode(reading.page.codec, "surrogateescape")
        scores[reading.page] = reading.letters + _shape(text)
        least = max(least, scores[reading.page] - tolerance)
    return sorted((page for page, score in scores.items() if score >= least), key=lambda page: -scores[page])


def _foreign_cost(found: list[bytes], words: int) -> float:
    """Return what speaks against a script other than Latin: nearly all words are ASCII, or the others one letter."""
    share = max(_FEW_WORDS, len(found) / max(words, 1))
    return math.log(min(1.0, share / _ENOUGH_WORDS)) + sum(len(each) == 1 for each in found) * _ALONE


def _windows(data: bytes) -> Iterator[bytes]:
    """Yield windows that begin and end between words; where no boundary is in reach, there is none."""
    taken = 0
    for nth in range(WINDOWS):
        found = _NON_ASCII.search(data, max(taken, nth * len(data) // WINDOWS))
        if found is None:
            return
        earliest = found.start() - _CONTEXT
        start = taken if earliest <= taken else _boundary(data, earliest)
        end = _boundary(data, max(start or 0, found.start()) + WINDOW_BYTES)
        if start is not None and end is not None:
            yield data[start:end]
            taken = end


def _boundary(data: bytes, position: int) -> int | None:
    """Return where the next word begins; the end of the data counts, None is too far."""
    if position >= len(data):
        return len(data)
    found = _BOUNDARY.search(data, position, position + _FARTHEST_BOUNDARY)
    return found.end() if found else None


def _read(surroundings: bytes, counts: Counter[int], page: CodePage, foreign_cost: float) -> _Reading:
    """Read the surroundings, in which each byte occurs as often as `counts` says, in the language that fits best."""
    characters = _characters(surroundings, counts, page)
    del characters[" "]
    letters = max(
        sum(map(mul, characters.values(), map(table.get, characters, repeat(_FOREIGN))))
        for table in tables(page.script)
    )
    return _Reading(page, letters - page.rarity + (0 if page.script.is_latin else foreign_cost))


def _characters(surroundings: bytes, counts: Counter[int], page: CodePage) -> Counter[str]:
    """Return how often each lower-case character occurs; where it is a byte, without reading them all again."""
    if isinstance(page.script, Ideographs):
        return Counter(surroundings.decode(page.codec, "surrogateescape").lower())
    characters: Counter[str] = Counter()
    for character, count in zip(bytes(counts).decode(page.codec, "surrogateescape"), counts.values(), strict=True):
        for lower in character.lower():
            characters[lower] += count
    return characters


def _shape(text: str) -> float:
    """Return what the shapes of the words cost: capitals in wrong places are the mark of a wrong code page."""
    cost = len(_MISPLACED_SYMBOL.findall(text)) * _SPLIT_WORD
    cost += (len(text) - len(_ROW.sub("", text))) * _STUTTER
    for word, count in Counter(_WORD.findall(text)).items():
        if word[1:] != word[1:].lower():
            cost += count * (_CAPITALS if word == word.upper() else _MIXED_CASE)
        elif word[0] != word[0].lower():
            cost += count * _CAPITALISED
    return cost
