"""What of a long row is shown: whole lines around the matches, within a cap and a share of the total."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from workspace.query.budget import PUNCTUATION_BYTES, TOTAL_BYTES, Room, encoded_size, owed_below
from workspace.query.matches import Match
from workspace.query.passage import best_passage, densest_group, trimmed
from workspace.text.lines import LineMap

EVERYTHING = sys.maxsize


def passage(text: str, words: list[str], *, chars: int = EVERYTHING, size: int = EVERYTHING) -> str:
    """The passage of `text` if the matches are all occurrences of `words`."""
    start, end = best_passage(text, LineMap(text), occurrences(text, words), Room(chars, size))
    return text[start:end]


def occurrences(text: str, words: list[str]) -> list[Match]:
    found = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append(Match(at, at + len(word), word))
            at = text.find(word, at + 1)
    return sorted(found, key=lambda match: match.start)


def numbered(count: int, special: dict[int, str]) -> str:
    return "".join(special.get(number, f"line {number}") + "\n" for number in range(1, count + 1))


# --- where ---------------------------------------------------------------------------------------------------


def test_lines_around_the_match_fill_the_room():
    text = numbered(20, {10: "a needle"})
    assert passage(text, ["needle"], chars=9) == "a needle\n"
    assert passage(text, ["needle"], chars=9 + 8) == "a needle\nline 11\n"
    assert passage(text, ["needle"], chars=9 + 7 + 8) == "line 9\na needle\nline 11\n"
    assert passage(text, ["needle"], chars=9 + 7 + 7 + 8 + 8 + 6) == "line 8\nline 9\na needle\nline 11\nline 12\n"


def test_room_that_one_side_cannot_use_goes_to_the_other():
    assert passage("needle\n" + numbered(9, {}), ["needle"], chars=7 + 4 * 7) == "needle\n" + numbered(4, {})
    assert passage(numbered(9, {}) + "needle", ["needle"], chars=6 + 2 * 7) == "line 8\nline 9\nneedle"


def test_without_a_match_it_is_the_beginning():
    assert passage("\n\n" + numbered(20, {}), [], chars=17) == "line 1\nline 2\n"
    assert passage("\n" + "x" * 99, [], chars=15) == "x" * 15


def test_the_densest_group_wins_over_the_first_match():
    text = numbered(100, {5: "red", 60: "red", 61: "green", 62: "blue", 90: "red green"})
    assert passage(text, ["red", "green", "blue"], chars=20) == "red\ngreen\nblue\n"


def test_rare_words_count_for_more_than_frequent_ones():
    text = numbered(50, {5: "the the the", 20: "the", 30: "the", 40: "the needle"})
    assert passage(text, ["the", "needle"], chars=11) == "the needle\n"


def test_words_as_a_phrase_win_over_words_near_each_other():
    text = numbered(100, {5: "green red", 60: "red green"})
    matches = [Match(at, at + 5, "red green") if text[at:].startswith("red g") else Match(at, at + 5, word)
               for at, _, word in occurrences(text, ["red", "green"]) if at != text.rindex("green")]  # fmt: skip
    start, end = best_passage(text, LineMap(text), matches, Room(10, EVERYTHING))
    assert text[start:end] == "red green\n"


def test_of_equal_groups_the_first_wins():
    assert densest_group(occurrences("a b ... a b ... a b", ["a", "b"]), 3) == occurrences("a b", ["a", "b"])


def test_matches_too_far_apart_for_whole_lines_give_way_from_the_poorer_end():
    text = "red " + "x" * 40 + "\n" + "y" * 40 + " green blue\n"
    assert passage(text, ["red", "green", "blue"], chars=60) == "y" * 40 + " green blue\n"
    text = "x" * 40 + " green blue\n" + "red " + "y" * 40 + "\n"
    assert passage(text, ["red", "green", "blue"], chars=60) == "x" * 40 + " green blue\n"


def test_a_phrase_over_two_lines_is_shown_whole():
    text = numbered(20, {10: "see hermes", 11: "agent there"})
    start = text.index("hermes")
    matches = [Match(start, start + len("hermes\nagent"), "hermes agent")]
    start, end = best_passage(text, LineMap(text), matches, Room(24, EVERYTHING))
    assert text[start:end] == "see hermes\nagent there\n"


# --- single lines that are too long ---------------------------------------------------------------------------


def test_a_long_line_is_cut_around_its_first_match():
    line = "x" * 1000 + "needle" + "y" * 1000
    assert passage(line + "\n", ["needle"], chars=100) == "x" * 25 + "needle" + "y" * 69
    assert passage("needle" + "y" * 1000, ["needle"], chars=100) == "needle" + "y" * 94
    assert passage("x" * 1000 + "needle\r\nz\n", ["needle"], chars=100) == "x" * 94 + "needle"


def test_a_cut_line_follows_the_densest_group():
    line = "red" + "x" * 1000 + "red green" + "x" * 1000
    assert "red green" in passage(line, ["red", "green"], chars=100)


def test_a_line_of_exactly_the_cap_is_whole():
    assert passage("needle" + "x" * 94 + "\nline 2\n", ["needle"], chars=100) == "needle" + "x" * 94


# --- promises for every text ---------------------------------------------------------------------------------

PIECES = ["needle", "red", " ", "\t", "\f", "\n", "\r", "\r\n", "\n\n", "日本", "😀", "\u2028", "\x1c", '"', "\\"]
TEXTS = st.lists(
    st.sampled_from(PIECES) | st.text(max_size=3) | st.integers(1, 60).map("x".__mul__), min_size=1, max_size=40
).map("".join)


@given(TEXTS, st.integers(1, 200), st.integers(6, 200))
@example("x\r\ny\r\n", 2, 6)
@example("\r\n" * 9 + "needle", 4, 10)
def test_a_passage_fits_and_is_whole_lines_or_part_of_one(text: str, chars: int, size: int):
    assume(text.strip("\r\n"))  # as in every row
    matches = occurrences(text, ["needle", "red"])
    lines = LineMap(text)
    start, end = best_passage(text, lines, matches, Room(chars, size))
    shown = text[start:end]
    assert 0 < len(shown) <= chars
    assert len(json.dumps(shown, ensure_ascii=False).encode(errors="surrogatepass")) - 2 <= size
    first, last = lines.line_at(start), lines.line_at(end - 1)
    if first != last or shown.endswith(("\r", "\n")):
        assert (start, end) == (lines.start_of(first), lines.end_of(last))
    assert shown[0] not in "\r\n"
    assert len(shown) - len(shown.rstrip("\r\n")) <= 1 + shown.endswith("\r\n")


@given(TEXTS)
def test_trimming_takes_empty_lines_and_nothing_else(text: str):
    start, end = trimmed(text, 0, len(text))
    assert text[:start].strip("\r\n") == text[end:].strip("\r\n") == ""
    assert LineMap(text[start:end]).count == LineMap(text.strip("\r\n")).count or not text.strip("\r\n")


# --- the total -----------------------------------------------------------------------------------------------


@given(st.text())
@example('"\\\b\f\n\r\t\x00\x1f\x7f\u2028é日😀')
def test_the_encoded_size_is_that_of_json(text: str):
    text = text.encode(errors="ignore").decode()
    assert encoded_size(text) == len(json.dumps(text, ensure_ascii=False).encode()) - 2


def test_what_is_owed_is_what_the_hits_below_may_need():
    assert owed_below([10, 20, 30_000]) == [20 + 1_500 + 2 * PUNCTUATION_BYTES, 1_500 + PUNCTUATION_BYTES, 0]
    assert owed_below([]) == []


@given(st.lists(st.integers(0, 200_000), min_size=1, max_size=1_000))
@example([100_000] * 1_000)
@example([100_000] * 20)
@example([5])
def test_what_is_owed_leaves_room_for_each(sizes: list[int]):
    """If each takes all it may, or nothing, the last ones are still served, and the total is kept."""
    owed = owed_below(sizes)
    left = TOTAL_BYTES
    for size, below in zip(sizes, owed, strict=True):
        room = left - below - PUNCTUATION_BYTES
        assert room >= min(size, 50)
        left -= min(size, room) + PUNCTUATION_BYTES
    assert left >= 0


@pytest.mark.parametrize("sizes", [[4_000] * 20 + [0], [4_400] * 20, [100] * 800, [4_000] * 15 + [20] * 900])
def test_nobody_is_narrowed_if_all_fit_together(sizes: list[int]):
    left = TOTAL_BYTES
    for size, below in zip(sizes, owed_below(sizes), strict=True):
        assert left - below - PUNCTUATION_BYTES >= size
        left -= size + PUNCTUATION_BYTES
