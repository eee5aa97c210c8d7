"""Headings are those that the specifications of the markup languages say, each as written."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from workspace.text.heading import MAX_HEADING_CHARS
from workspace.text.headings import Heading, heading_in_force, headings_of
from workspace.text.markdown import structure_of

ORACLE = MarkdownIt("commonmark").enable("table")

# --- Markdown against markdown-it -----------------------------------------------------------------------------

INDENTS = ("", "", "", " ", "  ", "   ", "    ", "      ", "\t")
MARKERS = ("> ", ">", ">  ", "- ", "-   ", "* ", "+ ", "1. ", "2) ", "10. ", "-\t", ">\t", "-      ")
HEADING_LINES = ("# h", "## h ##", "#", "#x", "###### six", "####### seven", "===", "---", "--", "=", "-", "## a `b` #")
OTHER_LINES = (
    "", "", "a", "b c", "***", "* * *", "- - -", "___", "*", "+", "1.", "2. x", "1. x", "01. x", "1234567890. x", "* x",
    "```", "```py", "````", "``` a`b", "~~~", "~~~~ x`y", "<div>", "</div>", "<!-- c", "-->", "<!-- c -->", "<?php",
    "?>", "<a href='x'>", "<b>x", "</a>", "<pre>", "</pre>", "<!DOCTYPE x>", "<![CDATA[", "]]>", "[a](b)", "**bold**",
    "| a | b |", "|---|---|", "---|---", "a | b", "|-|", "| a |", ":-: | -", ":--", "|a\\|b|", "|", "::", "a|b|c",
    "x\\",
)  # fmt: skip
CONTENTS = st.sampled_from(HEADING_LINES) | st.sampled_from(OTHER_LINES)
LINES = st.builds(
    "{}{}{}".format, st.sampled_from(INDENTS), st.sampled_from(("", "", "", *MARKERS)), CONTENTS
) | st.builds("{}{}{}{}".format, st.sampled_from(INDENTS), *[st.sampled_from(MARKERS)] * 2, CONTENTS)
DOCUMENTS = st.lists(LINES, min_size=1, max_size=9).map("\n".join)

MARKER = r"(?:[>*+-]|\d+[.)])"


def is_peculiar(text: str) -> bool:
    """Whether markdown-it is known to leave the specifications.

    It takes a line that opens something else for the header of a table, a line for part of a block quote whose ``>``
    is indented by four columns, and for a block what is indented by four columns below a quote in something else.
    """
    lines = text.split("\n")
    return bool(re.search(r"(?:\t|    ).*>|[>*+.)-].*>(?:.*\n)+?(?:    | *\t)", text)) or any(
        "|" in above
        and re.match(rf"[ \t]*(?:{MARKER}|[#`~<])", above)
        and re.match(rf"(?:[ \t]|{MARKER})*[|:-]", below)
        for above, below in pairwise(lines)
    )


def expected(text: str) -> list[tuple[str, int, int]]:
    """Return what markdown-it finds: headings by line and level, fences and tables by their lines."""
    found = []
    for token in ORACLE.parse(text):
        if token.type == "heading_open":
            found.append(("heading", token.map[0], int(token.tag[1])))
        elif token.type in {"fence", "table_open"}:
            found.append((token.type.removesuffix("_open"), token.map[0], last_line(text, token.map[1])))
    return sorted(found)


def actual(text: str) -> list[tuple[str, int, int]]:
    structure = structure_of(text)
    found = [("heading", text.count("\n", 0, heading.offset), heading.level) for heading in structure.headings]
    for atom in structure.atoms:
        end = text.count("\n", 0, atom.end) + (atom.end == len(text) and not text.endswith("\n"))
        found.append((atom.kind, text.count("\n", 0, atom.start), last_line(text, end)))
    return sorted(found)


def last_line(text: str, end: int) -> int:
    """Return the number of the last line before line `end` that is not blank: markdown-it wavers at the others."""
    lines = text.split("\n")[:end]
    while len(lines) > 1 and not lines[-1].strip(" \t>"):
        del lines[-1]
    return len(lines)


@settings(max_examples=700)
@given(DOCUMENTS)
def test_markdown_blocks_are_those_of_commonmark_with_tables(text: str):
    assume(not text.startswith("---"))  # front matter is no part of CommonMark
    assume(not is_peculiar(text))
    assert actual(text) == expected(text)


@settings(max_examples=400)
@given(st.lists(DOCUMENTS, min_size=1, max_size=3).map("\n\n".join), st.sampled_from(("\n", "\r\n", "\r")))
def test_headings_are_found_alike_with_and_without_the_other_blocks(text: str, end: str):
    """…and whichever way lines end."""
    converted = text.replace("\n", end)
    quick = headings_of(converted, "a.md")
    assert quick == structure_of(converted).headings
    unix = headings_of(text, "a.md")
    assert [(heading.line_text, heading.level) for heading in quick] == [(h.line_text, h.level) for h in unix]
    assert [converted[: h.offset].count(end) for h in quick] == [text[: h.offset].count("\n") for h in unix]


@settings(max_examples=200)
@given(
    st.text(alphabet=st.sampled_from("#=-`~>*<|[]: 1.a\t\n\r\v\x85\u2028\u00a0")) | st.text(),
    st.sampled_from(("a.md", "a.rst", "a.txt", "a.adoc", "a.org", "a.html")),
)
def test_any_text_has_headings_in_order_or_none(text: str, name: str):
    headings = headings_of(text, name)
    offsets = [heading.offset for heading in headings]
    assert offsets == sorted(set(offsets))
    assert all(0 <= offset < len(text) for offset in offsets)
    assert all(len(heading.line_text) <= MAX_HEADING_CHARS and heading.level >= 1 for heading in headings)
    assert not any(set(heading.line_text) & {"\n", "\r"} for heading in headings)


# --- Markdown by example -----------------------------------------------------------------------------------------


def titles(text: str, name: str = "a.md") -> list[str]:
    return [heading.line_text for heading in headings_of(text, name)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A\n\ntext\n\n## B ##\n", ["# A", "## B ##"]),
        ("A\n=\n\nB\n---\n", ["A", "B"]),
        ("two\nlines\n===\n", ["two lines"]),
        ("   ### three spaces\n", ["### three spaces"]),
        ("    # code\n", []),
        ("para\n    # goes on\n", []),
        ("#hashtag\n", []),
        ("#\ttab\n", ["#\ttab"]),
        ("> # quoted\n", ["# quoted"]),
        ("- # in a list\n\n  ## and further\n", ["# in a list", "## and further"]),
        ("- a\n\n      # code in an item\n", []),
        ("-    # in a list\n", ["# in a list"]),
        ("-     # code in an item\n", []),
        ("-\n\n   ```\n# the empty item had ended\n", []),
        ("a\n1. # interrupts\n", ["# interrupts"]),
        ("a\n2. # does not\n", []),
        ("```\n# comment\n```\n# B\n", ["# B"]),
        ("````\n```\n# inner\n```\n````\n# B\n", ["# B"]),
        ("~~~\n# tilde\n```\n# still\n~~~\n# B\n", ["# B"]),
        ("- ```\n  # in the fence\n# the item ends, so the fence does\n", ["# the item ends, so the fence does"]),
        ("```\n# never closed\n", []),
        ("``` not`a fence\n# B\n", ["# B"]),
        ("<div>\n# raw\n\n# B\n", ["# B"]),
        ("<!--\n# comment\n\n# still\n-->\n# B\n", ["# B"]),
        ("<a>\n# raw\n", []),
        ("text <a>\n# B\n", ["# B"]),
        ("- a\n<a>\n# B\n", ["# B"]),
        ("[a]: /b\n===\n", []),
        ("[a]: /b\n'title'\nB\n===\n", ["B"]),
        ("[a]: (b\nB\n===\n", ["[a]: (b B"]),
        ("| a |\n|---|\n===\n", []),
        ("a\n* * *\n---\n", []),
        ("> a\n===\n", []),
        ("- a\n---\n", []),
        ("---\ntitle: x\n# comment\n---\n# B\n", ["# B"]),
        ("---\ntitle: x\n...\n# B\n", ["# B"]),
        ("---\n\n# B\n\n---\n", ["# B"]),
        ("---\nnever closed\n# B\n", ["# B"]),
        ("a\n---\n# no front matter\n---\n", ["a", "# no front matter"]),
    ],
)  # fmt: skip
def test_markdown_headings_as_written(text: str, found: list[str]):
    assert titles(text) == found


def test_a_heading_is_found_at_its_line():
    text = "intro\r\n\r\n> ## A\r\n\r\nB\r\nC\r\n-\r\n"
    assert headings_of(text, "A.Markdown") == [
        Heading(text.index(">"), "## A", 2),
        Heading(text.index("B"), "B C", 2),
    ]


def test_indented_code_is_one_block_with_its_blank_lines():
    assert structure_of("a\n\n    b\n\n    c\n\nd\n").starts == [(0, 0), (3, 0), (17, 0)]


def test_nesting_without_end_is_text_at_last():
    assert titles(">" * 20 + " # within reason\n") == ["# within reason"]
    assert titles(">" * 20_000 + " # beyond it\n") == []


def test_what_is_too_long_for_a_title_is_cut():
    assert titles("# " + "x" * 10_000)[0] == "# " + "x" * (MAX_HEADING_CHARS - 2)
    assert len(titles("word\n" * 10_000 + "===\n")[0]) <= MAX_HEADING_CHARS


# --- Other markup ------------------------------------------------------------------------------------------------


def levels(text: str, name: str) -> list[tuple[str, int]]:
    return [(heading.line_text, heading.level) for heading in headings_of(text, name)]


def test_rst_styles_rank_in_order_of_appearance():
    text = "=====\n Top\n=====\n\nFirst\n=====\n\nBelow\n-----\n\nSecond\n======\n"
    assert levels(text, "a.rst") == [("Top", 1), ("First", 2), ("Below", 3), ("Second", 2)]
    assert levels(text, "a.txt") == levels(text, "a.rst")
    assert headings_of(text, "a.rst")[0].offset == text.index(" Top")


def test_the_rule_of_one_rst_title_does_not_overline_the_next():
    assert levels("A\n==\nB\n==\n", "a.rst") == [("A", 1), ("B", 1)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Title\n====\n", ["Title"]),  # docutils warns, and takes it
        ("Title\n===\n", []),
        ("A\n==\n\nIO\n--\n", ["A", "IO"]),
        (".. _label:\nTitle\n=====\n", ["Title"]),
        ("A\n==\nB\n--\n", ["A", "B"]),
        (":mod:`json` --- JSON\n--------------------\n", [":mod:`json` --- JSON"]),
        ("1. Introduction\n===============\n", ["1. Introduction"]),
        ("first line\nsecond line\n===========\n", []),
        ("::\n\n   Literal\n   =======\n", []),
        ("=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n", []),
        ("+---+\n| a |\n+===+\n", []),
        ("- item\n------\n", []),
        (":field: x\n---------\n", []),
        ("text\n\n----\n\ntext\n", []),
        ("=====\n=====\n", []),
        ("Title\r\n=====\r\n", ["Title"]),
        ("Title\r=====\r", ["Title"]),
    ],
)
def test_rst_titles_are_those_of_docutils(text: str, found: list[str]):
    assert titles(text, "a.rst") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Title\n=====\n\nPart\n----\n", ["Title", "Part"]),
        ("Title\n====\n", []),
        ("Name   Value\n------------\n", []),
        ("Name\tValue\n------------\n", []),
        ("some text\nlast line\n---------\n", []),
        ("it\n--\n", []),
    ],
)
def test_plain_text_has_only_unmistakable_titles(text: str, found: list[str]):
    assert titles(text, "a.txt") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("= Doc\n\n== A\n\n=== B\n", [("= Doc", 1), ("== A", 2), ("=== B", 3)]),
        ("git-add(1)\n==========\n\nNAME\n----\ntext\n", [("git-add(1)", 1), ("NAME", 2)]),
        ("----\n== listing\n----\n== A\n", [("== A", 2)]),
        ("....\n== literal\n....\n\n====\n== example\n====\n\n== A\n", [("== A", 2)]),
        ("-----\n----\n== still inside\n-----\n== A\n", [("== A", 2)]),
        ("```sh\n# comment\n```\n== A\n", [("== A", 2)]),
        ("|===\n| a\n== cell\n|===\n== A\n", [("== A", 2)]),
        ("----\n== never closed\n", []),
        ("some text\n----\n== listing\n----\n", []),
        (".Caption\n--------\n== listing\n--------\n", []),
        ("== A\r\n----\r\n== listing\r\n----\r\n== B\r\n", [("== A", 2), ("== B", 2)]),
    ],
)
def test_asciidoc_titles_are_outside_of_delimited_blocks(text: str, found: list[tuple[str, int]]):
    assert levels(text, "a.adoc") == found
    assert levels(text, "A.ASCIIDOC") == found


def test_org_headlines_are_outside_of_blocks():
    text = "* A\n** TODO B :tag:\n#+BEGIN_SRC sh\n* not one\n#+END_SRC\n*bold*\n* C\n#+begin_quote\n* never closed\n"
    assert levels(text, "a.org") == [("* A", 1), ("** TODO B :tag:", 2), ("* C", 1), ("* never closed", 1)]


def test_html_headings_are_as_they_read():
    text = """<html><head><title>Page</title><script>"<h1>no</h1>"</script></head>
<!-- <h1>no</h1> --><body><H1 class="x">One &amp; <em>only</em><a href="#">\u00b6</a></H1>
<h2>
  Two<br>lines
</h2><h3></h3><h4>not closed<h5>Five</h5>"""
    assert levels(text, "a.html") == [("One & only", 1), ("Two lines", 2), ("Five", 5)]
    assert headings_of(text, "a.htm")[0].offset == text.index("<H1")


def test_the_title_of_an_html_page_stands_in_for_headings():
    assert levels("<title> The\npage </title><p>text<svg><title>icon</title></svg>", "a.xhtml") == [("The page", 1)]


@pytest.mark.parametrize("opening", ["<!--", "<script>", "<h1>", "<h1", "<title>", "<h1><!--<h1>"])
def test_unclosed_html_has_no_headings(opening: str):
    assert headings_of(opening * 10_000, "a.html") == []


def test_other_files_have_no_headings():
    assert headings_of("# comment\n", "a.py") == headings_of("# comment\n", "README") == []


# --- In force ------------------------------------------------------------------------------------------------------


def test_the_heading_in_force_is_the_nearest_above():
    headings = headings_of("text\n# A\ntext\n## B\ntext\n", "a.md")
    a, b = headings
    assert heading_in_force(headings, 0) is None
    assert heading_in_force(headings, a.offset - 1) is None
    assert heading_in_force(headings, a.offset) == a
    assert heading_in_force(headings, b.offset - 1) == a
    assert heading_in_force(headings, b.offset) == b
    assert heading_in_force(headings, 10_000) == b
    assert heading_in_force([], 0) is None
