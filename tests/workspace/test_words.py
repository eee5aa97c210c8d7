"""Words are runs of non-white-space, the longest in several pieces, and cutting at token starts changes no count."""

from __future__ import annotations

import re
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.text.words import LONGEST_WORD, TokenGrid, count_words, token_starts, tokens_of

SPACES = [" ", "\n", "\r\n", "\r", "\t", "\f", "\v", "\x1c", "\x85", "\xa0", "\u2028", "\u3000", "  \n\n\t"]
RUNS = [
    "a",
    "é",
    "e\u0301",
    "𝔘",
    "_",
    "-",
    ".",
    "word",
    "中文字",
    "x" * 200,
    "y" * 256,
    "z" * 257,
    "," * 300,
    "snake_" * 50,
    "d" * 255 + "/" + "e" * 9,
    "\0",
    "\ufeff",
]
texts = st.lists(st.sampled_from(SPACES + RUNS), max_size=40).map("".join) | st.text(max_size=60)


def words_by_the_book(text: str) -> list[str]:
    """The definition, as literally as it can be written."""
    words = []
    for run in text.split():
        rest = run
        while len(rest) > 256:
            ends = [i + 1 for i in range(256) if not rest[i].isalnum()]
            end = ends[-1] if ends else 256
            words.append(rest[:end])
            rest = rest[end:]
        words.append(rest)
    return words


def test_white_space_is_the_same_for_str_and_for_regular_expressions():
    disagree = [c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace() != bool(re.match(r"\s", c))]
    assert disagree == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" \t\r\n\u2003", 0),
        ("one", 1),
        ("one\ntwo\rthree\x85four", 4),
        ("x" * 256, 1),
        ("x" * 257, 2),
        ("x" * 512, 2),
        ("-" + "x" * 256, 2),
        ("x" * 100 + "/" + "x" * 200, 2),
        ("𝔘" * 257, 2),
        ("x" * 250 + "_" + "x" * 250, 2),
        ("x" * 255 + "/" + "x" * 256, 2),
    ],
)
def test_counts(text: str, words: int):
    assert count_words(text) == words


@given(texts)
def test_words_are_those_of_the_definition(text: str):
    assert [token.strip() for token in tokens_of(text) if not token.isspace()] == words_by_the_book(text)
    assert count_words(text) == len(words_by_the_book(text))


@given(texts)
def test_tokens_lose_nothing(text: str):
    assert "".join(tokens_of(text)) == text


@given(texts)
def test_each_word_starts_one_token(text: str):
    starts = token_starts(text)
    assert len(starts) == count_words(text)
    assert starts[:1] in ([], [0])
    assert [text[a:b] for a, b in pairwise([*starts, len(text)])] == (tokens_of(text) if starts else [])


@given(texts, st.data())
def test_a_piece_cut_at_token_starts_has_the_words_it_had_in_the_text(text: str, data: st.DataObject):
    grid = TokenGrid(text)
    bounds = st.sampled_from([*grid.starts, len(text)])
    start, end = sorted([data.draw(bounds), data.draw(bounds)])
    assert count_words(text[start:end]) == grid.count(start, end)
    assert [start + offset for offset in token_starts(text[start:end])] == [s for s in grid.starts if start <= s < end]


@given(texts, st.data())
def test_a_cut_names_the_word_that_it_stands_in_or_before(text: str, data: st.DataObject):
    grid = TokenGrid(text)
    offset = data.draw(st.integers(min_value=0, max_value=len(text)))
    word = grid.word_at(offset)
    begun = [i for i, (a, b) in enumerate(pairwise([*grid.starts, len(text)])) if text[a:b].rstrip() and b > offset]
    inside = [i for i in begun if text[max(offset, grid.starts[i]) : [*grid.starts, len(text)][i + 1]].strip()]
    assert word == (inside[0] if inside else len(grid))


@given(texts)
def test_edges_lie_in_white_space_or_at_token_starts(text: str):
    grid = TokenGrid(text)
    edges = [grid.edge(word) for word in range(len(grid) + 1)]
    assert edges[-1] == (len(text) if grid.starts else 0)
    for word, edge in enumerate(edges[:-1]):
        assert grid.word_at(edge) == word
        assert text[edge : grid.starts[word]].strip() == ""
        assert edge == 0 or text[edge - 1 : edge + 1] != "\r\n"


def test_an_edge_takes_the_indentation_of_its_line_along():
    text = "one\n\n\t  two three\r\n four\r\t five"
    grid = TokenGrid(text)
    pieces = [text[a:b] for a, b in pairwise(grid.edge(word) for word in range(len(grid) + 1))]
    assert pieces == ["one\n\n", "\t  two ", "three\r\n", " four\r", "\t five"]


def test_no_word_is_longer_than_promised():
    """Nor is any pair of adjacent pieces of a run short: that is what makes them worth counting."""
    for run in ("a-" * 5_000, "." + "b" * 5_000, "c" * 5_000, ("d" * 255 + "/") * 20 + "e"):
        words = words_by_the_book(run)
        assert [word for word in words if len(word) > LONGEST_WORD] == []
        assert [pair for pair in pairwise(words) if sum(map(len, pair)) <= LONGEST_WORD] == []
