"""The chunker for code: whole definitions packed into chunks, one divided only when it does not fit by itself."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from chonkie import BaseChunker, Chunk

from workspace.pipeline.chunking.grammars import GRAMMARS, LEADING, language_of
from workspace.pipeline.chunking.labels import section_path
from workspace.pipeline.chunking.options import Cut
from workspace.pipeline.chunking.parsing import parse
from workspace.pipeline.chunking.prose import split_region
from workspace.pipeline.chunking.segments import segments_of
from workspace.pipeline.chunking.syntax import Atom, Role, Source, atoms_of
from workspace.pipeline.chunking.tokenizer import WordTokenizer
from workspace.text.words import TokenGrid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Unit(NamedTuple):
    """Words that stay together, from number `first` up to, not including, `end`, and the atom that they are about."""

    first: int
    end: int
    atom: Atom


class CodeChunker(BaseChunker):
    """Cuts code between definitions, by the tree that tree-sitter parses.

    Comments and decorators stay with the definition that they precede, closing brackets with what they close. Text
    that is no valid code of its language has a tree as well. `grammar` is a key of `GRAMMARS`.

    Raises `LookupError` if the distribution of the grammar is not installed.
    """

    def __init__(self, *, grammar: str, chunk_size: int) -> None:
        language = language_of(grammar)
        if language is None:
            raise LookupError(f"no grammar for {grammar} is installed")
        super().__init__(tokenizer=WordTokenizer())
        self.chunk_size = chunk_size
        self._grammar = GRAMMARS[grammar]
        self._language = language

    def chunk(self, text: str) -> list[Chunk]:
        """Return the chunks of `text`; the `context` of each is the path of definitions that it starts in."""
        grid = TokenGrid(text)
        cuts = self.cuts_of(text, grid)
        bounds = pairwise([*(cut.offset for cut in cuts), len(text)])
        return [
            Chunk(
                text=text[start:end],
                start_index=start,
                end_index=end,
                token_count=grid.count(start, end),
                context=cut.section,
            )
            for cut, (start, end) in zip(cuts, bounds, strict=True)
        ]

    def cuts_of(self, text: str, grid: TokenGrid) -> list[Cut]:
        """Return where the pieces of `text` start, the first at 0; `grid` is the grid of `text`.

        Raises `EndlessParseError` if its grammar cannot cope with `text`.
        """
        if not grid.starts:
            return []
        if len(grid) <= self.chunk_size:
            return [Cut(0, None)]  # what the whole tree would say, too: a file is no definition
        segments = list(segments_of(text, grid))
        if len(segments) == 1:
            return self._cuts_of_segment(text, grid)
        cuts: list[Cut] = []
        for start, end in segments:
            part = text[start:end]
            cuts += [Cut(start + cut.offset, cut.section) for cut in self._cuts_of_segment(part, TokenGrid(part))]
        return cuts

    def _cuts_of_segment(self, text: str, grid: TokenGrid) -> list[Cut]:
        if not grid.starts:
            return []
        source = Source(text, grid, self._grammar)
        root = parse(source.data, self._language).root_node
        groups = _groups(atoms_of(root, source, self.chunk_size))
        units = self._divided(text, grid, _units(groups, len(grid), self.chunk_size))
        return [
            Cut(grid.edge(unit.first), section_path(unit.atom.scope, unit.atom.node, source.data, self._grammar))
            for unit in _packed(units, self.chunk_size)
        ]

    def _divided(self, text: str, grid: TokenGrid, units: Iterable[Unit]) -> Iterator[Unit]:
        """Divide as prose what has no parts that a parser knows: long strings and comments, minified lines."""
        for unit in units:
            if unit.end - unit.first <= self.chunk_size:
                yield unit
                continue
            start, end = grid.edge(unit.first), grid.edge(unit.end)
            cuts = split_region(text, grid, start, end, self.chunk_size)
            words = sorted({unit.first, *map(grid.word_at, cuts)} - {unit.end})
            yield from (Unit(first, last, unit.atom) for first, last in pairwise([*words, unit.end]))


def _groups(atoms: Iterable[Atom]) -> Iterator[list[Atom]]:
    """Yield the atoms that want to stay together: any that lead, one that they lead to, any that close it."""
    group: list[Atom] = []
    complete = False
    for atom in atoms:
        if complete and atom.role is not Role.BACKWARD:
            yield group
            group, complete = [], False
        group.append(atom)
        complete = complete or atom.role is not Role.FORWARD
    if group:
        yield group


def _units(groups: Iterable[list[Atom]], words: int, size: int) -> Iterator[Unit]:
    """Yield each group as one unit if it fits into a chunk, else its atoms; together they hold all the `words`."""
    for group, following in pairwise(chain(groups, ([],))):
        end = following[0].word if following else words
        subjects = _subjects_of(group)
        if end - group[0].word <= size:
            yield Unit(group[0].word, end, subjects[0])
        else:
            bounds = [atom.word for atom in group] + [end]
            yield from (Unit(*pair, subject) for pair, subject in zip(pairwise(bounds), subjects, strict=True))


def _subjects_of(group: list[Atom]) -> list[Atom]:
    """Return for each atom what it is about: itself, or what follows if it is a comment or the like."""
    subjects: list[Atom] = []
    for atom in reversed(group):
        subjects.append(subjects[-1] if subjects and atom.node.type in LEADING else atom)
    return subjects[::-1]


def _packed(units: Iterable[Unit], size: int) -> Iterator[Unit]:
    """Yield those of the `units` with which a new piece has to begin."""
    begin = -size
    for unit in units:
        if unit.end - begin > size:
            yield unit
            begin = unit.first
