"""How well a row fits a query: the words it holds, how near to each other they stand, and the query as a whole.

An auxiliary function of FTS5, which knows where in a row the phrases of an expression are. The sum of

- for each term, BM25F (Robertson, Zaragoza, Taylor 2004): frequencies are weighed by column, then saturate as one;
- for each pair of terms that are neighbours in the query, how often they are neighbours, or near, in the row;
- for the query as a whole, how often it stands in the row, word for word.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workspace.query.tree import Phrase, Term, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import apsw

    from workspace.query.compile import CompiledQuery

    Words = tuple[str, ...]
    Places = Sequence[Sequence[int]]
    """By column, the offsets in tokens at which a phrase begins."""

NAME: Final = "lexrank"

CONTENT, HEADINGS, PATH_TERMS, SYMBOLS = range(4)

WEIGHTS: Final = (1.0, 4.0, 6.0, 6.0)
"""What an occurrence counts by column (content, headings, path_terms, symbols)."""

LENGTH: Final = (0.75, 0.5, 0.5, 0.5)
"""BM25's b by column: how much an occurrence in a long text counts less. Short columns differ less in meaning."""

K1: Final = 2.0
"""Occurrences at which half of the most is reached. Prose prefers 1.2, code 2, and prose minds the other less."""

ORDERED: Final = 0.5
NEAR: Final = 0.5
"""The most that neighbours in the order of the query, and words near each other, add to a pair's rarer term."""

WINDOW: Final = 8
"""Tokens within which words are near: about half a sentence."""

ENOUGH: Final = 64
"""Places near each other after which no more are counted; the sum is within 3 % of what any number would give."""

WHOLE: Final = 0.6
"""The most that the query as a whole adds, as a share of the worth of all its terms."""

APART: Final = 0.5
"""What the parts of a compound count in a row that holds them, but not side by side: who writes it means it whole."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The expression `match`, and the query in the numbers that FTS5 gives to its phrases (a word is one to it, too).

    Each term has several where it is spelled in two ways or occurs in several clauses, and so has `whole`, the query as
    one phrase. `counts` is how often the query holds each term, `rows` how many rows do. `pairs` are neighbours in the
    query, by their places in `terms`. `compounds` are phrases, with the places of those terms that occur in them alone.
    """

    match: str
    terms: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    rows: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    whole: tuple[int, ...]
    compounds: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Statistics:
    """What is the same for all rows of one search: each term's worth, and the mean length of each column."""

    idf: tuple[float, ...]
    mean_lengths: tuple[float, ...]


def asked(query: CompiledQuery, rows_with: Callable[[Term], int]) -> Asked:
    """Return `query` as `lexrank` takes it; `rows_with` counts the rows that hold a term."""
    numbers: dict[Words, list[int]] = {}
    alone: dict[Words, list[int]] = {}
    count = 0
    for clause in _clauses(query):
        simple = isinstance(clause[0], Term)
        for leaf in clause:
            numbers.setdefault(_words(leaf), []).append(count)
            if simple:
                alone.setdefault(_words(leaf), []).append(count)
            count += 1
    place = {term: index for index, term in enumerate(query.terms)}
    return Asked(
        match=query.match,
        # A word that is a clause of its own is found by that wherever it stands: its compounds tell nothing more.
        terms=tuple(tuple(alone.get(_words(term), numbers[_words(term)])) for term in query.terms),
        counts=tuple(term.count for term in query.terms),
        rows=tuple(map(rows_with, query.terms)),
        pairs=tuple((place[first], place[second]) for first, second in query.pairs),
        whole=tuple(numbers.get(_words(query.whole), ())) if query.whole else (),
        compounds=tuple(
            (tuple(numbers[phrase]), tuple(place[term] for term in query.terms if _words(term) in parts - alone.keys()))
            for phrase, parts in _compounds(query)
        ),
    )


def _compounds(query: CompiledQuery) -> Iterator[tuple[Words, set[Words]]]:
    """Yield the words of each compound's phrase, and those of its parts."""
    for clause in _clauses(query):
        parts = {_words(leaf) for leaf in clause if isinstance(leaf, Term)}
        if isinstance(clause[0], Phrase) and parts:
            yield _words(clause[0]), parts


def _clauses(query: CompiledQuery) -> list[list[Term | Phrase]]:
    """Return the leaves of each word, each compound, and the whole, in the order of the expression."""
    return [list(leaves(part)) for part in query.tree.parts] if query.tree else []


def lexrank(api: apsw.FTS5ExtensionApi, query: Asked) -> float:
    """Return the score of the current row, more negative the better it fits."""
    statistics: _Statistics = api.aux_data or _statistics(api, query)
    idf = statistics.idf
    weights = [
        weight / (1 - b + b * api.column_size(column) / mean)
        for column, (weight, b, mean) in enumerate(zip(WEIGHTS, LENGTH, statistics.mean_lengths, strict=True))
    ]
    places = [_places(api, numbers) for numbers in query.terms]
    apart = {term for phrase, terms in query.compounds if not _places(api, phrase) for term in terms}
    score = 0.0
    for term, found in enumerate(places):
        if found:
            share = APART if term in apart else 1.0
            frequency = sum(weight * len(at) for weight, at in zip(weights, found, strict=True))
            score += share * idf[term] * _saturated(frequency)
    for first, second in query.pairs:
        if places[first] and places[second]:
            score += min(idf[first], idf[second]) * _nearness(places[first], places[second])
    if whole := _places(api, query.whole):
        score += WHOLE * sum(idf) * _saturated(sum(map(len, whole)))
    return -score


def _statistics(api: apsw.FTS5ExtensionApi, query: Asked) -> _Statistics:
    total = api.row_count
    statistics = _Statistics(
        # The worth of a term that few rows hold (Robertson, Spärck Jones 1976), above 0 even where all of them do.
        idf=tuple(
            count * math.log(1 + (total - rows + 0.5) / (rows + 0.5))
            for rows, count in zip(query.rows, query.counts, strict=True)
        ),
        # A column that is empty throughout has no place for a term, so that its mean does not matter.
        mean_lengths=tuple(api.column_total_size(column) / total or 1.0 for column in range(len(WEIGHTS))),
    )
    api.aux_data = statistics
    return statistics


def _places(api: apsw.FTS5ExtensionApi, numbers: Sequence[int]) -> Places:
    """Return where the first of these phrases that the row holds stands; nothing if it holds none."""
    for number in numbers:
        places = api.phrase_locations(number)
        if any(places):
            return places
    return ()


def _saturated(frequency: float) -> float:
    return frequency * (K1 + 1) / (frequency + K1)


def _nearness(first: Places, second: Places) -> float:
    """Return what the neighbourhood of two terms is worth, as a share of the rarer one's worth.

    A place in a heading or a symbol counts double. Words of a path are near each other as it is.
    """
    ordered = near = 0
    for column, factor in ((CONTENT, 1), (HEADINGS, 2), (SYMBOLS, 2)):
        here, there = first[column], second[column]
        if here and there:
            ordered += factor * len({at + 1 for at in here}.intersection(there))
            near += factor * _near(here, there)
    return ORDERED * _saturated(ordered) + NEAR * _saturated(near)


def _near(here: Sequence[int], there: Sequence[int]) -> int:
    """Return how many places of the term that has fewer are within `WINDOW` of one of the other."""
    fewer, more = sorted((here, there), key=len)
    count = 0
    for at in fewer:
        nearest = bisect_left(more, at - WINDOW)
        count += nearest < len(more) and more[nearest] <= at + WINDOW
        if count == ENOUGH:
            break
    return count


def _words(leaf: Term | Phrase) -> Words:
    """Return the words of a leaf, the same for both of its spellings."""
    terms = (leaf,) if isinstance(leaf, Term) else leaf.terms
    return tuple(unicodedata.normalize("NFC", term.text) for term in terms)
