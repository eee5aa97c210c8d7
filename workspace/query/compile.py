"""What people type becomes an FTS5 expression: for every text, one that FTS5 accepts, or none.

Nothing in the text is an operator. Its words are all that counts; they are found in any combination, and a word held
together by ``-`` or ``_`` is found as it stands or by all of its parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from workspace.query.tree import And, Node, Or, Phrase, Term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Key = Callable[[str], str]
    Tokens = list[str]
    Clause = tuple[Term, ...]

MAX_TERMS: Final = 64
"""Different terms that are searched. Each reads its own list of rows; a pasted page would read the whole index."""

MAX_EXPRESSION: Final = 256
"""Terms in the expression, repetitions in compounds included: each of them, too, reads a list of rows."""

MAX_TOKENS: Final = 10_000
"""Tokens that are read at all: what lies beyond could only count repetitions of the first terms."""

_SEPARATOR: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls that are not white space
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u180e"  # format characters, which include all
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero-width and bidirectional marks
    r"\ud800-\udfff]"  # lone surrogates
)
_MARK_FLOOD: Final = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")
"""More than 30 marks in a row, the limit of UAX #15 section 13: sorting them takes time that grows as the square."""

_TOKEN: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*+)++")
_LONE: Final = re.compile(r".[\u0300-\u036f]*")


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """A query ready to run; `tree` is None if the text holds no token.

    `terms` are its different words with their counts, in order of appearance; `notes` tell people what was left out.
    """

    tree: Or | None
    terms: tuple[Term, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def match(self) -> str:
        """The FTS5 expression; empty if there is nothing to search for."""
        return "" if self.tree is None else str(self.tree)


def compile_query(text: str, *, stem: Key | None = None) -> CompiledQuery:
    """Return the query that `text` asks for.

    `stem` gives what the index keeps of a token, "" for nothing: tokens of which it keeps the same are one term, and
    those of which it keeps nothing are no terms. Without it, tokens are the same if they differ in case only.
    """
    key = stem or str.lower
    clauses, dropped = _limited(_counted(_clauses(text, key), key))
    if not clauses:
        return CompiledQuery(tree=None)
    return CompiledQuery(
        tree=Or(tuple(_spelled(_node(clause), key) for clause in clauses)),
        terms=tuple(dict.fromkeys(term for clause in clauses for term in clause)),
        notes=(f"the query is long: only its first {MAX_TERMS} different words are searched",) if dropped else (),
    )


def _clauses(text: str, key: Key) -> list[Tokens]:
    """Return the simple words (one token) and the compounds (all their tokens) of `text`, in order."""
    words = list(_words(text, key))
    if any(not _is_lone(token) for _, tokens in words for token in tokens):
        words = [(word, [token for token in tokens if not _is_lone(token)]) for word, tokens in words]
    clauses: list[Tokens] = []
    for word, tokens in words:
        clauses.extend([tokens] if tokens and ("-" in word or "_" in word) else ([token] for token in tokens))
    return clauses


def _words(text: str, key: Key) -> Iterator[tuple[str, Tokens]]:
    """Yield each white-space-delimited word of `text` with those of its tokens that can be searched for."""
    left = MAX_TOKENS
    for word in _normal(text).split():
        tokens = [found[0] for found in islice(_TOKEN.finditer(word), left)]
        left -= len(tokens)
        yield word, list(filter(key, tokens))
        if not left:
            return


def _normal(text: str) -> str:
    """Return `text` composed (NFC), so that letter and mark are one, and free of characters that only separate."""
    return unicodedata.normalize("NFC", _MARK_FLOOD.sub(r"\1", _SEPARATOR.sub(" ", text)))


def _is_lone(token: str) -> bool:
    return _LONE.fullmatch(token) is not None


def _counted(clauses: Sequence[Tokens], key: Key) -> list[Clause]:
    """Return the different clauses, in order; each term has the spelling in which it comes first."""
    tokens = [token for clause in clauses for token in clause]
    counts = Counter(map(key, tokens))
    terms = {key(token): Term(token, counts[key(token)]) for token in reversed(tokens)}
    return list(dict.fromkeys(tuple(terms[key(token)] for token in clause) for clause in clauses))


def _limited(clauses: list[Clause]) -> tuple[list[Clause], bool]:
    """Return `clauses` without what is over the limits, and whether anything is."""
    different = dict.fromkeys(term for clause in clauses for term in clause)
    searched = frozenset(islice(different, MAX_TERMS))
    limited: list[Clause] = []
    left = MAX_EXPRESSION
    for clause in clauses:
        within = tuple(term for term in clause if term in searched)[:left]
        left -= len(within)
        if within:
            limited.append(within)
    return limited, limited != clauses


def _node(clause: Clause) -> Node:
    if len(clause) == 1:
        return clause[0]
    different = tuple(dict.fromkeys(clause))
    return Or((Phrase(clause), And(different) if len(different) > 1 else different[0]))


def _spelled(node: Node, key: Key) -> Node:
    """Return `node` with its words composed or decomposed, where the index tells the two apart."""
    if isinstance(node, And | Or):
        return type(node)(tuple(_spelled(part, key) for part in node.parts))
    words = (node,) if isinstance(node, Term) else node.terms
    others = tuple(Term(unicodedata.normalize("NFD", word.text), word.count) for word in words)
    if all(key(word.text) == key(other.text) for word, other in zip(words, others, strict=True)):
        return node
    return Or((node, others[0] if isinstance(node, Term) else Phrase(others)))
