"""The old code pages that text may be in, and how often the languages written in them use which character.

Frequencies are orders of magnitude, not statistics: a share for each class of characters, and an order within a class.
They only have to tell languages apart, and that mostly depends on which letters a language has at all.
"""

# ruff: noqa: RUF001 - characters of many scripts are what this module is about

from __future__ import annotations

import math
import string
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final

Table = dict[str, float]
"""Log-probability of each (lower-case) character in words that hold non-ASCII bytes."""


@dataclass(frozen=True, slots=True)
class Alphabets:
    """Languages that share a code page: the non-ASCII letters of each, the most frequent first.

    `is_latin` tells whether they fill up words of a to z, or make words of their own.
    """

    languages: tuple[str, ...]
    is_latin: bool = False

    def tables(self) -> tuple[Table, ...]:
        """Return one table a language. A character of two classes has the frequency of the later one."""
        own, ascii_letters, typography = (0.15, 0.65, 0.2) if self.is_latin else (0.9, 0.03, 0.03)
        shared = _ranked(0.05, _BOXES) | _even(0.1, _ASCII_SYMBOLS) | _even(typography / 2, _SYMBOLS)
        shared |= _ranked(typography, _PUNCTUATION) | _even(ascii_letters, string.ascii_lowercase)
        return tuple(shared | _ranked(own, letters) for letters in self.languages)


@dataclass(frozen=True, slots=True)
class Ideographs:
    """A language of thousands of characters: the most `frequent` ones, and the rows of a standard that hold the rest.

    Each standard has its `symbols` in rows of their own, before the `usual` characters and the `rare` ones; rows are
    the first bytes of `codec`.
    """

    frequent: str
    codec: str
    symbols: range
    usual: range
    rare: range
    usual_share: float = 0.6
    syllables: str = ""
    is_latin: ClassVar[bool] = False

    def tables(self) -> tuple[Table, ...]:
        """Return the one table of the language."""
        table = _even(0.03, _rows(self.codec, self.symbols)) | _even(0.01, _WIDE_ASCII) | _even(0.06, _WIDE_PROSE)
        table |= _even(0.01, _ASCII_SYMBOLS) | _even(0.03, string.ascii_lowercase)
        table |= _even(0.005, _rows(self.codec, self.rare)) | _even(self.usual_share, _rows(self.codec, self.usual))
        if self.syllables:
            table |= _even(0.2, self.syllables)
        return (table | _ranked(0.35, self.frequent),)


Script = Alphabets | Ideographs


@dataclass(frozen=True, slots=True)
class CodePage:
    """An encoding: `name` is IANA's, `codec` Python's (of the vendor's superset, where there is one).

    `rarity` is how much rarer than windows-1252 it is, as a natural logarithm; so what cannot be told apart is
    windows-1252. `is_sparse` tells whether about half of all pairs of bytes have no meaning in it.
    """

    name: str
    codec: str
    rarity: float
    script: Script
    is_sparse: bool = False


@cache
def tables(script: Script) -> tuple[Table, ...]:
    """Return the frequencies of each language of a script, made at first use."""
    return script.tables()


def _ranked(share: float, characters: str) -> Table:
    """Spread a share over characters, the last of which is twenty times rarer than the first."""
    weights = [math.exp(-3 * rank / len(characters)) for rank in range(len(characters))]
    total = sum(weights)
    return {character: math.log(share * weight / total) for character, weight in zip(characters, weights, strict=True)}


def _even(share: float, characters: str) -> Table:
    return dict.fromkeys(characters, math.log(share / len(characters)))


def _rows(codec: str, rows: range) -> str:
    cells = range(0x40, 0xFF) if codec == "cp950" else range(0xA1, 0xFF)
    pairs = b"\n".join(bytes((row, cell)) for row in rows for cell in cells)
    return pairs.decode(codec, "ignore").replace("\n", "")  # cells without a character are left out


_ASCII_SYMBOLS: Final = string.digits + string.punctuation
_PUNCTUATION: Final = "’“”–—«»…\u00a0°³º£€„‘·•‚›‹¿¡"
_SYMBOLS: Final = "§©®™ª²±×½µ¹´¨¼¾¢¬¤¦¯¸÷†‡"
_BOXES: Final = "─│═║░█▒▓┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬▄▀■"
_WIDE_PROSE: Final = "、。，：；？！「」『』“”（）《》・…―\u3000〜～－"
_WIDE_ASCII: Final = "".join(map(chr, range(0xFF01, 0xFF5F)))
_KANA: Final = "".join(map(chr, [*range(0x3041, 0x3094), *range(0x30A1, 0x30FB)]))

_WESTERN: Final = Alphabets(
    (
        "éèàêçœùôîâûëïæüÿ",  # French
        "üäößé",  # German
        "óáíúñéü",  # Spanish
        "ãçáêíúéõóâàü",  # Portuguese
        "èàùìòé",  # Italian
        "äöåé",  # Swedish, Finnish
        "æåøé",  # Danish, Norwegian
        "ðíþáúóöæéý",  # Icelandic
        "àóéèçíïòúü·",  # Catalan
        "ëéïêôöü",  # Dutch, Afrikaans
        "ëç",  # Albanian
        "áéíóú",  # Irish
        "äõüöšž",  # Estonian
        "âôûêúŵ",  # Welsh, Frisian
    ),
    is_latin=True,
)
_CENTRAL: Final = Alphabets(
    (
        "łęążśćńóź",  # Polish
        "íážěčšéřýůúďňóť",  # Czech
        "éáöóőíüúű",  # Hungarian
        "áížťčýúšéľňďôóäŕĺ",  # Slovak
        "čšžćđ",  # Slovene, Croatian, Serbian, Bosnian
        "ăşţîâ",  # Romanian
        "üäößé",  # German
    ),
    is_latin=True,
)
_TURKISH: Final = Alphabets(("ıçğüşöâîû\u0307",), is_latin=True)
_BALTIC: Final = Alphabets(
    (
        "šųėžįąūčę",  # Lithuanian
        "āīēšūņļžķģčŗ",  # Latvian
        "äõüöšž",  # Estonian
    ),
    is_latin=True,
)
_VIETNAMESE: Final = Alphabets(("đươâêô\u0301\u0300\u0323ă\u0309\u0303àáéóíúèù",), is_latin=True)
_CYRILLIC: Final = Alphabets(
    (
        "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",  # Russian
        "аноетиіврслкдпуьмзябйчгцжшєщюфхїґ",  # Ukrainian
        "аеитонрсвлдпкзмбъяучйгжцфщшхю",  # Bulgarian
        "аеионтрсдкмвујплбзгшцчњљфжћхђџќѓѕ",  # Serbian, Macedonian
        "аніелсякрыцпдтьвзмобуэўчгшйхжфюё",  # Belarusian
    )
)
_GREEK: Final = Alphabets(("αειτονρσπμκηίλυέάγδςήόχθωφβύώξζψϊΐϋΰ",))
_HEBREW: Final = Alphabets(("יוהלאתרבשמםענחדקכןפטסגצזךףץ\u05b0\u05b4\u05b6\u05b7\u05b8\u05b9\u05bc",))
_ARABIC: Final = Alphabets(
    (
        "اليمترنوةدحأبعقسكفهخجصإذىطغثءًضشزئظؤآّ",  # Arabic
        "ایردنتموهبکشلسفخزعحجقگطذپصغآژچئضظثءأيك",  # Persian
    )
)
_THAI: Final = Alphabets(("า่อนกเลร้มีังยดวบคหไตสทปิจืุใ์ูขแพะ็ชถณำซผโฟึธฤษภศญฉฮฎฐฬๆฯ",))
_JAPANESE: Final = Ideographs(
    "のーはにをたンがスルでトリアとクイしドラるいなジてタレれすまりっか一日人年大本中国",
    "euc_jp",  # JIS X 0208: level 1 is rows 16 to 47, level 2 follows
    range(0xA1, 0xA9),
    range(0xB0, 0xD0),
    range(0xD0, 0xF5),
    usual_share=0.25,
    syllables=_KANA,
)
_SIMPLIFIED: Final = Ideographs(
    "的一是不了在有人我他这为个上来到时说地也子和要就会你对以国中们生能可",
    "gb2312",  # level 1 is rows 16 to 55, level 2 follows
    range(0xA1, 0xAA),
    range(0xB0, 0xD8),
    range(0xD8, 0xF8),
)
_TRADITIONAL: Final = Ideographs(
    "的一是不了在有人我他這為個上來到時說地也子和要就會你對以國中們生能可",
    "cp950",  # level 1 begins at A440, level 2 at C940
    range(0xA1, 0xA4),
    range(0xA4, 0xC7),
    range(0xC9, 0xFA),
)
_KOREAN: Final = Ideographs(
    "이다는의에을가하고지로기사인도를은한어아시리자해정서수ㅋㅎㅠㅜㅇㄱ",
    "euc_kr",  # KS X 1001: hangul in rows 16 to 40, hanja in rows 42 to 93
    range(0xA1, 0xAD),
    range(0xB0, 0xC9),
    range(0xCA, 0xFE),
)

CODE_PAGES: Final = (
    CodePage("windows-1252", "cp1252", 0, _WESTERN),
    CodePage("windows-1251", "cp1251", 1, _CYRILLIC),
    CodePage("windows-1250", "cp1250", 2, _CENTRAL),
    CodePage("windows-1253", "cp1253", 2, _GREEK),
    CodePage("windows-1254", "cp1254", 2, _TURKISH),
    CodePage("windows-1255", "cp1255", 2, _HEBREW),
    CodePage("windows-1256", "cp1256", 2, _ARABIC),
    CodePage("windows-1257", "cp1257", 2.5, _BALTIC),
    CodePage("windows-1258", "cp1258", 4, _VIETNAMESE),
    CodePage("windows-874", "cp874", 2, _THAI),
    CodePage("shift_jis", "cp932", 2, _JAPANESE, is_sparse=True),
    CodePage("euc-jp", "euc_jp", 2, _JAPANESE, is_sparse=True),
    CodePage("gb18030", "gb18030", 2, _SIMPLIFIED),
    CodePage("big5", "cp950", 2, _TRADITIONAL, is_sparse=True),
    CodePage("big5-hkscs", "big5hkscs", 3, _TRADITIONAL, is_sparse=True),
    CodePage("euc-kr", "cp949", 2, _KOREAN, is_sparse=True),
    CodePage("johab", "johab", 6, _KOREAN, is_sparse=True),
    CodePage("koi8-r", "koi8_r", 2, _CYRILLIC),
    CodePage("koi8-u", "koi8_u", 3, _CYRILLIC),
    CodePage("ibm866", "cp866", 3, _CYRILLIC),
    CodePage("x-mac-cyrillic", "mac_cyrillic", 5, _CYRILLIC),
    CodePage("ibm855", "cp855", 6, _CYRILLIC),
    CodePage("iso-8859-2", "iso8859_2", 2.5, _CENTRAL),
    CodePage("iso-8859-5", "iso8859_5", 4, _CYRILLIC),
    CodePage("iso-8859-6", "iso8859_6", 4, _ARABIC),
    CodePage("iso-8859-7", "iso8859_7", 3, _GREEK),
    CodePage("iso-8859-15", "iso8859_15", 3, _WESTERN),
    CodePage("ibm850", "cp850", 4, _WESTERN),
    CodePage("ibm437", "cp437", 4.5, _WESTERN),
    CodePage("ibm852", "cp852", 6, _CENTRAL),
    CodePage("macintosh", "mac_roman", 5, _WESTERN),
)
"""In order of preference where two are equally likely. EBCDIC is left out: every Latin-1 word reads as something in it.
UTF-16 and UTF-32 are not guessed either: without NUL bytes they are noise."""
