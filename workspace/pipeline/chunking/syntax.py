"""From a syntax tree to atoms: the nodes that chunks of code are packed from, in the order of the text.

Trees count bytes and chunks count words, so positions here are numbers of words: only a node that begins a word can
begin a chunk anyway. No function recurses, since trees of real files are thousands of levels deep.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from workspace.pipeline.chunking.grammars import LEADING, WRAPPERS
from workspace.pipeline.chunking.labels import inner_scope
from workspace.text.words import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from workspace.pipeline.chunking.grammars import Grammar
    from workspace.text.words import TokenGrid

_SEPARATORS: Final = frozenset({",", ";"})


class Role(Enum):
    """With which neighbour an atom wants to share a chunk."""

    CORE = "none in particular"
    FORWARD = "what follows: comments, decorators, the head of a definition"
    BACKWARD = "what precedes: closing brackets, separators, a comment at the end of a line"


class Atom(NamedTuple):
    """A node that fits into a chunk or has no parts; it extends from word number `word` to the next atom's.

    `scope` are the labels of the definitions around it that did not fit.
    """

    word: int
    node: Node
    scope: tuple[str, ...]
    role: Role


class Source:
    """A text, not without words, as the parser saw it: its UTF-8 bytes, and where its words start in them."""

    __slots__ = ("data", "grammar", "starts")

    def __init__(self, text: str, grid: TokenGrid, grammar: Grammar) -> None:
        self.data = text.encode()
        self.grammar = grammar
        self.starts = grid.starts.copy() if text.isascii() else _starts_in_bytes(text)
        # Unlike its first token, its first word begins after the white space that the text may begin with.
        self.starts[0] = len(text[: len(text) - len(text.lstrip())].encode())

    def word_at(self, byte: int) -> int | None:
        """Return the number of the word that starts exactly at `byte`."""
        word = bisect_left(self.starts, byte)
        return word if word < len(self.starts) and self.starts[word] == byte else None

    def words_between(self, start: int, end: int) -> int:
        """Return how many words start in the bytes from `start` up to, not including, `end`."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def is_larger(self, node: Node, size: int) -> bool:
        """Return whether more than `size` words start within `node`."""
        start, end = node.start_byte, node.end_byte
        # Most nodes have not even as many bytes.
        return end - start > size and self.words_between(start, end) > size


def _starts_in_bytes(text: str) -> list[int]:
    starts = list(accumulate(map(len, map(str.encode, tokens_of(text))), initial=0))
    del starts[-1]  # where the text ends
    return starts


class _Visit(NamedTuple):
    """A node still to be looked at, which is divided if it has more than `limit` words."""

    node: Node
    scope: tuple[str, ...]
    role: Role
    limit: int


def atoms_of(root: Node, source: Source, size: int) -> Iterator[Atom]:
    """Yield the atoms of the tree below `root`: the outermost nodes of at most `size` words, and larger leaves.

    The first stands at word 0. Nodes that begin inside a word belong to the atom before them.
    """
    stack = [iter([_Visit(root, (), Role.CORE, size)])]
    last = -1
    while stack:
        visit = next(stack[-1], None)
        if visit is None:
            stack.pop()
            continue
        node = visit.node
        if node.child_count and source.is_larger(node, visit.limit):
            stack.append(_parts_of(node, visit.scope, source, size))
            continue
        word = source.word_at(node.start_byte) if last >= 0 else 0
        if word is not None and word > last and node.start_byte < node.end_byte:
            yield Atom(word, node, visit.scope, visit.role)
            last = word
    if last < 0:  # the parser saw nothing, as in a lone byte-order mark
        yield Atom(0, root, (), Role.CORE)


def _parts_of(parent: Node, scope: tuple[str, ...], source: Source, size: int) -> Iterator[_Visit]:
    """Yield the children of a node that does not fit, as they are to be visited, but for small ones inside a word.

    The head of a definition, which is what precedes its body, is not to be left alone: it leads to the body, and the
    body is divided unless it fits together with the head.
    """
    inner = inner_scope(scope, parent, source.data, source.grammar)
    body = _start_of_body(parent, source.grammar)
    before = None
    for child in _children_of(parent):
        start, end = child.start_byte, child.end_byte
        if start == body:  # which adds its own label if it is the definition that `parent` wraps
            room = size - source.words_between(parent.start_byte, body)
            yield _Visit(child, scope if parent.type in WRAPPERS else inner, Role.CORE, room)
        elif end - start <= size and source.word_at(start) is None:
            pass  # a bracket or a comma, mostly
        elif end <= body:
            yield _Visit(child, inner, Role.FORWARD, size)
        else:
            closes = end == parent.end_byte or _trails(child, before, source.data)
            yield _Visit(child, inner, _role_of(child, closes=closes), size)
        before = child


def _start_of_body(parent: Node, grammar: Grammar) -> int:
    """Return the first byte of what follows the head of a definition, or of what a node wraps, or -1."""
    if parent.type in WRAPPERS:
        return max((child.start_byte for child in parent.named_children), default=-1)
    if parent.type in grammar.definitions:
        return max(_children_of(parent), key=lambda child: child.end_byte - child.start_byte).start_byte
    return -1


def _role_of(child: Node, *, closes: bool) -> Role:
    if child.is_named and child.type not in LEADING:
        return Role.CORE
    return Role.BACKWARD if closes or child.type in _SEPARATORS else Role.FORWARD


def _trails(child: Node, before: Node | None, data: bytes) -> bool:
    """Return whether `child` is a comment on the line on which the node `before` it ends."""
    if before is None or "comment" not in child.type:
        return False
    # Some grammars end a comment after its line end, others before.
    return b"\n" not in data[before.end_byte - 1 : child.start_byte]


def _children_of(node: Node) -> Iterator[Node]:
    """Yield the children one by one; ``node.children`` would hold on to all of them, which may be a million."""
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        if (child := cursor.node) is not None:
            yield child
        more = cursor.goto_next_sibling()
