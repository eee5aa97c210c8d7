"""The chunker of markdown: whole sections as long as they fit, else their sub-sections, blocks, lines and sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from workspace.pipeline.chunking.prose import split_region
from workspace.text.markdown import structure_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from workspace.text.markdown import Structure
    from workspace.text.words import TokenGrid

_BLOCK_RANK: Final = 7
"""Rank of a place between blocks; between sections, the rank is the level of the heading, from 1 to 6."""

_LINE_END: Final = re.compile(r"\r\n?|\n")


def split_markdown(text: str, grid: TokenGrid, size: int) -> list[int]:
    """Return cuts of `text`, before headings where they can be.

    Sections are packed whole. One that is too long is cut at its sub-headings, then between blocks, the outermost
    first; a code fence or table of at most `size` words is never cut, a longer one between lines. What stands below a
    heading stays with it where both fit.
    Raises whatever the chunker of prose raises, which divides the paragraphs that are too long.
    """
    if len(grid) <= size:
        return [0]
    joints = _joints(structure_of(text), grid)
    return [grid.starts[word] for word in _Division(text, grid, size, joints).pieces(0, len(joints))]


class _Joint(NamedTuple):
    """A place to cut: before word number `word`. The lower its `rank`, the better.

    What follows is a block, which begins at word number `body`, with any headings above it, the nearest of which begins
    at word number `nearest`. `atomic` says that the block is a fence, a table or front matter.
    """

    word: int
    rank: int
    nearest: int
    body: int
    atomic: bool


def _joints(structure: Structure, grid: TokenGrid) -> list[_Joint]:
    """Return the places to cut, in order, the first at word 0. None separates a heading from what follows it."""
    levels = {heading.offset: heading.level for heading in structure.sections}
    headings = {heading.offset for heading in structure.headings}
    atoms = {atom.start for atom in structure.atoms}
    joints: list[_Joint] = []
    below_heading = False
    for offset, depth in structure.starts:
        word = grid.word_at(offset)
        joint = _Joint(word, levels.get(offset, _BLOCK_RANK + depth), word, word, offset in atoms)
        if joints and (below_heading or word == joints[-1].word):
            above = joints.pop()
            nearest = word if offset in headings else above.nearest
            joint = joint._replace(word=above.word, rank=min(above.rank, joint.rank), nearest=nearest)
        joints.append(joint)
        below_heading = offset in headings
    return joints


@dataclass(frozen=True, slots=True)
class _Division:
    """A text that is to be divided. Pieces are given by the numbers of the words that they begin with."""

    text: str
    grid: TokenGrid
    size: int
    joints: list[_Joint]

    def pieces(self, low: int, high: int) -> list[int]:
        """Return the pieces of what lies between joint `low` and joint `high`."""
        begin, end = self._word(low), self._word(high)
        if end - begin <= self.size:
            return [begin]
        if high - low == 1:
            return self._block(self.joints[low], end)
        best = min(joint.rank for joint in self.joints[low + 1 : high])
        bounds = [low, *(i for i in range(low + 1, high) if self.joints[i].rank == best), high]
        return _packed(
            [self._word(bound) for bound in bounds],
            self.size,
            lambda part: self.pieces(bounds[part], bounds[part + 1]),
            mixing=best >= _BLOCK_RANK,
            intro=self.joints[low].rank < best,
        )

    def _word(self, joint: int) -> int:
        return self.joints[joint].word if joint < len(self.joints) else len(self.grid)

    def _block(self, joint: _Joint, end: int) -> list[int]:
        """Return the pieces of a block and the headings above it."""
        begin, nearest, body = joint.word, joint.nearest, joint.body
        above = body - begin
        if end - begin <= self.size:
            return [begin]
        if begin < nearest < body and (end - nearest <= self.size or above > self.size // 2):
            return self._lines(begin, nearest) + self._block(joint._replace(word=nearest), end)
        if joint.atomic and end - body <= self.size:
            return [*self._lines(begin, body), body]
        if joint.atomic or begin < nearest == body:
            return self._lines(begin, end)
        if above > self.size // 2:
            return self._lines(begin, body) + self._prose(body, end, self.size)
        return [begin, *self._prose(body, end, self.size - above)[1:]]

    def _lines(self, begin: int, end: int) -> list[int]:
        """Return pieces that begin where lines begin, unless a line is too long."""
        line_ends = _LINE_END.finditer(self.text, self.grid.starts[begin], self._offset(end))
        words = sorted({begin, end, *(self.grid.word_at(match.end()) for match in line_ends)})
        return _packed(words, self.size, lambda part: self._prose(words[part], words[part + 1], self.size), mixing=True)

    def _prose(self, begin: int, end: int, size: int) -> list[int]:
        cuts = split_region(self.text, self.grid, self.grid.starts[begin], self._offset(end), size)
        return list(dict.fromkeys(map(self.grid.word_at, cuts)))

    def _offset(self, word: int) -> int:
        return self.grid.starts[word] if word < len(self.grid) else len(self.text)


def _packed(
    bounds: list[int], size: int, divided: Callable[[int], list[int]], *, mixing: bool, intro: bool = False
) -> list[int]:
    """Return pieces of at most `size` words, each of as many of the parts between `bounds` as fit.

    `divided` gives the pieces of a part, by its number, that is too long to be one. With `mixing`, the first and the
    last of these may share a piece with what stands before and after the part. With `intro`, only the first part may
    so share a piece with the beginning of the second, which it introduces.
    """
    pieces: list[int] = []
    room = 0  # the word before which the last piece must end
    for part, (begin, end) in enumerate(pairwise(bounds)):
        if end <= room:
            continue
        fits = end - begin <= size
        new = [begin] if fits else divided(part)
        if (mixing or (intro and part == 1)) and len(new) > 1 and new[1] <= room:
            del new[0]
        pieces += new
        room = pieces[-1] + size if fits or mixing else 0
    return pieces
