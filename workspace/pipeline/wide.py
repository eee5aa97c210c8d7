"""UTF-16 and UTF-32 without a byte-order mark, told from binary data by where the NUL bytes are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAMPLE_CHARACTERS: Final = 4096
"""Characters whose scripts are looked at. Controls are looked for in the whole text."""

_COHERENT: Final = 0.95
"""Share of a text that is Latin, punctuation or its main script. Random 16-bit numbers reach a half."""

_LEAST_OF_A_SCRIPT: Final = 3
"""Characters of a script other than Latin that make a text. Fewer may well be two bytes of something else."""

_NUL_RUN: Final = b"\0" * 7
"""Never found in text: seven NULs hold a whole NUL character, however it is encoded. Ends most binary files at once."""

_CONTROLS: Final = re.compile("[\0-\x07\x0e-\x19\x1c-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff]")

_NEUTRAL: Final = "neutral"
_NONE: Final = "no script"


def decode_wide(data: bytes) -> tuple[str, str] | None:
    """Return text and encoding of `data`, which holds NUL bytes; None if it is binary."""
    if _NUL_RUN in data:
        return None
    for encoding in _possible_encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _CONTROLS.search(text) is None and _is_coherent(text[:_SAMPLE_CHARACTERS]):
            return text, encoding
    return None


def _possible_encodings(data: bytes) -> Iterator[str]:
    """Yield what the length and the positions of the NUL bytes allow."""
    if len(data) % 4 == 0:
        if not data[3::4].strip(b"\0"):
            yield "utf-32-le"
        if not data[0::4].strip(b"\0"):
            yield "utf-32-be"
    if len(data) % 2 == 0:
        yield from ("utf-16-le", "utf-16-be")


def _is_coherent(text: str) -> bool:
    """Tell text from numbers and from names with NULs: it is mostly Latin, or in one script and no accident."""
    counts = Counter(text)
    total = counts.total()
    latin = sum(count for character, count in counts.items() if character < "\u0100")
    scripts: Counter[str | int] = Counter()
    for character, count in counts.items():
        scripts[_script(character)] += count
    none, neutral = scripts.pop(_NONE, 0), scripts.pop(_NEUTRAL, 0)
    if none > total * (1 - _COHERENT) or not latin:
        return False
    if 2 * latin > total:
        return total > 1
    main = max(scripts.values(), default=0)
    accidents = sum(count for character, count in counts.items() if _is_accident(character))
    return main >= _LEAST_OF_A_SCRIPT and main + neutral >= total * _COHERENT and 2 * accidents <= total


def _script(character: str) -> str | int:
    """Return roughly the script of a character: a name, or the number of its block of 512."""
    code = ord(character)
    if code < 0x250 or 0x1E00 <= code < 0x1F00 or 0x2000 <= code < 0x2C00 or code >= 0x1F000:
        return _NEUTRAL if unicodedata.category(character) != "Cn" else _NONE
    if 0x3000 <= code < 0x3200 or 0x4E00 <= code < 0xA000 or 0xFF00 <= code < 0x10000:
        return "Chinese or Japanese"
    if 0xAC00 <= code < 0xD7A4:
        return "Korean"
    return code >> 9 if unicodedata.category(character) not in {"Cn", "Co"} else _NONE


def _is_accident(character: str) -> bool:
    """Tell a character whose bytes are a letter of ASCII and another of its characters, or a NUL.

    Names with a NUL after each are full of the former, text read from the wrong end of the latter.
    """
    high, low = divmod(ord(character), 256)
    return 0x41 <= high < 0x7F and (0x20 <= low < 0x7F or not low)
