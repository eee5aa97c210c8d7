"""Block structure of CommonMark 0.31 with the tables of GitHub's dialect: where headings and other blocks start.

Only blocks are found, nothing within a line. Each line is looked at once, in the two phases of the specification's
parsing strategy: which open containers does it continue, and what does it open? So the time is linear in the text,
whatever the text is.

Beyond the specification, a block from ``---`` at the very top to the next ``---`` or ``...`` is front matter, as every
tool for notes has it, unless a blank line follows the first ``---``, which is then a thematic break.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, Literal

from workspace.text.heading import MAX_HEADING_CHARS, Heading, clipped, unix_lines
from workspace.text.markdown_syntax import (
    BLANK_LINES,
    BLOCK,
    DULL,
    FRONT_MATTER,
    HTML_ENDS,
    INTERRUPTING_ITEM,
    PROSE,
    QUOTE,
    SETEXT,
    SHARP,
    definition_lines,
    delimiter_cells,
    expand_indentation,
    fence_end,
    header_cells,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

MAX_NESTING: Final = 32
"""Block quotes and list items within one another; deeper markers are text. No document nests so deep, and the bound
keeps the work for one line independent of the lines above it."""

_CONTAINERS: Final = frozenset({"quote", "item"})
_QUOTE: Final = ""
"""A block quote among the open containers; a list item is the indentation, in spaces, that continues it."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A block that reads wrongly in pieces: the whole lines from offset `start` to offset `end`."""

    kind: Literal["fence", "table", "front matter"]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The blocks of one text, in order.

    Those of `headings` that stand in no block quote and no list item begin the `sections` of the text. `starts` are the
    lines on which a block begins: the offset of the line, and how many containers the outermost such block is in.
    """

    headings: list[Heading] = field(default_factory=list)
    sections: list[Heading] = field(default_factory=list)
    atoms: list[Atom] = field(default_factory=list)
    starts: list[tuple[int, int]] = field(default_factory=list)


def markdown_headings(text: str) -> list[Heading]:
    """Return the headings of `text`, the same as those of `structure_of`, sooner.

    Whatever lists and quotes a stretch of text opens, none of it matters if the stretch has no heading and no block
    that could hide one, and what follows closes them all. Only other stretches are looked at line by line.
    """
    scanner = _Scanner(unix_lines(text))
    position = scanner.front_matter()
    exact = 0
    while position < len(text):
        if scanner.containers:
            position = scanner.nested(position)
        elif position >= exact and not scanner.end and (match := DULL.match(scanner.source, position)):
            exact = match.end() + 1
            if SHARP.match(scanner.source, match.end()):
                position = match.end()
                scanner.close(position)
        else:
            position = scanner.outermost(position)
    return scanner.structure.headings


def structure_of(text: str) -> Structure:
    """Return the block structure of `text`, whose lines may end as on any system."""
    scanner = _Scanner(unix_lines(text))
    position = scanner.front_matter()
    while position < len(text):
        position = scanner.nested(position) if scanner.containers else scanner.outermost(position)
    scanner.close(len(text))
    return scanner.structure


class _Leaf(Enum):
    """The block that the last line belongs to, as far as the next line's meaning depends on it."""

    NONE = auto()
    PARAGRAPH = auto()
    TABLE = auto()
    CODE = auto()


class _Scanner:
    """The state between two lines: open containers, and the open block within them."""

    def __init__(self, source: str) -> None:
        self.source = source if source.endswith("\n") else source + "\n"
        self.length = len(source)
        self.structure = Structure()
        self.containers: list[str] = []
        self.hollow = False  # the innermost list item has no content so far
        self.leaf = _Leaf.NONE
        self.paragraph: list[tuple[int, str]] = []  # stretches of lines and their offsets, while leaf is PARAGRAPH
        self.end: re.Pattern[str] | None = None  # of the fence or HTML block that is open
        self.atom: tuple[Literal["fence", "table"], int] | None = None  # the one that is open

    # --- Stretches of text ---

    def front_matter(self) -> int:
        match = FRONT_MATTER.match(self.source)
        if not match:
            return 0
        self.structure.starts.append((0, 0))
        self.structure.atoms.append(Atom("front matter", 0, min(match.end(), self.length)))
        return match.end()

    def outermost(self, position: int) -> int:
        """Take what begins at `position`, outside of containers; return where it ends."""
        source = self.source
        if self.end:
            match = self.end.search(source, position)
            stop = (match and source.find("\n", match.end()) + 1) or len(source)
            self.close(stop)
            return stop
        if self.leaf is not _Leaf.TABLE and (match := PROSE.match(source, position)):
            self.text(position, match[0], 0)
            return match.end()
        if match := BLANK_LINES.match(source, position):
            self.blank(position, 0)
            return match.end()
        return self.nested(position)

    def nested(self, position: int) -> int:
        """Take the line that begins at `position`; return where it ends."""
        stop = self.source.find("\n", position)
        line = expand_indentation(self.source[position:stop]).rstrip(" \t")
        column, depth = self.continued(line)
        if self.end and depth == len(self.containers):
            if self.end.search(line[column:]):
                self.close(stop + 1)
        elif column >= len(line):
            self.blank(position, depth)
        else:
            self.content(position, line, column, depth)
        return stop + 1

    # --- Containers ---

    def continued(self, line: str) -> tuple[int, int]:
        """Return where the content of `line` begins, and how many of the open containers it continues."""
        column = 0
        for depth, container in enumerate(self.containers):
            if container is _QUOTE:
                if not (match := QUOTE.match(line, column)):
                    return column, depth
                column = match.end()
            elif line.startswith(container, column):
                column += len(container)
            elif column < len(line) or (self.hollow and depth == len(self.containers) - 1):
                return column, depth
        return column, len(self.containers)

    def enter(self, line: str, column: int, match: re.Match[str]) -> int:
        """Open the container that `match` found at `column`; return where its content begins."""
        end = match.end()
        if match.lastgroup == "quote":
            self.containers.append(_QUOTE)
            return end
        content = len(line) - len(line[end:].lstrip(" "))
        self.hollow = content == len(line)
        width = content - column
        if self.hollow or content - end > 4:  # an empty item, or one that begins with indented code
            width = end + 1 - column
        self.containers.append(" " * width)
        return min(column + width, len(line))

    def begin(self, position: int, depth: int) -> None:
        """Note that the line at `position` opens a block within the first `depth` containers; the others end."""
        self.leave(position, depth)
        self.structure.starts.append((position, depth))

    def leave(self, position: int, depth: int) -> None:
        self.close(position)
        del self.containers[depth:]

    def close(self, position: int) -> None:
        """End the block that is open, if any, at `position`."""
        if self.atom:
            self.structure.atoms.append(Atom(*self.atom, min(position, self.length)))
            self.atom = None
        self.end = None
        self.leaf = _Leaf.NONE
        self.paragraph = []

    # --- Lines ---

    def blank(self, position: int, depth: int) -> None:
        if self.leaf is not _Leaf.CODE or depth < len(self.containers):
            self.leave(position, depth)
        self.hollow = False

    def content(self, position: int, line: str, column: int, depth: int) -> None:
        """Take a line that is not blank, whose content begins at `column` within the first `depth` containers."""
        self.hollow = False
        if depth == len(self.containers) and self.leaf is _Leaf.PARAGRAPH and self.underlined(line[column:]):
            return
        inner = depth
        while (match := BLOCK.match(line, column)) and self.opens(line, column, inner, match):
            if inner == depth:
                self.begin(position, depth)
            if match.lastgroup not in _CONTAINERS:
                self.leaf_block(position, line[column:].lstrip(" "), match)
                return
            column = self.enter(line, column, match)
            inner += 1
            if column == len(line):
                return
        self.text(position, line[column:], inner, new=inner > depth)

    def opens(self, line: str, column: int, depth: int, match: re.Match[str]) -> bool:
        """Return whether what `match` found begins a block here, where another one may be open."""
        kind = match.lastgroup
        if kind == "tag":
            return self.leaf is not _Leaf.PARAGRAPH and (self.leaf is not _Leaf.TABLE or depth < len(self.containers))
        if kind not in _CONTAINERS:
            return True
        if kind == "item" and self.leaf is _Leaf.PARAGRAPH and depth == len(self.containers):
            return INTERRUPTING_ITEM.match(line, column) is not None and depth < MAX_NESTING
        return depth < MAX_NESTING

    def leaf_block(self, position: int, text: str, match: re.Match[str]) -> None:
        kind = match.lastgroup or ""
        if kind == "heading":
            self.heading(position, text, len(match[kind]))
        elif kind == "fence":
            self.atom = ("fence", position)
            self.end = fence_end(match[kind])
        elif kind != "rule" and not HTML_ENDS[kind].search(text):
            self.end = HTML_ENDS[kind]

    def text(self, position: int, text: str, depth: int, *, new: bool = False) -> None:
        """Take text within the first `depth` containers, of which the last is new or not: one line, or several."""
        indented = text.startswith("    ")
        inside = depth == len(self.containers)
        if self.leaf is _Leaf.PARAGRAPH:  # with fewer containers than are open: lazy continuation
            self.paragraph.append((position, text))
        elif not (inside and self.leaf is (_Leaf.CODE if indented else _Leaf.TABLE)):
            if not new:
                self.begin(position, depth)
            self.leaf = _Leaf.CODE if indented else _Leaf.PARAGRAPH
            self.paragraph = [] if indented else [(position, text)]

    # --- Headings and tables that a paragraph turns out to be ---

    def underlined(self, text: str) -> bool:
        """Return whether `text`, a further line of the paragraph that is open, made it a heading or a table."""
        if text.lstrip(" ")[0] not in "=-|:":
            return False
        return self.table(text) or (SETEXT.match(text) is not None and self.setext(1 if "=" in text else 2))

    def table(self, delimiters: str) -> bool:
        offset, text = self.paragraph[-1]
        last = text.rstrip("\n").rfind("\n") + 1
        header = text[last:]
        if header.startswith("    ") or not 0 < header_cells(header) == delimiter_cells(delimiters):
            return False
        if last or len(self.paragraph) > 1:
            self.structure.starts.append((offset + last, len(self.containers)))
        self.close(offset)
        self.leaf = _Leaf.TABLE
        self.atom = ("table", offset + last)
        return True

    def setext(self, level: int) -> bool:
        lines = list(_lines(self.paragraph))
        first = definition_lines("\n".join(line for _, line in lines)) if lines[0][1].lstrip(" ")[0] == "[" else 0
        if first == len(lines):
            return False
        offset = lines[first][0]
        if first:
            self.structure.starts.append((offset, len(self.containers)))
        title = " ".join(line.strip(" \t") for _, line in lines[first : first + MAX_HEADING_CHARS])
        self.heading(offset, title, level)
        self.close(offset)
        return True

    def heading(self, offset: int, text: str, level: int) -> None:
        heading = Heading(offset, clipped(text), level)
        self.structure.headings.append(heading)
        if not self.containers:
            self.structure.sections.append(heading)


def _lines(paragraph: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of every line in stretches of lines."""
    for start, text in paragraph:
        offset = start
        for line in text.removesuffix("\n").split("\n"):
            yield offset, line
            offset += len(line) + 1
