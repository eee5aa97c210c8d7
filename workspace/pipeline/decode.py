"""From bytes to text: the encoding is found, never assumed, and nothing of a file is lost or replaced."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workspace.pipeline.legacy import ASCII, likeliest, sample_of
from workspace.pipeline.wide import decode_wide

if TYPE_CHECKING:
    from workspace.pipeline.code_pages import CodePage

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_VALID_FOR_EACH_STRAY: Final = 9
"""Valid sequences that make up for a stray byte: one old line must not turn a long file into mojibake."""

_LEAST_CONFIDENCE: Final = 0.5
"""Confidence, which is 1 - chaos, that charset-normalizer must have in a reading of old bytes."""

_FEW_BYTES: Final = 64
"""Non-ASCII bytes below which charset-normalizer's doubt does not count against windows-1252: it needs more of them."""

_PAIRED_BYTES: Final = 128
"""Non-ASCII bytes from which a file proves its sparse code page by not holding a single stray: half of all pairs would
be one. There chaos says nothing more: lists of symbols, or Korean slang, are as chaotic as noise."""

_MOST_CONTROLS: Final = 0.02
"""Share of control characters in old text. Compressed or encrypted bytes have 9 %."""

_CONTROLS: Final = bytes({*range(0x20), 0x7F} - set(b"\b\t\n\v\f\r\x1a\x1b"))
"""Controls that no text holds. Pages for printers have backspaces, terminal logs have escapes, DOS files end in SUB."""

_STRAY: Final = re.compile("[\udc80-\udcff]")
"""What the "surrogateescape" error handler makes of a byte that its codec cannot read."""

_UNDEFINED_IN_WINDOWS_1252: Final = b"\x81\x8d\x8f\x90\x9d"

_SHIFTS: Final = (
    (b"\x1b$B", "iso2022_jp_ext", "iso-2022-jp"),
    (b"\x1b$@", "iso2022_jp_ext", "iso-2022-jp"),
    (b"\x1b$)C", "iso2022_kr", "iso-2022-kr"),
)


class EncodingError(ValueError):
    """No encoding fits; the text says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and the encoding it was in, by its IANA name in lower case."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded | None:
    """Return the text that `data` holds; None if it is binary.

    The first of these that fits decides: a byte-order mark, which is dropped; NUL bytes; the escapes of ISO-2022;
    UTF-8; UTF-8 with a few stray bytes; the likeliest old code page. The text never holds a lone surrogate.

    Raises:
        EncodingError: nothing fits.

    """
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return _decode_marked(data)
    if b"\0" in data:
        wide = decode_wide(data)
        return Decoded(*wide) if wide else None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _decode_cut_utf8(data) or _decode_stained_utf8(data) or _decode_legacy(data)
    if "\x1b$" in text:
        return _decode_shifted(data) or Decoded(text, "utf-8")
    return Decoded(text, "utf-8")


def _decode_marked(data: bytes) -> Decoded:
    for mark, encoding in _MARKS:
        if not data.startswith(mark):
            continue
        errors = "surrogateescape" if encoding == "utf-8" else "strict"
        try:
            return Decoded(_strays_read(data[len(mark) :].decode(encoding, errors)), encoding)
        except UnicodeDecodeError:
            marked = encoding
    raise EncodingError(f"its byte-order mark says {marked.upper()}, but it is not valid {marked.upper()}")


def _decode_shifted(data: bytes) -> Decoded | None:
    """Read ISO-2022: Japanese or Korean mail, which is ASCII to everybody who does not know what its escapes mean."""
    for shift, codec, encoding in _SHIFTS:
        if shift in data:
            try:
                return Decoded(data.decode(codec), encoding)
            except UnicodeDecodeError:
                continue
    return None


def _decode_cut_utf8(data: bytes) -> Decoded | None:
    """Read UTF-8 of which only the last sequence is incomplete, if more than one byte says that it is UTF-8."""
    try:
        text, length = codecs.utf_8_decode(data, "strict", False)
    except UnicodeDecodeError:
        return None
    if text.isascii() and len(data) - length == 1:
        return None  # a single accented letter at the end of an old file looks the same
    return Decoded(text + _strays_read(data[length:].decode("utf-8", "surrogateescape")), "utf-8")


def _decode_stained_utf8(data: bytes) -> Decoded | None:
    """Read UTF-8 that holds bytes which are not, if nearly all of its sequences are valid."""
    kept = data.decode("utf-8", "ignore")
    strays = len(data) - len(kept.encode())
    valid = len(kept) - (len(data) - len(data.translate(None, ASCII)))
    if valid < strays * _VALID_FOR_EACH_STRAY:
        return None
    return Decoded(_strays_read(data.decode("utf-8", "surrogateescape")), "utf-8")


def _strays_read(text: str) -> str:
    """Read each byte that was no valid sequence as windows-1252: one character for one byte, so nothing is lost."""
    return _STRAY.sub(_read_stray, text)


def _read_stray(match: re.Match[str]) -> str:
    byte = match[0].encode("utf-8", "surrogateescape")
    return byte.decode("latin-1" if byte in _UNDEFINED_IN_WINDOWS_1252 else "cp1252")


def _decode_legacy(data: bytes) -> Decoded:
    """Read the likeliest old code page in which nearly all of the file is valid, if charset-normalizer trusts it."""
    if len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _MOST_CONTROLS:
        raise EncodingError("it is not Unicode, and has more control characters than text has")
    sample = sample_of(data)
    old_bytes = len(data.translate(None, ASCII))
    for page in likeliest(sample):
        text, strays = _STRAY.subn(_read_stray, data.decode(page.codec, "surrogateescape"))
        if strays * _VALID_FOR_EACH_STRAY > old_bytes:
            continue
        proven = page.is_sparse and not strays and old_bytes >= _PAIRED_BYTES
        if proven or _is_trusted(sample, page):
            # Accents follow their vowels in Vietnamese windows-1258, but not in what people type.
            return Decoded(unicodedata.normalize("NFC", text) if page.codec == "cp1258" else text, page.name)
    raise EncodingError("it is not Unicode, and no other encoding makes sense of it")


def _is_trusted(sample: bytes, page: CodePage) -> bool:
    """Tell whether charset-normalizer has confidence in what `sample` says in a code page."""
    if page.codec == "cp1252" and len(sample.translate(None, ASCII)) < _FEW_BYTES:
        return True
    from charset_normalizer import from_bytes

    text = _STRAY.sub("", sample.decode(page.codec, "surrogateescape")).encode()
    best = from_bytes(  # chaos is a property of the text, so it may as well be UTF-8
        text,
        steps=1,  # one look at all of it: its own samples end in scraps, whose chaos means nothing
        chunk_size=len(text),
        threshold=1.0,  # the judgement is ours, below
        cp_isolation=["utf_8"],
        preemptive_behaviour=False,
        enable_fallback=False,
    ).best()
    return best is not None and 1 - best.chaos >= _LEAST_CONFIDENCE
