"""Words by which a row can be found besides its content: those of its path, and the names it defines."""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import Final

# --- Paths --------------------------------------------------------------------------------------------------------

_PUNCTUATION: Final = re.compile(r"[\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the parts of ``getUserName`` and of ``HTTPServer``."""


def path_terms(path: str, root: str) -> str:
    """Return the words of `path` below `root`, in order, each once, without the extension of the file.

    Words end at punctuation, which the index does not tell from white space. One in camelCase is followed by its
    parts, so that it is found by either: ``src/storageWriter/read_file.test.py`` gives "src storageWriter storage
    Writer read file test".
    """
    stem = os.path.splitext(path.removeprefix(root))[0]  # noqa: PTH122 - ten times faster, for every file
    words = (form for word in _PUNCTUATION.split(stem) if word for form in _forms(word))
    return " ".join(dict.fromkeys(words))


def _forms(word: str) -> list[str]:
    """Return `word`, and after it its parts if it is written in camelCase."""
    if word.islower():
        return [word]
    parts = _HUMP.split(word)
    return [word, *parts] if len(parts) > 1 else [word]


# --- Symbols ------------------------------------------------------------------------------------------------------

_NAME: Final = r"[A-Za-z_$~\u00aa-\uffff][\w$]*+(?:(?:\.|::?|->)[\w$~]++)*+[?!]?"
_MODIFIERS: Final = (
    r"pub(?:\([^)\n]*\))?|export|default|declare|async|unsafe|extern(?:[ \t]+\"[^\"\n]*\")?|public|private|protected|"
    r"internal|static|final|abstract|virtual|override|sealed|open|data|inline|partial|readonly|local|case|typedef|"
    r"constexpr|implicit|lazy|suspend|fileprivate|companion|operator|external"
)
_KEYWORDS: Final = (
    r"class|def|function\*?|func|fn|fun|struct|enum(?:[ \t]+(?:class|struct))?|union|trait|interface|protocol|"
    r"extension|impl(?:<[^>\n]*>)?|type|typealias|module|mod|namespace|package|object|record|macro_rules!|macro|sub"
)
_RECEIVER: Final = r"(?:\([^)\n]*+\)[ \t]*+|<[^>\n]*+>[ \t]*+|[&*])?+"
_PROSE: Final = r"(?!(?:a|an|and|are|as|by|for|from|if|in|is|of|on|or|that|the|this|to|when|which|with)\s)"
"""No names, but what follows a keyword in prose: "a class of …"."""
_FOLLOWER: Final = (
    r"[ \t]*+(?:[({:<=;\[\n]|(?:extends|implements|for|where|struct|interface|func|with|is|throws)\b|\w++[ \t]*\n)"
)
_ARGUMENTS: Final = r"\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*+\)"
_CREATE: Final = (
    r"create[ \t]++(?:(?:or[ \t]+replace|temp|temporary|unique|virtual|materialized)[ \t]++)*+"
    r"(?:table|view|index|function|procedure|trigger|type)[ \t]++(?:if[ \t]+not[ \t]+exists[ \t]+)?+[\"`]?"
)
_BEGINNING: Final = r"(?=[A-Za-z_$~@\u00aa-\uffff]|\#[ \t]*+define\b)"
"""What a line that defines something begins with: nearly half of all lines begin with anything else."""

_DEFINITION: Final = re.compile(
    rf"""
    \n[ \t]*+{_BEGINNING}(?:
        (?:(?:{_MODIFIERS})[ \t]++)*+(?:{_KEYWORDS})[ \t]++{_PROSE}
        {_RECEIVER}(?P<keyword>{_NAME})(?={_FOLLOWER})
      | (?<=\n)(?:export[ \t]+|pub[ \t]+)?const[ \t]++(?P<constant>{_NAME})(?![ \t]*=[ \t]*require\b)
      | \#[ \t]*+define[ \t]++(?P<macro>\w++)
      | (?i:{_CREATE})(?P<sql>[\w.]++)
      | (?:(?:export[ \t]+)?(?:const|let|var)[ \t]++)?+(?P<assigned>{_NAME})[ \t]*+[=:][ \t]*+
        (?:async[ \t]*+)?(?:function\b|(?:{_ARGUMENTS}|\w++)[ \t]*+=>)
      | (?P<head>[A-Za-z_~$@][^\n.;={{}}()"'\#]*+){_ARGUMENTS}[ \t]*+(?:[\w \t:<>,.&*\[\]-]++)?\n?\{{
      | (?<=\n)(?P<signature>[A-Za-z_][\w \t*&:<>,~]*+)(?:{_ARGUMENTS}[ \t]*+(?=\n)|\([^;\n]*,[ \t]*(?=\n))
    )
    """,
    re.VERBOSE,
)
"""A line that defines something, or nearly so: groups hold its name, or what stands before its parameters."""

_HEADS: Final = frozenset({"head", "signature"})
_STATEMENTS: Final = frozenset({
    "assert", "await", "case", "catch", "default", "defer", "del", "delete", "do", "echo", "elif", "elsif", "else",
    "elseif", "for", "foreach", "from", "go", "guard", "if", "import", "lock", "match", "new", "not", "print",
    "raise", "return", "select", "super", "switch", "synchronized", "throw", "try", "typeof", "unless", "until",
    "using", "when", "while", "with", "yield",
})  # fmt: skip
"""Words that begin a statement with parentheses, not the definition of a function."""

MAX_SYMBOLS: Final = 500
"""Definitions of a row that count. What defines more is a table, in which no name stands for the whole; a row of it is
still found by each name in its content."""

_MAX_NAME: Final = 100
"""Characters of a name that a person wrote."""


def symbols_in(text: str) -> str:
    """Return the names that `text`, in whatever programming language, defines: in order of appearance, each once.

    A name in camelCase is followed by its parts in lower case: "getUserName get user name". At underscores and other
    punctuation the index parts names itself. A cheap pattern finds them: it misses some, and takes some for one. It
    stops after `MAX_SYMBOLS` definitions.
    """
    definitions = islice(_DEFINITION.finditer(f"\n{text}\n"), MAX_SYMBOLS)
    names = dict.fromkeys(map(_name_of, definitions))
    return " ".join([name if name.islower() or name.isupper() else _with_parts(name) for name in names if name])


def _name_of(match: re.Match[str]) -> str | None:
    group = match.lastgroup or ""
    name: str = match[group]
    if group in _HEADS:
        words = name.replace("*", " ").replace("&", " ").split()
        if not words or words[0] in _STATEMENTS or (group == "signature" and len(words) == 1):
            return None
        name = words[-1]
    return name if len(name) <= _MAX_NAME else None


def _with_parts(name: str) -> str:
    parts = [part.lower() for word in _PUNCTUATION.split(name) for part in _forms(word)[1:]]
    return " ".join([name, *parts])
