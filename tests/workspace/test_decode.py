"""Unicode in every disguise, and what is not text at all. Old code pages have a test module of their own."""

from __future__ import annotations

import codecs
import io
import random
import sqlite3
import subprocess
import sys
import tarfile
import zlib
from array import array
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from workspace.pipeline.decode import Decoded, EncodingError, decode

texts = st.text(st.characters(exclude_categories=["Cs"]))
SENTENCES = {
    "English": "Nothing but plain words.\r\nAnd a second line.\n",
    "French": "Où est passé l'été ? Ça coûte 5 €.\n",
    "Russian": "Прошлым летом мы побывали в старом замке.\n",
    "Greek": "Το περασμένο καλοκαίρι, ένα παλιό κάστρο.\n",
    "Hebrew": "בקיץ שעבר ביקרנו בטירה עתיקה.\n",
    "Arabic": "في الصيف الماضي زرنا قلعة قديمة.\n",
    "Hindi": "पिछली गर्मियों में हम एक पुराने किले में गए।\n",
    "Amharic": "ባለፈው በጋ አንድ ጥንታዊ ቤተ መንግሥት ጎበኘን።\n",
    "Thai": "ฤดูร้อนที่แล้วเราไปเที่ยวปราสาทเก่า\n",
    "Vietnamese": "Mùa hè năm ngoái chúng tôi đến thăm một tòa lâu đài cổ.\n",
    "Japanese": "昨年の夏、古い城を訪れました。コンピュータ 123\n",
    "Chinese": "去年夏天，我们参观了一座古老城堡。一二三\n",
    "Korean": "지난여름 우리는 오래된 성을 방문했습니다.\n",
    "emoji": "Done 🎉 and dusted 👍🏽\n",
}


def text_of(data: bytes) -> str:
    decoded = decode(data)
    assert decoded is not None, "taken for binary"
    return decoded.text


# --- Byte-order marks ---------------------------------------------------------------------------------------


@given(texts)
def test_any_text_comes_back_from_behind_a_byte_order_mark(text):
    assert decode(text.encode("utf-8-sig")) == Decoded(text, "utf-8")
    assert decode(codecs.BOM_UTF16_BE + text.encode("utf-16-be")) == Decoded(text, "utf-16-be")
    assert decode(codecs.BOM_UTF32_LE + text.encode("utf-32-le")) == Decoded(text, "utf-32-le")
    assert decode(codecs.BOM_UTF32_BE + text.encode("utf-32-be")) == Decoded(text, "utf-32-be")
    assume(not text.startswith("\0"))  # UTF-16-LE cannot be told from UTF-32-LE then
    assert decode(codecs.BOM_UTF16_LE + text.encode("utf-16-le")) == Decoded(text, "utf-16-le")


def test_only_the_first_mark_is_one():
    assert text_of("\ufeff\ufefftwo".encode()) == "\ufefftwo"


def test_a_mark_decides_even_over_stray_bytes():
    assert decode(b"\xef\xbb\xbfcaf\xe9") == Decoded("café", "utf-8")
    assert text_of(b"\xff\xfe\0\0a\0") == "\0a"  # no valid UTF-32, so the mark is that of UTF-16


@pytest.mark.parametrize("data", [b"\xff\xfea", b"\xff\xfe\x00\xd8", b"\xfe\xff\xdc\x00a\0", b"\0\0\xfe\xff\0\x11\0\0"])
def test_invalid_utf_16_or_32_behind_a_mark_is_an_error(data):
    with pytest.raises(EncodingError, match=r"byte-order mark says UTF-(16|32)-[LB]E"):
        decode(data)


# --- UTF-16 and UTF-32 without a mark ---------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("language", SENTENCES)
def test_wide_text_without_a_mark_is_found_by_its_nul_bytes(language, encoding):
    sentence = SENTENCES[language]
    for text in (sentence, sentence * 500, "see also: " + sentence, "Ж".join([sentence] * 3)):
        assert decode(text.encode(encoding)) == Decoded(text, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["hi", "ok\n", "日本語\n", "日本語 テスト", "你好 world", "да\n" * 3, "一二三 一"])
def test_short_wide_text_is_found_too(text, encoding):
    assert decode(text.encode(encoding)) == Decoded(text, encoding)


def sqlite_file(tmp_path) -> bytes:
    path = tmp_path / "some.db"
    connection = sqlite3.connect(path)
    connection.execute("create table t(a, b)")
    connection.close()
    return path.read_bytes()


def tar_file() -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        member = tarfile.TarInfo("notes.txt")
        member.size = 5
        archive.addfile(member, io.BytesIO(b"words"))
    return target.getvalue()


PNG = (
    b"\x89PNG\r\n\x1a\n"
    b"\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9cc\0\x01\0\0\x05\0\x01"
)
BINARIES = {
    "png": PNG,
    "png, odd": PNG + b"\r",
    "tar": tar_file(),
    "python": Path(sys.executable).read_bytes()[: 1 << 20],
    "machine code": bytes.fromhex("554889e54883ec10c745fc000000008b45fc83c0018945fc837dfc0a7ef0c9c3"),
    "zeros": bytes(1000),
    "a nul in prose": b"plain words, then a \0 and more words",
    "a nul at the end": b"plain word\0",
    "a C string": b"abc\0",
    "names with a nul after each": b"".join(b"/usr/share/doc/file%d.txt\0" % n for n in range(50)),
    "names in UTF-8": "".join(f"/home/bär/Übung{n}.txt\0" for n in range(50)).encode(),
    "environment": b"HOME=/root\0PATH=/usr/bin:/bin\0LANG=C.UTF-8\0TERM=xterm\0",
    "16-bit sound": array("h", [(n * 7919) % 4001 - 2000 for n in range(5000)]).tobytes(),
    "32-bit numbers": array("i", [300 + n % 1000 for n in range(5000)]).tobytes(),
    "doubles": array("d", [n / 7 for n in range(500)]).tobytes() + b"\0\0",
    "one character": b"a\0",
    "UTF-16 and half a character": "some words".encode("utf-16-le") + b"x",
    "UTF-16 with a lone surrogate": "some words".encode("utf-16-le") + b"\x00\xd8",
}


@pytest.mark.parametrize("name", BINARIES)
def test_other_nul_bytes_mean_binary(name):
    assert decode(BINARIES[name]) is None


def test_a_database_is_binary(tmp_path):
    assert decode(sqlite_file(tmp_path)) is None


@pytest.mark.parametrize("size", [8, 20, 64, 1000, 100_000])
def test_random_bytes_with_a_nul_are_binary(size):
    generator = random.Random(size)  # noqa: S311 - nothing secret
    for _ in range(50 if size < 1000 else 5):
        data = generator.randbytes(size) + generator.choice([b"\0", b"\0a", b"a\0", b"\0\0"])
        assert data.startswith((b"\xff\xfe", b"\xfe\xff")) or decode(data) is None


def test_compressed_bytes_are_never_text():
    data = zlib.compress(random.Random(0).randbytes(3000))  # noqa: S311 - nothing secret
    assert decode(data) is None
    with pytest.raises(EncodingError):
        decode(data.replace(b"\0", b""))


# --- UTF-8 ------------------------------------------------------------------------------------------------------


@given(texts)
def test_any_text_without_nul_comes_back_from_utf8(text):
    assume("\0" not in text and not text.startswith("\ufeff") and "\x1b$" not in text)
    assert decode(text.encode()) == Decoded(text, "utf-8")


@pytest.mark.parametrize("text", ["", "plain", "\x1b[31mred\x1b[0m", "\x1b$ no shift", "\x1b$B cut", "\x01\x7f"])
def test_ascii_is_utf8_whatever_it_holds(text):
    assert decode(text.encode()) == Decoded(text, "utf-8")


def test_japanese_mail_is_not_ascii():
    assert decode("検索 engine".encode("iso2022_jp")) == Decoded("検索 engine", "iso-2022-jp")


STAINED = "déjà vu, œuvre, naïve, coûté, été, forêt, là, où\n"


def test_a_few_stray_bytes_are_read_as_windows_1252():
    """One old line does not turn all others into mojibake, and nothing of it is lost."""
    data = STAINED.encode() * 6 + "vieille ligne: été à 5 €".encode("cp1252") + b"\x81\x9d\n" + STAINED.encode()
    assert decode(data) == Decoded(STAINED * 6 + "vieille ligne: été à 5 €\x81\x9d\n" + STAINED, "utf-8")


def test_nine_of_ten_sequences_must_be_valid():
    assert decode("é ".encode() * 9 + b"\xe9 ") == Decoded("é " * 10, "utf-8")
    assert decode("é ".encode() * 18 + b"\xe9 \xe9 ") == Decoded("é " * 20, "utf-8")
    assert decode("é ".encode() * 17 + b"\xe9 \xe9 ").encoding != "utf-8"


def test_a_single_valid_sequence_proves_nothing():
    assert decode("é".encode() + b" \xe9 ").encoding != "utf-8"


@pytest.mark.parametrize("stray", [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82"])
def test_overlong_forms_and_surrogates_are_stray_bytes(stray):
    decoded = decode(STAINED.encode() * 9 + stray + b" end")
    assert decoded.encoding == "utf-8"
    assert decoded.text.removeprefix(STAINED * 9) == stray.decode("cp1252") + " end" if b"\x90" not in stray else True
    assert len(decoded.text) == len(STAINED * 9) + len(stray) + len(" end")


@pytest.mark.parametrize("character", ["é", "€", "語", "🎉"])
def test_a_file_cut_in_its_last_character_is_utf8(character):
    for length in range(1, len(character.encode())):
        tail = character.encode()[:length]
        decoded = decode("été ".encode() + tail)
        assert decoded.encoding == "utf-8"
        assert decoded.text.startswith("été ")
        assert len(decoded.text) == len("été ") + length
    long_tail = b"words " + character.encode()[:-1]
    assert text_of(long_tail).startswith("words ")


def test_an_accent_at_the_end_of_an_old_file_is_no_cut_character():
    assert decode(b"Caf\xe9") == Decoded("Café", "windows-1252")


@given(st.lists(st.one_of(texts.map(str.encode), st.binary(max_size=3)), max_size=8))
def test_nothing_is_lost_in_utf8_with_stray_bytes(pieces):
    """Each stray byte is one character of windows-1252, between texts that are what they were."""
    data = STAINED.encode() * 20 + b" ".join(piece.replace(b"\0", b"").replace(b"\x1b", b"") for piece in pieces)
    decoded = decode(data)
    assume(decoded is not None and decoded.encoding == "utf-8")
    escaped = data.decode("utf-8", "surrogateescape")
    assert len(decoded.text) == len(escaped)
    for was, now in zip(escaped, decoded.text, strict=True):
        byte = bytes([ord(was) - 0xDC00]) if "\udc80" <= was <= "\udcff" else None
        assert now == was if byte is None else now.encode("cp1252", "ignore") in {byte, b""}


# --- Whatever comes -----------------------------------------------------------------------------------------------


@given(st.one_of(st.binary(), st.binary(min_size=2).map(lambda data: data.replace(b"\0", b"\xe9"))))
@example(b"\xff\xfe")
@example(b"\x84\x31\x95\x33")
@example(b"\x1b$B\xff")
def test_any_bytes_are_text_binary_or_an_encoding_error(data):
    """Never another exception, a replacement character that is not in the data, or a lone surrogate."""
    try:
        decoded = decode(data)
    except EncodingError:
        return
    if decoded is not None:
        decoded.text.encode()
        assert "\ufffd" not in decoded.text or "\ufffd".encode(decoded.encoding) in data


def test_plain_utf8_needs_no_guessing():
    """The library that guesses is slow to import: most runs never need it."""
    program = (
        "import sys; from workspace.pipeline.decode import decode;"
        "decode('été'.encode()); decode('été'.encode('utf-16')); decode(b'a\\0b'); decode('Café'.encode('cp1252'));"
        "assert 'charset_normalizer' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
