"""Chunks are exact: they tile the text, keep to the size, overlap as told, and know their lines and sections."""

from __future__ import annotations

import gc
import random
import re
import sysconfig
import weakref
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workspace.pipeline.chunking import chunker as chunker_module
from workspace.pipeline.chunking import prose
from workspace.pipeline.chunking.chunker import chunk_text
from workspace.pipeline.chunking.grammars import language_of
from workspace.pipeline.chunking.options import ChunkOptions
from workspace.pipeline.chunking.prose import LostTextError, split_prose, split_region
from workspace.pipeline.chunking.tokenizer import WordTokenizer
from workspace.text.filetypes import kind_of
from workspace.text.words import TokenGrid, count_words, token_starts

if TYPE_CHECKING:
    from workspace.pipeline.items import Span

FRAGMENTS = [
    *(
        "a",
        "word",
        "two words",
        "Sentence one. Sentence two! ",
        "x" * 300,
        ",;:" * 100,
        "e\u0301",
        "𝔘𝔫𝔦",
        "中文字",
        "\0\x01\x7f",
    ),
    *(" ", "\n", "\r\n", "\r", "\n\n", "\t", "\f", "\v", "\x1c", "\x85", "\u2028", "\u2029", "\xa0", "\r\r\n", "   \n"),
    *(
        "# Title\n",
        "## Sub `x`\n",
        "Setext\n===\n",
        "```\ncode = 1\n```\n",
        "~~~\n# no\n",
        "| a | b |\n|---|---|\n",
        "- item\n",
    ),
    *(
        "def f(x):\n",
        "    return 1\n",
        "class A:\n",
        "{",
        "}",
        "[1, 2]",
        "/* c */",
        "// d\n",
        "# e\n",
        '"""',
        "<h1>H</h1>",
    ),
]
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join) | st.text(max_size=80)
NAMES = ["a.txt", "a.rst", "a.md", "a.py", "a.js", "a.json", "a.yaml", "a.html", "a.c", "a"]


@st.composite
def option_sets(draw: st.DrawFn) -> ChunkOptions:
    size = draw(st.integers(min_value=1, max_value=12))
    return ChunkOptions(chunk_size=size, overlap=draw(st.integers(min_value=0, max_value=size - 1)), threshold=0)


def check(text: str, spans: list[Span], options: ChunkOptions) -> None:
    """What holds for the chunks of every text, by every chunker."""
    check_words(text, spans, options)
    check_edges(text, spans)
    check_lines(text, spans)
    for span in spans:
        assert span.section is None or span.section in span.headings.split("\n")


def check_words(text: str, spans: list[Span], options: ChunkOptions) -> None:
    """Every chunk repeats what it is to repeat, holds what it may hold, and together they hold each word once."""
    done = skipped = position = 0
    for span in spans:
        repeated = min(options.overlap, done)
        skipped, position = skipped + count_words(text[position : span.start]), span.start
        assert skipped == done - repeated
        assert span.tokens == count_words(text[span.start : span.end])
        assert repeated < span.tokens <= options.chunk_size
        assert span.tokens - repeated <= options.chunk_size - options.overlap
        done += span.tokens - repeated
    assert done == count_words(text)


def check_edges(text: str, spans: list[Span]) -> None:
    """The chunks leave no gap, and no edge lies inside a line end or a word of ordinary length."""
    assert [span.start for span in spans[:1]] in ([], [0])
    assert [span.end for span in spans[-1:]] in ([], [len(text)])
    inside_words = {offset for run in re.finditer(r"\S+", text) for offset in range(run.start() + 1, run.end())}
    allowed = set(token_starts(text))
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
    for before, span in pairwise(spans):
        assert before.start <= span.start <= before.end < span.end
    for offset in {edge for span in spans for edge in (span.start, span.end)}:
        assert text[offset - 1 : offset + 1] != "\r\n" or offset == 0
        assert offset not in inside_words or offset in allowed


def check_lines(text: str, spans: list[Span]) -> None:
    """The line of a character is the number of line ends before it, and one."""
    ends = [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]
    for span in spans:
        visible = re.search(r"[^\r\n].*[^\r\n]|[^\r\n]", text[span.start : span.end], re.DOTALL)
        assert visible is not None
        first, last = span.start + visible.start(), span.start + visible.end() - 1
        assert span.start_line == 1 + sum(end <= first for end in ends)
        assert span.end_line == 1 + sum(end <= last for end in ends)


@settings(max_examples=300)
@given(texts, st.sampled_from(NAMES), option_sets(), st.sampled_from([False, True]))
def test_every_text_is_chunked_exactly(text: str, name: str, options: ChunkOptions, fallback):
    spans = chunk_text(text, name, options, fallback=fallback)
    check(text, spans, options)
    assert {span.kind for span in spans} <= {kind_of(name, text)[0]}


@given(texts, st.sampled_from(NAMES), option_sets())
def test_the_same_text_gives_the_same_spans(text: str, name: str, options: ChunkOptions):
    assert chunk_text(text, name, options) == chunk_text(text, name, options)


def real_files() -> list[Path]:
    """Files of this repository and of the standard library, the latter picked by a fixed seed."""
    here = Path(__file__).resolve().parents[2]
    own = [path for place in ("workspace", "tests") for path in sorted((here / place).rglob("*.py"))]
    library = Path(sysconfig.get_path("stdlib"))
    others = sorted(p for pattern in ("*.py", "*.txt", "*.c", "*.html") for p in library.glob(f"**/{pattern}"))
    outside = [path for path in others if "site-packages" not in path.parts and path.stat().st_size < 100_000]
    pick = random.Random(7)  # noqa: S311 - a sample, not a secret
    pages = [path for path in sorted(here.glob("*.*")) if path.is_file()]
    return [*pages, *own[::4], *pick.sample(outside, min(25, len(outside)))]


@pytest.mark.parametrize("options", [ChunkOptions(512, 80, 0), ChunkOptions(40, 39, 0)], ids=["default", "small"])
def test_real_files_are_chunked_exactly(options: ChunkOptions):
    checked = 0
    for path in real_files():
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if options.chunk_size < 100:
            text = text[:8_000]
        for fallback in (False, True):
            check(text, chunk_text(text, str(path), options, fallback=fallback), options)
        checked += 1
    assert checked > 20


# --- Sizes and overlaps ---------------------------------------------------------------------------------------------


def test_a_text_that_fits_is_one_chunk():
    (span,) = chunk_text("a few words\n", "a.txt", ChunkOptions(512, 80, 0))
    assert (span.start, span.end, span.tokens, span.start_line, span.end_line) == (0, 12, 3, 1, 1)
    assert (span.section, span.kind, span.headings) == (None, "text", "")


@pytest.mark.parametrize("text", ["", " ", "\r\n\t\u2028"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.py"])
def test_white_space_has_no_chunks(text: str, name: str):
    assert chunk_text(text, name, ChunkOptions(10, 2, 0)) == []


def test_overlap_is_counted_in_words_and_reaches_over_short_chunks():
    text = "".join(f"w{i}\n" for i in range(10))
    spans = chunk_text(text, "a.txt", ChunkOptions(5, 3, 0))
    assert [text[span.start : span.end].split() for span in spans] == [
        ["w0", "w1"],
        ["w0", "w1", "w2", "w3"],
        ["w1", "w2", "w3", "w4", "w5"],
        ["w3", "w4", "w5", "w6", "w7"],
        ["w5", "w6", "w7", "w8", "w9"],
    ]


def test_indentation_comes_with_the_first_line_of_a_chunk():
    text = "one two\r\n\r\n    three four\r\n    five six\r\n"
    spans = chunk_text(text, "a.txt", ChunkOptions(2, 0, 0))
    assert [text[span.start : span.end] for span in spans] == [
        "one two\r\n\r\n",
        "    three four\r\n",
        "    five six\r\n",
    ]
    assert [(span.start_line, span.end_line) for span in spans] == [(1, 1), (3, 3), (4, 4)]


def test_cuts_of_a_chunker_are_made_good(monkeypatch: pytest.MonkeyPatch):
    """A chunker may cut anywhere, and leave pieces that are empty or too long."""
    text = "  one  two three\r\nfour\r\n"
    monkeypatch.setattr(chunker_module, "split_prose", lambda *_: [1, 9, 17, 17, 18, len(text)])
    spans = chunk_text(text, "a.txt", ChunkOptions(2, 0, 0))
    assert [text[span.start : span.end] for span in spans] == ["  one  ", "two three\r\n", "four\r\n"]
    monkeypatch.setattr(chunker_module, "split_prose", lambda *_: [9])
    spans = chunk_text(text * 3, "a.txt", ChunkOptions(5, 2, 0))
    assert [span.tokens for span in spans] == [1, 4, 5, 5, 4]
    check(text * 3, spans, ChunkOptions(5, 2, 0))


@pytest.mark.parametrize(
    "text",
    ["abcdefghi," * 500_000, "x" * 5_000_000, "word\n" * 1_000_000, "word " * 1_000_000, "a b\r" * 1_000_000],
    ids=["no spaces", "no punctuation", "a word a line", "one line", "lone returns"],
)
def test_five_megabytes_of_anything_are_chunked(text: str):
    spans = chunk_text(text, "a.txt", ChunkOptions(512, 80, 0))
    assert (spans[0].start, spans[-1].end) == (0, len(text))
    assert max(span.tokens for span in spans) <= 512
    assert sum(span.tokens for span in spans) == count_words(text) + 80 * (len(spans) - 1)


# --- The default chunker --------------------------------------------------------------------------------------------


def test_prose_is_cut_between_paragraphs_then_sentences():
    paragraph = "The first sentence has seven words here. The second one has seven words too.\n\n"
    text = paragraph * 4
    assert split_prose(text, TokenGrid(text), 14) == [i * len(paragraph) for i in range(4)]
    sentences = split_prose(text, TokenGrid(text), 7)
    assert all(text[:cut].rstrip().endswith(".") for cut in sentences[1:])


def test_a_region_is_cut_as_if_it_stood_alone():
    text = "head\n" + "one two three. four five six. " * 5 + "\ntail"
    start, end = 5, len(text) - 5
    cuts = split_region(text, TokenGrid(text), start, end, 6)
    alone = split_prose(text[start:end], TokenGrid(text[start:end]), 6)
    assert cuts == [start + cut for cut in alone]
    assert len(cuts) > 2


class Piece:
    def __init__(self, text: str) -> None:
        self.text = text


@pytest.mark.parametrize("pieces", [["a b ", "d "], ["a b "], ["a b ", "c d", "e"], []])
def test_text_that_chonkie_loses_or_invents_is_an_error(pieces: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prose._UncachedChunker, "chunk", lambda *_: [Piece(text) for text in pieces])
    with pytest.raises(LostTextError):
        split_prose("a b c d", TokenGrid("a b c d"), 2)


def test_no_text_outlives_its_chunking():
    """chonkie's own cache would keep it for the life of the worker."""

    class Text(str):
        __slots__ = ("__weakref__",)

    text = Text("one two three. " * 100)
    gone = weakref.ref(text)
    prose.RecursiveChunker._estimate_token_count.cache_clear()
    chunk_text(text, "a.txt", ChunkOptions(10, 2, 0))
    assert prose.RecursiveChunker._estimate_token_count.cache_info().currsize == 0
    del text
    gc.collect()
    assert gone() is None


@given(texts)
def test_the_tokenizer_is_lossless(text: str):
    tokenizer = WordTokenizer()
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert "".join(tokenizer.tokenize(text)) == text
    assert tokenizer.count_tokens(text) == count_words(text)
    assert set(tokenizer.vocab) == {" ", *tokenizer.tokenize(text)}
    assert len(tokenizer.vocab) == len(set(tokenizer.vocab))


# --- Kinds and sections ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "start", "expected"),
    [
        ("/x/README.MD", "", ("markdown", None)),
        ("/x/page.mdx", "#!/bin/sh\n", ("markdown", None)),
        ("/x/a.py", "#!/bin/sh\n", ("code", "python")),
        ("/x/a.h", "", ("code", "c")),
        ("/x/a.C++", "", ("code", "cpp")),
        ("/x/Gemfile", "", ("code", "ruby")),
        ("/x/.bashrc", "", ("code", "bash")),
        ("/x/.py", "", ("text", None)),
        ("/x/py", "", ("text", None)),
        ("/x.py/notes", "", ("text", None)),
        ("/x/a.txt", "", ("text", None)),
        ("/x/run", "#!/bin/sh\necho", ("code", "bash")),
        ("/x/run", "#! /usr/bin/python3.11 -u\r\n", ("code", "python")),
        ("/x/run", "#!/usr/bin/env -S FOO=1 ruby2.7 -w", ("code", "ruby")),
        ("/x/run", "#!/usr/bin/env", ("text", None)),
        ("/x/run", "#!/usr/bin/perl\n", ("text", None)),
        ("/x/run", "#!\n/bin/sh", ("text", None)),
        ("/x/run", "\n#!/bin/sh", ("text", None)),
    ],
)
def test_kinds(path: str, start: str, expected: tuple[str, str | None]):
    assert kind_of(path, start) == expected


CLASS = "import os\n\n\nclass Deployer:\n" + "".join(
    f"    def step{n}(self):\n        return {n} + {n} + {n}\n\n" for n in range(4)
)


def test_code_sections_are_paths_of_definitions():
    """They are those of what a chunk adds, not of what it repeats."""
    spans = chunk_text(CLASS, "a.py", ChunkOptions(14, 4, 0))
    steps = [f"class Deployer > def step{n}" for n in range(1, 4)]
    assert [span.section for span in spans] == [None, "class Deployer", *steps]
    assert [span.headings for span in spans] == [span.section or "" for span in spans]
    assert CLASS[spans[-1].start : spans[-1].end].startswith("+ 2 + 2\n\n    def step3")
    assert "step3" in spans[-1].symbols


def test_the_fallback_keeps_the_kind_and_loses_the_path():
    spans = chunk_text(CLASS, "a.py", ChunkOptions(14, 4, 0), fallback=True)
    assert {(span.kind, span.section) for span in spans} == {("code", None)}


def test_code_without_its_grammar_is_cut_like_prose(monkeypatch: pytest.MonkeyPatch):
    expected = chunk_text(CLASS, "a.py", ChunkOptions(14, 4, 0), fallback=True)
    monkeypatch.setattr(chunker_module, "language_of", lambda _: None)
    assert chunk_text(CLASS, "a.py", ChunkOptions(14, 4, 0)) == expected
    assert language_of("python") is not None


MARKDOWN = """# Guide

Some words of introduction, which are a few.

## Rollback Procedures

Go back when it fails. Then look at the logs.

```sh
# not a heading
deploy --undo now
```

Setext
------

The end of it all, in some more words.
"""


@pytest.mark.parametrize("fallback", [False, True])
def test_markdown_sections_are_headings_as_written(fallback):
    spans = chunk_text(MARKDOWN, "a.md", ChunkOptions(16, 4, 0), fallback=fallback)
    assert {span.section for span in spans} == {"# Guide", "## Rollback Procedures", "Setext"}
    for span in spans:
        assert span.headings.startswith("# Guide")
        assert "not a heading" not in span.headings


def test_a_fence_that_fits_is_not_cut():
    fence = "```sh\n# not a heading\ndeploy --undo now\n```\n"
    for size in range(9, 30):
        spans = chunk_text(MARKDOWN, "a.md", ChunkOptions(size, 0, 0))
        assert any(fence in MARKDOWN[span.start : span.end] for span in spans)


def test_headings_hold_the_title_the_section_and_what_lies_inside():
    spans = chunk_text(MARKDOWN, "a.md", ChunkOptions(500, 80, 0))
    assert [span.headings for span in spans] == ["# Guide\n## Rollback Procedures\nSetext"]
    assert spans[0].section == "# Guide"


def test_html_sections_are_its_headings():
    text = "<h1>Guide</h1>\n<p>one two three four</p>\n<h2>Rollback</h2>\n<p>five six seven eight</p>\n"
    spans = chunk_text(text, "a.html", ChunkOptions(5, 0, 0))
    assert spans[0].section is not None
    assert spans[-1].section is not None
    assert "Rollback" in spans[-1].section
    assert spans[0].kind == "code"
