"""Markdown is cut at its headings and between its blocks; what reads only in one piece stays in one piece."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workspace.pipeline.chunking.markdown import split_markdown
from workspace.text.markdown import structure_of
from workspace.text.words import TokenGrid, count_words


def pieces(text: str, size: int) -> list[str]:
    cuts = split_markdown(text, TokenGrid(text), size)
    return [text[start:end] for start, end in pairwise([*cuts, len(text)])]


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


# --- Properties ------------------------------------------------------------------------------------------------

SENTENCES = st.integers(1, 30).map(lambda count: words(count) + ".")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=3).map("\n".join)
HEADINGS = st.builds("{} {}".format, st.sampled_from(("#", "##", "###")), st.integers(1, 3).map(words))
SETEXT = st.integers(1, 3).map(lambda count: words(count) + "\n---")
FENCES = st.builds(
    "{0}\n{1}\n{0}".format,
    st.sampled_from(("```", "~~~~")),
    st.lists(st.sampled_from(("# x y", "", "a b c", "- d"))).map("\n".join),
)
TABLES = st.integers(0, 8).map(lambda rows: "| a | b |\n|---|---|" + "\n| c | d e |" * rows)
LISTS = st.lists(st.builds("{}- {}".format, st.sampled_from(("", "  ", "    ")), SENTENCES), min_size=1).map("\n".join)
QUOTED = st.one_of(FENCES, PARAGRAPHS).map(lambda block: "> " + block.replace("\n", "\n> "))
INDENTED = FENCES.map(lambda block: "- item\n\n  " + block.replace("\n", "\n  "))
BLOCKS = st.one_of(PARAGRAPHS, HEADINGS, HEADINGS, SETEXT, FENCES, TABLES, LISTS, QUOTED, INDENTED)
DOCUMENTS = st.builds(
    lambda blocks, gap, end: gap.join(blocks).replace("\n", end),
    st.lists(BLOCKS, min_size=1, max_size=12),
    st.sampled_from(("\n\n", "\n\n\n", "\n \n")),
    st.sampled_from(("\n", "\r\n", "\r")),
)
SIZES = st.integers(1, 60)


def check(text: str, size: int) -> None:
    """Assert all that is promised of every text."""
    grid = TokenGrid(text)
    cuts = split_markdown(text, grid, size)
    assert cuts[0] == 0
    assert cuts == sorted(set(cuts))
    assert set(cuts) <= set(grid.starts)
    assert max(grid.count(start, end) for start, end in pairwise([*cuts, len(text)])) <= size
    for atom in structure_of(text).atoms:
        if count_words(text[atom.start : atom.end]) <= size:
            first, after = grid.word_at(atom.start), grid.word_at(atom.end)
            assert not [cut for cut in cuts if first < grid.word_at(cut) < after]


@settings(max_examples=400)
@given(DOCUMENTS, SIZES)
def test_pieces_tile_and_fit_and_cut_no_atom_that_fits(text: str, size: int):
    check(text, size)


@settings(max_examples=200)
@given(DOCUMENTS, st.integers(20, 60))
def test_no_heading_ends_a_piece_whose_next_block_would_have_fitted(text: str, size: int):
    grid = TokenGrid(text)
    cuts = split_markdown(text, grid, size)
    structure = structure_of(text)
    starts = [offset for offset, _ in structure.starts]
    headings = {heading.offset for heading in structure.headings}
    for heading in structure.headings:
        below = [start for start in starts if start > heading.offset]
        if below and below[0] not in headings and below[0] in cuts:
            end = below[1] if len(below) > 1 else len(text)
            assert grid.count(heading.offset, end) > size


@settings(max_examples=100)
@given(st.text(alphabet=st.sampled_from("#=-`~>*<|[]: 1.a\t\n\r\v\u2028")) | st.text(), st.integers(1, 5))
def test_any_text_can_be_cut(text: str, size: int):
    if text.strip():
        check(text, size)


REAL = [
    path
    for pattern in ("nodejs/**/*.md", "**/README.md*", "**/NEWS.md*")
    for path in sorted(Path("/usr/share/doc").glob(pattern))[:12]
]


@pytest.mark.skipif(not REAL, reason="this system has no documentation")
@pytest.mark.parametrize("path", REAL, ids=lambda path: "/".join(path.parts[-2:]))
def test_real_documents_keep_the_promise(path: Path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode(errors="replace")[:100_000]
    if text.strip():
        check(text, 60)
        check(text, 432)


# --- Examples ----------------------------------------------------------------------------------------------------


def test_a_text_that_fits_is_one_piece():
    assert pieces("# A\n\ntext\n\n# B\n\ntext\n", 100) == ["# A\n\ntext\n\n# B\n\ntext\n"]


def test_sections_are_packed_whole():
    a, b, c = (f"## {name}\n\n{words(8)}\n\n" for name in "ABC")
    assert pieces(a + b + c, 20) == [a + b, c]
    assert pieces(a + b + c, 19) == [a, b, c]


def test_a_section_that_is_too_long_is_cut_at_its_subsections():
    top = "# Top\n\n" + words(4) + "\n\n"
    one, two = (f"## {name}\n\n{words(10)}\n\n" for name in ("One", "Two"))
    other = "# Other\n\n" + words(10) + "\n"
    assert pieces(top + one + two + other, 20) == [top + one, two, other]


def test_an_introduction_shares_a_piece_with_the_beginning_of_what_it_introduces():
    top = "# Top\n\nword\n\n"
    first, second = "## One\n\n" + words(10) + "\n\n", words(10) + "\n"
    assert pieces(top + first + second, 20) == [top + first, second]


def test_the_end_of_a_divided_section_shares_no_piece_with_the_next():
    long = "# Long\n\n" + "\n\n".join([words(10)] * 3) + "\n\n"
    short = "# Short\n\nword\n"
    assert pieces(long + short, 24)[-1] == short


def test_a_heading_stays_with_what_follows():
    text = f"# A\n\n## B\n\n{words(30)}\n"
    assert pieces(text, 20)[0].startswith("# A\n\n## B\n\nword")
    text = f"{words(15)}\n\n## B\n\n{words(10)}\n"
    assert pieces(text, 18) == [f"{words(15)}\n\n", f"## B\n\n{words(10)}\n"]


def test_more_headings_than_fit_are_cut_between_lines():
    assert pieces("# A\n# B\n# C\n# D\n", 4) == ["# A\n# B\n", "# C\n# D\n"]


def test_a_heading_in_a_quote_begins_no_section():
    a = f"# A\n\n{words(5)}\n\n> # quoted\n> {words(5)}\n\n"
    b = f"## B\n\n{words(8)}\n"
    assert pieces(a + b, 18) == [a, b]


def test_a_fence_that_fits_is_moved_as_a_whole():
    fence = "```sh\n# one\n\n# two\n\n# three\n```\n"
    text = f"# A\n\n{words(8)}\n\n{fence}"
    assert pieces(text, 12) == [f"# A\n\n{words(8)}\n\n", fence]


def test_a_fence_that_is_too_long_is_cut_between_lines():
    text = "## A\n\n```\n" + "a b c\n" * 5 + "```\n"
    assert pieces(text, 7) == ["## A\n\n```\na b c\n", "a b c\na b c\n", "a b c\na b c\n```\n"]


def test_the_nearest_of_several_headings_stays_with_a_fence():
    text = "# A\n\n## B\n\n```\nc d e\n```\n"
    assert pieces(text, 8) == ["# A\n\n", "## B\n\n```\nc d e\n```\n"]


def test_a_table_that_fits_stays_whole_below_its_paragraph():
    table = "| a | b |\n|---|---|\n| c | d |\n"
    assert pieces(f"{words(6)}\n{table}\n{words(9)}\n", 15) == [f"{words(6)}\n", f"{table}\n", f"{words(9)}\n"]


def test_lists_are_cut_between_the_outermost_items():
    items = [f"- {words(4)}\n  - {words(4)}\n" for _ in range(3)]
    assert pieces("".join(items), 27) == [items[0] + items[1], items[2]]


def test_front_matter_stays_whole():
    matter = "---\ntitle: a b c\n# comment\n---\n"
    assert pieces(f"{matter}# A\n\n{words(10)}\n", 14) == [matter, f"# A\n\n{words(10)}\n"]


def test_a_paragraph_that_is_too_long_is_cut_as_prose():
    text = f"# A\n\n{words(8)}. {words(8)}. {words(8)}.\n"
    assert pieces(text, 12) == [f"# A\n\n{words(8)}. ", f"{words(8)}. ", f"{words(8)}.\n"]


def test_cuts_fall_behind_indentation_and_line_ends():
    text = f"- {words(5)}\r\n  - {words(5)}\r\n"
    assert pieces(text, 6) == [f"- {words(5)}\r\n  ", f"- {words(5)}\r\n"]
