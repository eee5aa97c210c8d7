"""What people type becomes an FTS5 expression: for every text, one that FTS5 accepts, or none.

Nothing in the text is an operator. Its words are all that counts; they are found in any combination, and a word held
together by ``-`` or ``_`` is found as it stands or by all of its parts. The text as one phrase is added for the order:
it finds nothing that its words do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from workspace.query.stopwords import without_stop_words
from workspace.query.tree import And, Node, Or, Phrase, Term, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Key = Callable[[str], str]
    Tokens = list[str]
    Word = tuple[str, Tokens]
    Clause = tuple[Term, ...]

MAX_TERMS: Final = 64
"""Different terms that are searched. Each reads its own list of rows; a pasted page would read the whole index."""

MAX_EXPRESSION: Final = 256
"""Terms in the expression, repetitions in compounds included: each of them, too, reads a list of rows."""

MIN_PHRASE: Final = 2
MAX_PHRASE: Final = 12
"""Tokens of a text that is looked for as a whole, too: a title or a sentence, not a page."""

MAX_PAIRS: Final = 64
"""Pairs of neighbours that are looked for in each row: as many as there may be terms."""

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

_NO_CORRECTIONS: Final[Mapping[str, str]] = MappingProxyType({})

_TOKEN: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*+)++")
_LONE: Final = re.compile(r".[\u0300-\u036f]*")


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """A query ready to run; `tree` is None if the text holds no token.

    `terms` are its different words with their counts, in order of appearance, `pairs` those of them that are neighbours
    in the text, `whole` the text as one phrase, which is a part of `tree`; `notes` tell people what was left out.
    """

    tree: Or | None
    terms: tuple[Term, ...] = ()
    pairs: tuple[tuple[Term, Term], ...] = ()
    whole: Phrase | None = None
    notes: tuple[str, ...] = ()

    @property
    def match(self) -> str:
        """The FTS5 expression; empty if there is nothing to search for."""
        return "" if self.tree is None else str(self.tree)


def compile_query(
    text: str, *, stem: Key | None = None, corrections: Mapping[str, str] = _NO_CORRECTIONS
) -> CompiledQuery:
    """Return the query that `text` asks for.

    `stem` gives what the index keeps of a token, "" for nothing: tokens of which it keeps the same are one term, and
    those of which it keeps nothing are no terms. Without it, tokens are the same if they differ in case only.
    `corrections` are tokens to take for others, by what `stem` gives of those.
    """
    key = stem or str.lower
    words = [(word, [corrections.get(key(token), token) for token in tokens]) for word, tokens in _words(text, key)]
    sequence = _counted(_clauses(words), key)
    clauses, dropped = _limited(list(dict.fromkeys(sequence)))
    if not clauses:
        return CompiledQuery(tree=None)
    nodes = [_node(clause) for clause in clauses]
    whole = _whole(words, clauses, key)
    if whole and whole not in chain.from_iterable(map(leaves, nodes)):
        nodes.append(whole)
    terms = tuple(dict.fromkeys(term for clause in clauses for term in clause))
    return CompiledQuery(
        tree=Or(tuple(_spelled(node, key) for node in nodes)),
        terms=terms,
        pairs=_pairs(sequence, frozenset(terms)),
        whole=whole,
        notes=(f"the query is long: only its first {MAX_TERMS} different words are searched",) if dropped else (),
    )


def _clauses(words: Sequence[Word]) -> Sequence[Tokens]:
    """Return the simple words (one token) and the compounds (all their tokens) that are searched for, in order."""
    if any(not _is_lone(token) for _, tokens in words for token in tokens):
        words = [(word, [token for token in tokens if not _is_lone(token)]) for word, tokens in words]
    clauses: list[Tokens] = []
    for word, tokens in words:
        clauses.extend([tokens] if tokens and ("-" in word or "_" in word) else ([token] for token in tokens))
    return without_stop_words(clauses)


def _words(text: str, key: Key) -> Iterator[Word]:
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
    """Return the clauses as terms, each of which has the spelling in which it comes first."""
    tokens = [token for clause in clauses for token in clause]
    counts = Counter(map(key, tokens))
    terms = {key(token): Term(token, counts[key(token)]) for token in reversed(tokens)}
    return [tuple(terms[key(token)] for token in clause) for clause in clauses]


def _limited(clauses: list[Clause]) -> tuple[list[Clause], bool]:
    """Return `clauses` without what is over the limits, and whether anything is."""
    different = dict.fromkeys(term for clause in clauses for term in clause)
    searched = frozenset(islice(different, MAX_TERMS))
    limited: dict[Clause, None] = {}  # compounds may be the same in what is left of them
    left = MAX_EXPRESSION
    for clause in clauses:
        within = tuple(term for term in clause if term in searched)[:left]
        if within and within not in limited:
            left -= len(within)
            limited[within] = None
    return list(limited), list(limited) != clauses


def _node(clause: Clause) -> Node:
    if len(clause) == 1:
        return clause[0]
    different = tuple(dict.fromkeys(clause))
    return Or((Phrase(clause), And(different) if len(different) > 1 else different[0]))


def _whole(words: Sequence[Word], clauses: Sequence[Clause], key: Key) -> Phrase | None:
    """Return the text as one phrase, if it is neither too short nor too long; of a compound alone, that compound.

    What else is left out, such as stop words and lone characters, is part of it: who quotes a title quotes them too.
    """
    tokens = [token for _, found in words for token in found]
    if not MIN_PHRASE <= len(tokens) <= MAX_PHRASE:
        return None
    if len(clauses) == 1 and [key(term.text) for term in clauses[0]] == list(map(key, tokens)):
        return Phrase(clauses[0])
    return Phrase(tuple(map(Term, tokens)))


def _pairs(sequence: Sequence[Clause], terms: frozenset[Term]) -> tuple[tuple[Term, Term], ...]:
    """Return the different `terms` that follow one another in the text, each pair once, in order."""
    words = [term for clause in sequence for term in clause if term in terms]
    return tuple(islice(dict.fromkeys(pair for pair in pairwise(words) if pair[0] != pair[1]), MAX_PAIRS))


def _spelled(node: Node, key: Key) -> Node:
    """Return `node` with its words composed or decomposed, where the index tells the two apart."""
    if isinstance(node, And | Or):
        return type(node)(tuple(_spelled(part, key) for part in node.parts))
    words = (node,) if isinstance(node, Term) else node.terms
    others = tuple(Term(unicodedata.normalize("NFD", word.text), word.count) for word in words)
    if all(key(word.text) == key(other.text) for word, other in zip(words, others, strict=True)):
        return node
    return Or((node, others[0] if isinstance(node, Term) else Phrase(others)))
