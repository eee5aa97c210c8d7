"""A query as a value: frozen nodes, each of which prints itself as an FTS5 expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Term:
    """One word. `count` is how often the query holds it, in this or a spelling that FTS5 takes for the same."""

    text: str
    count: int = 1

    def __str__(self) -> str:
        return _quoted(self.text)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand side by side, in this order."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return _quoted(" ".join(term.text for term in self.terms))


@dataclass(frozen=True, slots=True)
class And:
    """All of its parts, anywhere in the row."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " AND ".join(map(_operand, self.parts))


@dataclass(frozen=True, slots=True)
class Or:
    """Any of its parts."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " OR ".join(map(_operand, self.parts))


Node = Term | Phrase | And | Or


def leaves(node: Node) -> Iterator[Term | Phrase]:
    """Yield the words and phrases of `node` as they are printed, which is how FTS5 numbers them, from 0."""
    if isinstance(node, Term | Phrase):
        yield node
    else:
        for part in node.parts:
            yield from leaves(part)


def _operand(node: Node) -> str:
    return f"({node})" if isinstance(node, And | Or) else str(node)


def _quoted(text: str) -> str:
    """Return `text` as an FTS5 string, in which no character has a meaning of its own."""
    return '"' + text.replace('"', '""') + '"'
