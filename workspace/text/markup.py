"""Headings of the other markup languages: reStructuredText, plain text, AsciiDoc, org and HTML.

Each function goes from candidate to candidate with a pattern that fails fast, so its time is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workspace.text.heading import MAX_HEADING_CHARS, Heading, clipped, unix_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# --- reStructuredText and plain text ------------------------------------------------------------------------------

_RULE: Final = re.compile(r"\n(([!-/:-@\[-`{-~])\2++)[ \t]*+(?=\n)")
"""A line of one punctuation character, at least two of them: what may underline a title."""

_NO_TITLE: Final = re.compile(r"(?:[-+*|]|\.\.|>>>)(?:\s|$)|\+[-=]|:[^:`\s][^:]*:(?:\s|$)|[\W_]*$")
"""Lines that no rule makes a title: list items, line blocks, directives, doctests, tables, fields, no letters."""

_TRUSTED_RULE: Final = 4
"""Length from which a rule counts even if the title is longer than it; docutils, too, only warns then."""

_MIN_PLAIN_RULE: Final = 3
"""Shortest rule below a title in a text that need not be reStructuredText."""

_GAP: Final = re.compile(r"\S(?:  |\t)")
"""A gap within a line: the head of a table, not a title."""


@dataclass(frozen=True, slots=True)
class _Ruled:
    """A line of text above a rule, perhaps also below its twin. `before` is the line above all that, "" if blank."""

    offset: int
    text: str
    rule: str
    overlined: bool
    before: str

    @property
    def fits(self) -> bool:
        """Whether the rule is at least as long as the title."""
        return len(self.text) <= len(self.rule)


def rst_headings(text: str) -> list[Heading]:
    """Return the section titles of reStructuredText: underlined, or over- and underlined.

    As in docutils, a title follows a blank line, another title, markup that begins with two dots, or something
    indented. Styles rank in the order in which they appear.
    """

    def is_title(line: _Ruled) -> bool:
        starts_block = not line.before or line.before.startswith((" ", "\t", ".."))
        return starts_block and (line.fits or len(line.rule) >= _TRUSTED_RULE)

    return _ranked(_ruled_lines(unix_lines(text), is_title))


def plain_headings(text: str) -> list[Heading]:
    """Return the titles of a text that may be reStructuredText or nothing at all: only what cannot be much else.

    They follow a blank line or another title, no rule is shorter than its title, and no title has gaps as tables have.
    """

    def is_title(line: _Ruled) -> bool:
        return line.fits and len(line.rule) >= _MIN_PLAIN_RULE and not line.before and not _GAP.search(line.text)

    return _ranked(_ruled_lines(unix_lines(text), is_title))


def _ranked(titles: Iterable[_Ruled]) -> list[Heading]:
    levels: dict[tuple[str, bool], int] = {}
    return [
        Heading(title.offset, clipped(title.text), levels.setdefault((title.rule[0], title.overlined), len(levels) + 1))
        for title in titles
    ]


def _ruled_lines(text: str, is_title: Callable[[_Ruled], bool]) -> Iterator[_Ruled]:
    padded = f"\n{text}\n"
    used = 0  # where the rule below the last title ends
    for match in _RULE.finditer(padded):
        start, line = _line_before(padded, match.start())
        above, before = _line_before(padded, start - 1)
        overlined = before == match[1] and above > used
        if overlined:
            above, before = _line_before(padded, above - 1)
        title = line.strip()
        if (line != title and not overlined) or _NO_TITLE.match(title):
            continue  # what is indented is quoted or literal
        ruled = _Ruled(start - 1, title, match[1], overlined, before if above > used else "")
        if is_title(ruled):
            used = match.end()
            yield ruled


def _line_before(text: str, end: int) -> tuple[int, str]:
    """Return the offset and the text, without trailing white space, of the line that ends at `end`."""
    start = text.rfind("\n", 0, max(end, 0)) + 1
    return start, text[start : max(end, 0)].rstrip()


# --- AsciiDoc -------------------------------------------------------------------------------------------------------

_ASCIIDOC: Final = re.compile(
    r"""
    ^(?: (?P<marks> ={1,6} | \#{1,6} ) [ \t]++ (?=\S)
       | (?P<rule> ([-=.*_+/])\3{3,} | -- | ([-=~^+])\4++ | [|,:!]=== ) [ \t]*$
       | (?P<fence> ``` ) [^`\n]*$
     )
    """,
    re.MULTILINE | re.VERBOSE,
)
"""What begins a section title, underlines one, or delimits a block."""

_ASCIIDOC_UNDERLINES: Final = "=-~^+"
"""By level, the outermost first."""


def asciidoc_headings(text: str) -> list[Heading]:
    """Return the section titles of AsciiDoc, in one line or underlined, but those in delimited blocks.

    An underline is as long as its title, give or take one character. An unclosed block ends with the text.
    """
    source = unix_lines(text) + "\n"
    headings = []
    position = 0
    while match := _ASCIIDOC.search(source, position):
        stop = source.find("\n", match.start()) + 1
        if match["marks"]:
            headings.append(Heading(match.start(), clipped(source[match.start() : stop]), len(match["marks"])))
        elif title := _asciidoc_title(source, position, match):
            headings.append(title)
        elif (rule := match["fence"] or match["rule"]) in {"--", "```"} or (len(rule) > 3 and rule[0] not in "~^"):
            stop = _end_of_asciidoc_block(source, stop, rule)
        position = stop
    return headings


def _asciidoc_title(source: str, position: int, match: re.Match[str]) -> Heading | None:
    """Return the title that the rule of `match` underlines, if there is one between `position` and the rule."""
    rule = match["rule"] or ""
    start, title = _line_before(source, match.start() - 1)
    if start < position or rule[:1] not in _ASCIIDOC_UNDERLINES or abs(len(title) - len(rule)) > 1:
        return None
    before = _line_before(source, start - 1)[1] if start > position else ""
    if before[:1] not in {"", "["} or not re.match(r"(?![.\[])(?:[^\w\n]|_)*+\w", title):
        return None
    return Heading(start, clipped(title), _ASCIIDOC_UNDERLINES.index(rule[0]) + 1)


def _end_of_asciidoc_block(source: str, position: int, rule: str) -> int:
    match = re.compile(rf"^{re.escape(rule)}[ \t]*\n", re.MULTILINE).search(source, position)
    return match.end() if match else len(source)


# --- org -------------------------------------------------------------------------------------------------------------

_ORG: Final = re.compile(r"^(?:(?P<stars>\*+)[ \t]+\S|[ \t]*(?P<block>#\+begin_))", re.MULTILINE | re.IGNORECASE)
_ORG_END: Final = re.compile(r"^[ \t]*#\+end_", re.MULTILINE | re.IGNORECASE)


def org_headings(text: str) -> list[Heading]:
    """Return the headlines of an org file, but those between ``#+BEGIN_`` and the next ``#+END_``."""
    source = unix_lines(text) + "\n"
    ends = [match.end() for match in _ORG_END.finditer(source)]
    headings = []
    position = 0
    while match := _ORG.search(source, position):
        position = source.find("\n", match.start()) + 1
        if match["stars"]:
            headings.append(Heading(match.start(), clipped(source[match.start() : position]), len(match["stars"])))
        else:
            position = next(iter(ends[bisect_right(ends, position) :][:1]), position)
    return headings


# --- HTML ------------------------------------------------------------------------------------------------------------

_HTML: Final = re.compile(
    r"<(?:(?P<comment>!--)|(?P<raw>script|style|textarea|template)\b|(?P<close>/)?(?P<name>h[1-6]|title)\b[^<>]*>)",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")

_MAX_HTML_HEADING: Final = 20 * MAX_HEADING_CHARS
"""Characters between the tags of a heading that are looked at: most of them may be markup."""

_PERMALINKS: Final = "\u00b6\uf0c1 "
"""What documentation tools put behind a heading to link to it."""


def html_headings(text: str) -> list[Heading]:
    """Return the headings of an HTML page as they read, or its title if it has none.

    Their offsets are those of their tags, as a page need not have lines. Comments and scripts have no headings.
    """
    titles: list[Heading] = []
    headings: list[Heading] = []
    opened: re.Match[str] | None = None
    position = 0
    while match := _HTML.search(text, position):
        position = match.end()
        name = (match["name"] or "").lower()
        if not name:
            position = _end_of_opaque(text, match)
        elif not match["close"]:
            opened = match
        elif opened and opened["name"].lower() == name:
            if words := _visible(text[opened.end() : match.start()]):
                found, level = (titles, 1) if name == "title" else (headings, int(name[1]))
                found.append(Heading(opened.start(), words, level))
            opened = None
    return headings or titles[:1]


def _end_of_opaque(text: str, match: re.Match[str]) -> int:
    """Return where the comment or script that begins at `match` ends: with the text, if nothing else ends it."""
    if match["comment"]:
        end = text.find("-->", match.end())
        return len(text) if end < 0 else end
    close = re.compile(rf"</{match['raw']}\b", re.IGNORECASE).search(text, match.end())
    return close.end() if close else len(text)


def _visible(markup: str) -> str:
    words = _TAG.sub("", _BREAK.sub(" ", markup[:_MAX_HTML_HEADING]))
    if "&" in words:
        from html import unescape  # a table of two thousand entities, which few searches need

        words = unescape(words)
    return clipped(" ".join(words.split()).rstrip(_PERMALINKS))
