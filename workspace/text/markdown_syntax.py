"""The line patterns of CommonMark 0.31 (sections in brackets) and of the tables of GitHub's dialect.

Patterns are matched against one line without its line end and trailing blanks, with tabs expanded where they indent
(2.2), or, where it says so, against whole texts whose lines end in a line feed. White space is space and tab, no more.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# --- Opening lines --------------------------------------------------------------------------------------------

_TAG_NAME: Final = r"[A-Za-z][A-Za-z0-9-]*+"
_ATTRIBUTE: Final = r"""[ \t]++[A-Za-z_:][\w.:-]*+(?:[ \t]*+=[ \t]*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?+"""
_BLOCK_TAGS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_HTML: Final = rf"""
    (?P<raw><(?i:script|pre|style|textarea)(?![^\s>]))
  | (?P<comment><!--)
  | (?P<instruction><\?)
  | (?P<declaration><![A-Za-z])
  | (?P<cdata><!\[CDATA\[)
  | (?P<tags></?(?i:{_BLOCK_TAGS})(?:[\s>]|/>|\Z))
  | (?P<tag><(?:{_TAG_NAME}(?:{_ATTRIBUTE})*+\s*+/?|/{_TAG_NAME}\s*+)>\Z)
"""
HTML_ENDS: Final = {
    "raw": re.compile(r"</(?i:script|pre|style|textarea)>", re.ASCII),
    "comment": re.compile(r"-->"),
    "instruction": re.compile(r"\?>"),
    "declaration": re.compile(r">"),
    "cdata": re.compile(r"\]\]>"),
    "tags": re.compile(r"^[ \t]*$", re.MULTILINE),
    "tag": re.compile(r"^[ \t]*$", re.MULTILINE),
}
"""What ends an HTML block (4.6), by the group of `BLOCK` that began it. Fit for a line and for a whole text."""

BLOCK: Final = re.compile(
    rf"""
    [ ]{{0,3}}+(?:
        (?P<quote>>[ ]?)
      | (?P<heading>\#{{1,6}}(?![^ \t]))
      | (?P<fence>`{{3,}}+(?![^`]*+`)|~{{3,}}+)
      | (?P<rule>(?:(?:\*[ \t]*+){{3,}}+|(?:-[ \t]*+){{3,}}+|(?:_[ \t]*+){{3,}}+)\Z)
      | (?P<item>(?:[-+*]|[0-9]{{1,9}}[.)])(?![^ ]))
      | {_HTML}
    )
    """,
    re.VERBOSE | re.ASCII,
)
"""What a line opens: `lastgroup` names it. Setext headings, tables and indented code depend on lines above."""

QUOTE: Final = re.compile(r" {0,3}+> ?")

INTERRUPTING_ITEM: Final = re.compile(r"[ ]{0,3}+(?:[-+*]|0*1[.)]) *+[^ ]")
"""A list item that may interrupt a paragraph (5.2): not empty, and if it is numbered, with number 1."""

SETEXT: Final = re.compile(r"[ ]{0,3}+(?:=++|-++)\Z")

_PREFIX: Final = re.compile(r"\A[ \t>*+\-0-9.)]*\t")


def expand_indentation(line: str) -> str:
    """Return `line` with the tabs that stand among indentation and container markers replaced by spaces."""
    return _PREFIX.sub(lambda prefix: prefix[0].expandtabs(4), line, count=1) if "\t" in line else line


@lru_cache(maxsize=64)
def fence_end(opening: str) -> re.Pattern[str]:
    """Return what closes the fence that the run of characters `opening` opens (4.5), in a line or in a whole text."""
    return re.compile(rf"^ {{0,3}}{opening[0]}{{{len(opening)},}}[ \t]*$", re.MULTILINE)


# --- Stretches of whole texts ----------------------------------------------------------------------------------

PROSE: Final = re.compile(
    r"""
    (?:
        [ ]{0,3}+
        (?: [^ \t\n\#>*+\-_`~<=|:0-9] | \*{1,2}+(?![ \t\n*]) | `{1,2}+(?!`) | [0-9]{1,9}+(?![.)0-9]) | :(?![-|]) )
        [^\n]*+ \n
    )++
    """,
    re.VERBOSE,
)
"""Lines that can be nothing but lines of a paragraph, whatever surrounds them, outside of containers."""

DULL: Final = re.compile(
    r"""
    (?:
        [ \t]*+ \n
      | [ \t>*+\-0-9.)]*+ (?: [^ \t\n\#`~<=] | `{1,2}+[^`\n] | ~{1,2}+[^~\n] ) [^\n]*+ \n
    )++
    """,
    re.VERBOSE,
)
"""Lines that are no headings themselves, begin no fence and no HTML block, and underline nothing."""

SHARP: Final = re.compile(r"\#{1,6}[ \t\n]|`{3,}+[^`\n]*+\n|~{3,}+|(?<=\n\n)<|\Z")
"""What closes every container and paragraph that `DULL` lines may have opened: unindented, a heading or fence, or HTML
after a blank line."""

BLANK_LINES: Final = re.compile(r"(?:[ \t]*+\n)++")

FRONT_MATTER: Final = re.compile(
    r"---[ \t]*\n(?![ \t]*\n)(?:(?!(?:---|\.\.\.)[ \t]*\n)[^\n]*+\n)*+(?:---|\.\.\.)[ \t]*\n"
)

# --- Tables -----------------------------------------------------------------------------------------------------

_DELIMITER_ROW: Final = re.compile(r" {0,3}+(?! |-[ \t]|.\Z)\|?(?:[ \t]*+:?-++:?[ \t]*+(?:\||\Z))++\Z")
_BAR: Final = re.compile(r"(?<!\\)\|")


def delimiter_cells(line: str) -> int:
    """Return the number of cells if `line` is the delimiter row of a table, else 0."""
    return len(line.strip(" \t|").split("|")) if _DELIMITER_ROW.match(line) else 0


def header_cells(line: str) -> int:
    """Return the number of cells of `line` as the header row of a table; 0 if it has no bar."""
    row = line.strip(" \t")
    if "|" not in row:
        return 0
    return len(_BAR.findall(row)) + 1 - row.startswith("|") - (row.endswith("|") and not row.endswith("\\|"))


# --- Link reference definitions ---------------------------------------------------------------------------------

_LABEL: Final = r"\[(?=\s*+[^\s\]])(?:[^\[\]\\]|\\.){1,999}+\]:"
_FLAT: Final = r"(?:[^\x00-\x20\x7f()\\]|\\[()\\]?+)"
_BALANCED: Final = rf"(?:{_FLAT}|\((?:{_FLAT}|\({_FLAT}*+\))*+\))"
_GAP: Final = r"[ \t]*+(?:\n[ \t]*+)?+"
_DESTINATION: Final = rf"(?:<(?:[^<>\\\n]|\\[^\n])*+>|(?!<){_BALANCED}++)"
_TITLE: Final = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"""
_DEFINITION: Final = re.compile(
    rf"[ \t]*+{_LABEL}{_GAP}{_DESTINATION}(?:(?=[ \t\n]){_GAP}{_TITLE}[ \t]*+(?:\n|\Z)|[ \t]*+(?:\n|\Z))", re.DOTALL
)


def definition_lines(paragraph: str) -> int:
    """Return how many lines at the beginning of `paragraph` are link reference definitions (4.7).

    Parentheses of a destination may nest two deep, which the specification does not limit.
    """
    position = 0
    while match := _DEFINITION.match(paragraph, position):
        position = match.end()
    return paragraph.count("\n", 0, position) + (0 < position == len(paragraph) and not paragraph.endswith("\n"))
