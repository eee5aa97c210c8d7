"""From a text to the spans of its chunks, by the chunker of its kind."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workspace.pipeline.chunking.code import CodeChunker
from workspace.pipeline.chunking.grammars import language_of
from workspace.pipeline.chunking.markdown import split_markdown
from workspace.pipeline.chunking.options import Cut
from workspace.pipeline.chunking.pieces import pieces_of
from workspace.pipeline.chunking.prose import split_prose
from workspace.pipeline.items import Span
from workspace.text.filetypes import kind_of
from workspace.text.headings import HEADINGS_SEPARATOR, heading_in_force, headings_of
from workspace.text.lines import LineMap, line_span
from workspace.text.terms import symbols_in
from workspace.text.words import TokenGrid

if TYPE_CHECKING:
    from workspace.constants import Kind
    from workspace.pipeline.chunking.options import ChunkOptions
    from workspace.pipeline.chunking.pieces import Piece
    from workspace.text.headings import Heading


def chunk_text(text: str, path: str, options: ChunkOptions, *, fallback: bool = False) -> list[Span]:
    """Return the chunks of `text`, in order; without their overlaps they tile it. White space alone has none.

    The name at the end of `path` decides the chunker. With `fallback` it is the default one whatever the name, for a
    text on which the other failed; `kind` stays that of the name.
    Raises whatever the chunker raises.
    """
    grid = TokenGrid(text)
    if not grid.starts:
        return []
    kind, grammar = kind_of(path, text)
    splitter = "text" if fallback else kind
    cuts = _cuts_of(text, grid, splitter, grammar, options.base_size)
    document = _Document(text, grid, LineMap(text), headings_of(text, path), cuts, kind)
    pieces = pieces_of((cut.offset for cut in cuts), grid, size=options.base_size, overlap=options.overlap)
    return [document.span_of(piece) for piece in pieces]


def _cuts_of(text: str, grid: TokenGrid, kind: Kind, grammar: str | None, size: int) -> list[Cut]:
    if kind == "code" and grammar and language_of(grammar):
        return CodeChunker(grammar=grammar, chunk_size=size).cuts_of(text, grid)
    split = split_markdown if kind == "markdown" else split_prose
    return [Cut(offset, None) for offset in split(text, grid, size)]


@dataclass(frozen=True, slots=True)
class _Document:
    """A text with all that is known of it: what its spans are made from."""

    text: str
    grid: TokenGrid
    lines: LineMap
    headings: list[Heading]
    cuts: list[Cut]
    kind: Kind

    def span_of(self, piece: Piece) -> Span:
        start, end = self.grid.edge(piece.overlapped), self.grid.edge(piece.end)
        section = self._section_at(self.grid.starts[piece.first])
        return Span(
            start,
            end,
            piece.end - piece.overlapped,
            *line_span(self.lines, self.text, start, end),
            section,
            self.kind,
            HEADINGS_SEPARATOR.join(self._headings_for(section, start, end)),
            symbols_in(self.text[start:end]) if self.kind == "code" else "",
        )

    def _section_at(self, offset: int) -> str | None:
        heading = heading_in_force(self.headings, offset)
        if heading:
            return heading.line_text
        cut = bisect_right(self.cuts, offset, key=lambda cut: cut.offset) - 1
        return self.cuts[max(cut, 0)].section

    def _headings_for(self, section: str | None, start: int, end: int) -> dict[str, None]:
        """Return the title of the document, the `section`, and the headings from `start` to `end`, each once."""
        first, last = (bisect_left(self.headings, edge, key=lambda heading: heading.offset) for edge in (start, end))
        known = [self.headings[0].line_text] if self.headings else []
        known += [section] if section else []
        return dict.fromkeys(known + [heading.line_text for heading in self.headings[first:last]])
