"""Lines are numbered as an editor numbers them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.text.lines import LineMap, line_span, whole_span_lines

ENDS = re.compile(r"\r\n|\r|\n")
texts = st.lists(
    st.sampled_from(["\n", "\r", "\r\n", "a", " ", "b c", "\f", "\v", "\x1c", "\x85", "\u2028", "\u2029", "𝔘"]),
    max_size=30,
).map("".join)


def lines_of(text: str) -> list[str]:
    """The lines with their ends, by a regular expression."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("a", 1),
        ("a\n", 1),
        ("a\nb", 2),
        ("\n", 1),
        ("a\r\nb\r\n", 2),
        ("a\rb\r", 2),
        ("a\n\rb", 3),
        ("a\r\r\nb", 3),
    ],
)
def test_a_final_line_end_opens_no_line(text: str, count: int):
    assert LineMap(text).count == count


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_nothing_else_ends_a_line(character: str):
    assert LineMap(f"a{character}b\nc").line_at(4) == 2


def test_a_file_of_142_lines_ends_on_line_142():
    for end in ("\n", "\r\n", "\r"):
        text = f"line{end}" * 142
        assert line_span(LineMap(text), text, 0, len(text)) == (1, 142)
        assert whole_span_lines(text) == (1, 142)


@given(texts)
def test_starts_and_ends_cut_the_text_into_its_lines(text: str):
    lines = LineMap(text)
    assert [text[lines.start_of(n) : lines.end_of(n)] for n in range(1, lines.count + 1)] == lines_of(text)


@given(texts)
def test_each_character_is_on_the_line_that_holds_it(text: str):
    lines = LineMap(text)
    expected = [number for number, line in enumerate(lines_of(text), start=1) for _ in line]
    assert [lines.line_at(offset) for offset in range(len(text))] == expected
    assert lines.line_at(len(text) + 5) == lines.count


@given(texts, st.data())
def test_a_span_has_the_lines_of_its_first_and_last_character_that_ends_no_line(text: str, data: st.DataObject):
    start = data.draw(st.integers(min_value=0, max_value=len(text)))
    end = data.draw(st.integers(min_value=start, max_value=len(text)))
    numbers = [number for number, line in enumerate(lines_of(text), start=1) for _ in line]
    within = [numbers[i] for i in range(start, end) if text[i] not in "\r\n"]
    first, last = line_span(LineMap(text), text, start, end)
    if within:
        assert (first, last) == (within[0], within[-1])
    elif start < len(text):
        assert first == last == numbers[start]


@given(texts)
def test_the_whole_text_needs_no_map(text: str):
    assert whole_span_lines(text) == line_span(LineMap(text), text, 0, len(text)) or not text.strip("\r\n")
