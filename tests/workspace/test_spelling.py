"""Words that the index does not hold are taken for the nearest that it does."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import index, plant, settings

from workspace import search_workspace
from workspace.query.compile import compile_query
from workspace.query.spelling import MAX_WORDS, distance, edits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORDS = st.text("abé", max_size=6)


@pytest.fixture
def found(tmp_path: Path, home: Path, caplog: pytest.LogCaptureFixture) -> Callable[[str], tuple[list[str], list[str]]]:
    """Searches three files; gives the names of those found, and what was said."""
    plant(
        tmp_path / "root",
        {
            "deploy.md": "Deploying with the configuration of the pipeline",
            "deploys.md": "deploys and deplore",
            "other.md": "Naïve 데이터베이스 word_list cab",
        },
    )
    config = settings(home, tmp_path / "root")
    index(config, inline=True)

    def search(query: str) -> tuple[list[str], list[str]]:
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            hits = search_workspace(config, query)
        return [hit.path.rpartition("/")[2] for hit in hits], caplog.messages

    return search


@pytest.mark.parametrize(
    ("query", "names", "said"),
    [
        ("deplyo", ["deploys.md", "deploy.md"], ["showing results for deploy: nothing holds deplyo"]),
        ("Deplyo Cab", ["other.md", "deploys.md", "deploy.md"], ["showing results for deploy: nothing holds Deplyo"]),
        ("configuraiton", ["deploy.md"], ["showing results for configuration: nothing holds configuraiton"]),
        ("naieve", ["other.md"], ["showing results for naive: nothing holds naieve"]),
        ("wrod-list", ["other.md"], ["showing results for word: nothing holds wrod"]),
        ("pieplnie", ["deploy.md"], ["showing results for pipelin: nothing holds pieplnie"]),
    ],
)
def test_a_misspelled_word_is_corrected_and_that_is_said(found, query: str, names: list[str], said: list[str]):
    results, messages = found(query)
    assert (sorted(results), messages) == (sorted(names), said)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("deplore", ["deploys.md"]),  # one letter from deploy, but there
        ("cob", []),  # too short
        ("dexxloy", []),  # two errors in a short word
        ("zzzzzzzz", []),
        ("d3ploy", []),  # no word
        ("x" * 1_000, []),
    ],
)
def test_nothing_else_is_corrected(found, query: str, names: list[str]):
    assert found(query) == (names, [])


def test_few_words_of_a_query_are_corrected(found):
    assert len(found("deplyo deplloy depoy depply pipelin configuraiton")[1]) == MAX_WORDS


def test_a_correction_is_one_wherever_the_word_stands():
    compiled = compile_query("read-flie flie Flie", corrections={"flie": "file"})
    assert compiled.match == '("read file" OR ("read" AND "file")) OR "file" OR "read file file file"'


@given(WORDS, WORDS)
@example("abéa", "baéa")
@example("", "a")
def test_the_distance_is_the_number_of_edits(one: str, other: str):
    expected = 0 if one == other else 1 if other in edits(one) or one in edits(other) else 2
    assert min(distance(one, other), 2) == expected
    assert distance(one, other) == distance(other, one)
