"""A search over a real index: order, filters, and what the results promise to their reader."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workspace.query import lexrank
from workspace.query.candidates import MIN_CANDIDATES, TIED_ROWS, Hit, ranked
from workspace.query.compile import compile_query
from workspace.query.matches import Match, find_matches
from workspace.query.search import MAX_LIMIT, SearchOptions, search, stemmer
from workspace.storage.connection import open_reader, open_writer
from workspace.storage.writer import Writer
from workspace.text.lines import LineMap, line_span
from workspace.text.words import count_words
from workspace.types import ChunkRecord, FileRecord, FileStat, SearchResult, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
MODIFIED = "2026-04-15T10:32:00Z"


class Index:
    """A directory of files, and the index of it that we say."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "root"
        self.root.mkdir()
        self.database = directory / "index.sqlite"
        self._connection = open_writer(self.database)

    def add(
        self, name: str, text: str, *, cuts: Iterable[int] = (), section: str | None = None, headings: str = "",
        path_terms: str = "", symbols: str = "", overlap: int = 0,
    ) -> str:  # fmt: skip
        """Write a file and index it in rows cut at the offsets `cuts`, each but the first with what precedes it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        lines = LineMap(text)
        edges = [0, *cuts, len(text)]
        pieces = [(max(0, start - overlap), end) for start, end in pairwise(edges)]
        chunks = [
            ChunkRecord(
                chunk_id=f"{name}:{number}", abs_path=str(path), chunk_index=number, content=text[start:end],
                token_count=count_words(text[start:end]), start_line=line_span(lines, text, start, end)[0],
                end_line=line_span(lines, text, start, end)[1], start_char=start, end_char=end, section=section,
                kind="text", headings=headings, path_terms=path_terms, symbols=symbols,
            )
            for number, (start, end) in enumerate(pieces)
        ]  # fmt: skip
        writer = Writer(self._connection)
        writer.store(self._record(path, len(chunks)), chunks)
        writer.flush()
        return str(path)

    def _record(self, path: Path, chunk_count: int) -> FileRecord:
        now = path.stat()
        return FileRecord(
            abs_path=str(path), root_path=str(self.root), content_hash="", config_signature="",
            stat=FileStat(now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino), verified_ns=0,
            modified_at=MODIFIED, indexed_at=MODIFIED, encoding="utf-8", chunk_count=chunk_count,
        )  # fmt: skip

    def search(self, query: str, **options: object) -> list[SearchResult]:
        connection = open_reader(self.database)
        assert connection is not None
        try:
            return search(connection, query, SearchOptions(**options))
        finally:
            connection.close()

    def paths(self, query: str, **options: object) -> list[str]:
        return [os.path.relpath(result.path, self.root) for result in self.search(query, **options)]

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    index = Index(tmp_path)
    yield index
    index.close()


def lines_of(path: str, first: int, last: int) -> str:
    """What a reader of the file sees on these lines."""
    text = Path(path).read_bytes().decode()
    return "".join(LINE.findall(text)[first - 1 : last])


# --- results -------------------------------------------------------------------------------------------------


def test_the_same_lines_are_shown_once(index: Index):
    """Two chunks that overlap where the words stand are narrowed to the same lines."""
    line = "nothing of interest\n"
    text = line * 20 + "a needle\n" + line * 20
    index.add("a.txt", text, cuts=[text.index("needle") + len("needle\n") + len(line)], overlap=100)
    found = index.search("needle", max_content_chars=30)
    assert [(hit.line_start, hit.line_end) for hit in found] == [(21, 22)]
    assert len(index.search("interest", max_content_chars=30)) == 2


def test_a_result_tells_all_there_is_to_know(index: Index):
    path = index.add("deploy.md", "# Deploy\n\nRun the pipeline.\n", section="# Deploy", headings="# Deploy")
    [result] = index.search("pipelines")
    assert result.score < 0
    assert result == SearchResult(
        path=path, line_start=1, line_end=3, section="# Deploy", chunk_index=0, score=result.score, tokens=5,
        modified=MODIFIED, content="# Deploy\n\nRun the pipeline.\n", truncated=False, stale=False,
    )  # fmt: skip


@pytest.mark.parametrize("query", ["", "  ", "*", '"', "-", "😀", "nowhere", "\0", "\ud800"])
def test_nothing_is_found(index: Index, query: str):
    index.add("a.md", "some words")
    assert index.search(query) == []


def test_words_are_found_by_stem_accent_and_case(index: Index):
    index.add("a.md", "Deploying the naïve 한국어 parser")
    for query in ("deploys", "NAIVE", unicodedata.normalize("NFD", "한국어"), "parsers absent"):
        assert index.paths(query) == ["a.md"], query


def test_headings_path_and_symbols_are_searched(index: Index):
    index.add("a.md", "text", headings="Rollback procedures", path_terms="runbooks", symbols="parseConfig parse Config")
    for query in ("rollback", "runbook", "parseconfig", "config"):
        assert index.paths(query) == ["a.md"], query


def test_the_words_of_our_tokenizer_are_those_of_the_index(index: Index):
    """`stemmer` names the tokenizer that the table has."""
    connection = open_reader(index.database)
    assert connection is not None
    sql = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'chunks_fts'").get
    assert "tokenize='porter unicode61 remove_diacritics 2'" in sql
    assert [stemmer(connection)(word) for word in ("Deployments", "naïve", "€")] == ["deploy", "naiv", ""]
    connection.close()


def test_a_dropped_term_is_said_in_the_log(index: Index, caplog: pytest.LogCaptureFixture):
    index.add("a.md", "word1")
    with caplog.at_level(logging.WARNING):
        index.search(" ".join(f"word{number}" for number in range(100)))
    assert "64 different words" in caplog.text


# --- order and limit -----------------------------------------------------------------------------------------


def test_the_better_row_comes_first(index: Index):
    for number in range(8):
        index.add(f"other{number}.md", "something else entirely")
    index.add("long.md", "needle " + "hay " * 500)
    index.add("short.md", "needle hay")
    index.add("title.md", "needle hay", headings="needle")
    results = index.search("needle")
    assert [Path(result.path).name for result in results] == ["title.md", "short.md", "long.md"]
    assert [result.score for result in results] == sorted(result.score for result in results)


def test_a_compound_is_found_as_a_phrase_first(index: Index):
    index.add("apart.md", "read read read the file file file " + "hay " * 5)
    index.add("other.md", "hay stack")
    index.add("whole.md", "call read_file here " + "hay " * 50)
    index.add("half.md", "read read read")
    assert index.paths("read_file") == ["whole.md", "apart.md"]
    assert index.paths("how do I call read_file")[0] == "whole.md"


def test_words_side_by_side_count_for_more_than_words_apart(index: Index):
    filler = "hay " * 40
    index.add("apart.md", f"storage {filler} writer {filler}")
    index.add("near.md", f"writer of the storage {filler} {filler}")
    index.add("side.md", f"{filler} storage writer {filler} x x x")
    index.add("whole.md", f"{filler} a storage writer commits {filler} x")
    assert index.paths("storage writer commits")[0] == "whole.md"
    assert index.paths("storage writer")[2:] == ["near.md", "apart.md"]


def test_a_word_counts_more_in_headings_paths_and_symbols(index: Index):
    for name, column in [("a.md", {}), ("b.md", {"headings": "Rollback"}), ("c.md", {"symbols": "rollback"})]:
        index.add(name, "the rollback and more", **column)
    assert sorted(index.paths("rollback")[:2]) == ["b.md", "c.md"]


def test_a_word_asked_for_twice_counts_twice(index: Index):
    index.add("a.md", "red")
    index.add("b.md", "green")
    index.add("c.md", "blue")
    assert index.paths("red green green")[0] == "b.md"
    assert index.paths("red red green")[0] == "a.md"


def test_a_workspace_of_one_file_has_a_best_row(index: Index):
    index.add("a.md", "hay needle\n" + "hay hay\n", cuts=[11])
    results = index.search("needle hay")
    assert [result.chunk_index for result in results] == [0, 1]
    assert all(result.score < 0 for result in results)


def test_in_six_files_a_rare_word_beats_one_that_is_in_all(index: Index):
    for number in range(5):
        index.add(f"{number}.md", "deploy deploy deploy")
    index.add("rare.md", "deploy the rollback " + "hay " * 20)
    assert index.paths("deploy rollback")[0] == "rare.md"
    assert len(index.paths("deploy rollback")) == 6


def test_a_row_beyond_the_candidates_of_fts5_is_not_looked_at(index: Index):
    """So that a word that is everywhere costs no more than FTS5 takes to sort."""
    text = "".join("needle\n" if number % 2 else "needle hay\n" for number in range(4 * MIN_CANDIDATES))
    index.add("a.md", text, cuts=[found.start() for found in re.finditer("needle", text)][1:])
    calls = []
    connection = open_reader(index.database)
    assert connection is not None
    original = lexrank.lexrank
    try:
        lexrank.lexrank = lambda *arguments: calls.append(1) or original(*arguments)
        assert len(search(connection, "needle hay", SearchOptions(limit=5, per_file=0))) == 5
    finally:
        lexrank.lexrank = original
        connection.close()
    assert len(calls) == 2 * MIN_CANDIDATES + 1  # those with hay tie


def test_equal_rows_come_by_path_and_place_whatever_the_order_of_indexing(index: Index):
    for name in ("c", "a", "b"):
        index.add(name, "needle hay\n" * 2, cuts=[11])
    expected = [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("c", 0), ("c", 1)]
    for limit in range(1, 7):
        results = index.search("needle", limit=limit)
        assert [(Path(result.path).name, result.chunk_index) for result in results] == expected[:limit]


def test_a_tie_is_followed_only_so_far(index: Index):
    """The bound keeps the search for a word that is everywhere alike from reading the whole index."""
    text = "needle\n" * (TIED_ROWS + 100)
    index.add("b", text, cuts=range(7, len(text), 7))
    index.add("a", "needle\n")
    assert index.paths("needle", limit=20, per_file=0) == ["b"] * 20
    assert index.paths("needle", limit=20, path=str(index.root / "a")) == ["a"]


def test_limits(index: Index):
    text = "needle\n" * (MAX_LIMIT + 1)
    index.add("a", text, cuts=range(7, len(text), 7))
    for limit, count in [(None, 5), (0, 5), (-3, 5), (1, 1), (7, 7), (MAX_LIMIT + 1, MAX_LIMIT), (10**30, MAX_LIMIT)]:
        assert len(index.search("needle", limit=limit, default_limit=5, per_file=0)) == count
    assert len(index.search("needle", default_limit=MAX_LIMIT + 1, per_file=0)) == MAX_LIMIT


def test_one_file_fills_no_list(index: Index):
    """Its best rows are kept, and what others have comes up for the rest, however far down FTS5 has it."""
    text = "needle needle\n" * (10 * MIN_CANDIDATES)
    index.add("long.md", text, cuts=range(14, len(text), 14))
    for number in range(4):
        index.add(f"{number}.md", "needle " + "hay " * 50)
    assert index.paths("needle", limit=5) == ["long.md"] * 3 + ["0.md", "1.md"]
    assert index.paths("needle", limit=5, per_file=1) == ["long.md", "0.md", "1.md", "2.md", "3.md"]
    assert index.paths("needle", limit=9, per_file=1) == ["long.md", "0.md", "1.md", "2.md", "3.md"]
    assert index.paths("needle", limit=5, per_file=0) == ["long.md"] * 5
    assert [result.chunk_index for result in index.search("needle", limit=3)] == [0, 1, 2]


def test_all_hits_of_a_file_are_found_when_it_is_asked_for(index: Index):
    path = index.add("a/long.md", "needle\n" * 9, cuts=range(7, 63, 7))
    assert len(index.search("needle", path=path)) == 9
    assert len(index.search("needle", path=str(Path(path).parent))) == 3


def test_a_file_that_fills_the_index_is_given_up_on(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("workspace.query.candidates.MAX_CANDIDATES", 2 * MIN_CANDIDATES)
    monkeypatch.setattr("workspace.query.candidates.TIED_ROWS", 0)
    text = "needle needle\n" * (3 * MIN_CANDIDATES)
    index.add("long.md", text, cuts=range(14, len(text), 14))
    index.add("far.md", "needle " + "hay " * 50)
    assert index.paths("needle") == ["long.md"] * 3


def test_the_order_is_by_score_then_path_then_place():
    hits = [Hit(row=1, score=-2.0, path="b", chunk_index=0, size=1), Hit(2, -1.0, "a", 0, 1), Hit(3, -2.0, "a", 10, 1)]
    hits += [Hit(4, -2.0, "a", 9, 1), Hit(5, -3.0, "c", 0, 1)]
    assert [hit.row for hit in ranked(hits)] == [5, 4, 3, 1, 2]


# --- filters -------------------------------------------------------------------------------------------------


def test_path_is_a_prefix_of_components(index: Index):
    for name in ("a/b/x", "a/b/c/x", "a/bc/x", "a/b.md", "a/B/x", "a/%/x", "a/_/x", "a/[b]/x", "a/*/x", "a/'/x"):
        index.add(name, "needle")

    def under(path: str) -> list[str]:
        return index.paths("needle", path=path)

    everything = index.paths("needle")
    assert len(everything) == 10
    root = str(index.root)
    assert under(f"{root}/a/b") == under(f"{root}/a/b/") == under(f"{root}/a/./b") == ["a/b/c/x", "a/b/x"]
    assert under(f"{root}/a/b/x") == ["a/b/x"]
    assert under(f"{root}/a/b.md") == ["a/b.md"]
    assert under(f"{root}/a/B") == ["a/B/x"]
    for odd in "%_*'":
        assert under(f"{root}/a/{odd}") == [f"a/{odd}/x"]
    assert under(f"{root}/a/[b]") == ["a/[b]/x"]
    assert under("/") == under(root) == under(f"{root}/a") == everything
    assert under("") == everything
    for nothing in (f"{root}/a/b/x/y", f"{root}/nowhere", "\0", "/\udcff", f"{root}/a/b\0"):
        assert under(nothing) == []


def test_relative_and_linked_paths(index: Index, monkeypatch: pytest.MonkeyPatch):
    index.add("a/x", "needle")
    index.add("b/x", "needle")
    (index.root.parent / "link").symlink_to(index.root / "a")
    monkeypatch.chdir(index.root)
    assert index.paths("needle", path="a") == ["a/x"]
    assert index.paths("needle", path="../link") == ["a/x"]


def test_globs_and_paths_together(index: Index):
    for name in ("a.md", "docs/a.md", "docs/sub/a.md", "docs/a.txt", "notes/docs/a.md", "notes/A.MD"):
        index.add(name, "needle")
    assert index.paths("needle", glob="*.md") == ["a.md", "docs/a.md", "docs/sub/a.md", "notes/docs/a.md"]
    assert index.paths("needle", glob="docs/*.md") == ["docs/a.md"]
    assert index.paths("needle", glob="docs/**/*.md") == ["docs/a.md", "docs/sub/a.md"]
    assert index.paths("needle", glob=f"{index.root}/docs/*") == ["docs/a.md", "docs/a.txt"]
    assert index.paths("needle", glob="*.md", path=str(index.root / "notes")) == ["notes/docs/a.md"]
    assert index.paths("needle", glob="*.rst") == []
    assert len(index.paths("needle", glob="")) == 6


def test_filters_come_before_the_limit(index: Index):
    for number in range(30):
        index.add(f"much/{number}.txt", "needle needle needle")
    index.add("little/a.md", "needle " + "hay " * 300)
    assert index.paths("needle", path=str(index.root / "little"), limit=1) == ["little/a.md"]
    assert index.paths("needle", glob="*.md", limit=1) == ["little/a.md"]


# --- content and lines ---------------------------------------------------------------------------------------


def test_a_row_comes_whole_up_to_the_cap(index: Index):
    text = "needle\n" + "x" * 92 + "\n"
    index.add("a.md", text)
    for cap in (100, 0):
        [result] = index.search("needle", max_content_chars=cap)
        assert (result.content, result.truncated, result.tokens) == (text, False, 2)
    [result] = index.search("needle", max_content_chars=99)
    assert (result.content, result.truncated, result.tokens) == ("needle\n", True, 1)
    assert (result.line_start, result.line_end) == (1, 1)


def test_empty_lines_around_a_row_are_no_lines_of_it(index: Index):
    path = index.add("a.md", "\n\nfirst\n\n\nsecond\n\n", cuts=[10])
    first, second = index.search("first second")
    assert (first.content, first.line_start, first.line_end) == ("first\n", 3, 3)
    assert (second.content, second.line_start, second.line_end) == ("second\n", 6, 6)
    assert lines_of(path, 6, 6) == second.content
    assert not first.truncated
    assert not second.truncated


def test_a_row_that_begins_and_ends_within_lines(index: Index):
    index.add("a.txt", "one two\nthree four\nfive six\n", cuts=[4, 23])
    [result] = index.search("three")
    assert (result.content, result.line_start, result.line_end) == ("two\nthree four\nfive", 1, 3)


def test_a_passage_of_a_later_row_has_the_lines_of_the_file(index: Index):
    text = "".join(f"line {number}\r\n" for number in range(1, 1000)).replace("line 777\r", "a needle\r")
    path = index.add("a.txt", text, cuts=[text.index("line 500")])
    [result] = index.search("needle", max_content_chars=60)
    assert result.truncated
    assert result.line_start < 777 < result.line_end
    assert result.content == lines_of(path, result.line_start, result.line_end)


def test_context_shows_the_lines_around_a_hit(index: Index):
    text = "".join(f"line {number}\r\n" for number in range(1, 41)).replace("line 20\r", "a needle\r")
    cuts = [text.index(f"line {number}\r") for number in (10, 19, 21, 23)]
    path = index.add("a.txt", text, cuts=cuts, section="One")
    [row] = index.search("needle")
    assert (row.line_start, row.line_end, row.truncated) == (19, 20, False)
    for context, first, last in [(1, 18, 21), (5, 14, 25), (15, 4, 35), (25, 1, 40), (10**9, 1, 40)]:
        [result] = index.search("needle", context=context)
        assert (result.line_start, result.line_end) == (first, last)
        assert result.content == lines_of(path, first, last)
        assert result.tokens == count_words(result.content)
        assert (result.section, result.truncated) == ("One", False)
        [result] = index.search("needle", context=context, max_content_chars=10)
        assert result.content == lines_of(path, max(1, 20 - context), min(40, 20 + context))
        assert result.truncated


def test_context_keeps_to_the_total(index: Index):
    filler = "日本語の文章です\n" * 3_000
    for number in range(20):
        index.add(f"{number}.txt", f"{filler}needle {number}\n{filler}", cuts=[len(filler), len(filler) + 7])
    results = index.search("needle", context=3_000)
    assert total(results) <= 90_000
    assert all("needle" in result.content for result in results)
    assert all(result.content == lines_of(result.path, result.line_start, result.line_end) for result in results[:1])
    assert len(results[0].content) > 10_000


WORDS = ["needle", "needles", "hay", "stack", "é", "日本語", "😀", "\U0001d538", "<b>", '"', "hay\n" * 9, "x" * 30]
BREAKS = [" ", " ", "\n", "\r\n", "\r", "\n\n", "\t", "\f", "\v", "\x1c", "\x85", "\u2028", "\ufdd0", "\ufdd1"]
PIECES = st.sampled_from(WORDS + BREAKS)


@given(
    st.lists(PIECES, min_size=1, max_size=60).map("".join),
    st.lists(st.integers(0, 400), max_size=3),
    st.sampled_from([0, 10, 40, 120]),
    st.sampled_from([0, 0, 1, 7]),
)
@example("\n\nneedle\n\n\n", [], 40, 0)
@example("\r\n\r\nneedle\r\n" + "hay\r\n" * 50, [], 40, 0)
@example("hay\rneedle\r\rhay\rhay", [], 10, 0)
@example("\ufdd0needle\ufdd1 needle\n" + "hay\n" * 50, [], 40, 0)
@example("a\u2028\x85needle\f\n" + "hay\n" * 50, [30], 20, 0)
@example("\n\none two needle\r\nhay\r\n\r\nhay hay", [6, 10, 22], 0, 1)
def test_content_is_what_stands_on_the_lines(tmp_path_factory, text: str, cuts: list[int], cap: int, context: int):
    """Whole lines, unless the edge of the row or the cap lies within one."""
    index = Index(tmp_path_factory.mktemp("index"))
    edges = sorted({cut for cut in cuts if 0 < cut < len(text) and text[cut - 1 : cut + 1] != "\r\n"})
    rows = [text[start:end] for start, end in pairwise([0, *edges, len(text)])]
    if not all(row.strip() for row in rows):  # no row is white space only
        edges, rows = [], [text]
    path = index.add("a.txt", text, cuts=edges)
    for result in index.search("needle", max_content_chars=cap, context=context):
        shown = lines_of(path, result.line_start, result.line_end)
        assert result.content in shown
        row = rows[result.chunk_index]
        if not context:
            assert cap == 0 or len(result.content) <= cap
            assert result.truncated == (row.strip("\r\n") != result.content.strip("\r\n"))
        assert result.tokens == count_words(result.content)
        if context or (not edges and not result.truncated):
            assert result.content == shown
        if not edges and (not result.truncated or "\n" in result.content.strip("\n")):
            assert result.content == shown
        if re.search(r"\bneedles?\b", row) and cap != 10:
            assert "needle" in result.content
    index.close()


def test_the_cap_moves_to_where_the_matches_are_dense(index: Index):
    lines = [f"filler number {number}" for number in range(2000)]
    lines[100] = "a lonely rollback"
    lines[1500] = "rollback"
    lines[1501] = "procedures for deployments"
    index.add("a.md", "\n".join(lines))
    [result] = index.search("rollback procedure deployment", max_content_chars=400)
    assert "rollback\nprocedures for deployments\n" in result.content
    assert len(result.content) > 300


def test_a_row_found_by_a_symbol_is_shown_where_the_symbol_stands(index: Index):
    text = "filler\n" * 1000 + "def parseConfigFile():\n" + "filler\n" * 1000
    index.add("a.py", text, symbols="parseConfigFile parse Config File")
    [result] = index.search("config", max_content_chars=200)
    assert "def parseConfigFile" in result.content


def test_a_row_found_only_by_its_path_is_shown_from_its_beginning(index: Index):
    index.add("a.py", "".join(f"line {number}\n" for number in range(1000)), path_terms="deploy")
    [result] = index.search("deploy", max_content_chars=200)
    assert (result.line_start, result.content[:7]) == (1, "line 0\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("needle", [(0, 6, "needl")]),
        ("é日 Needles, hay-stack\u2028needle", [(3, 21, "needl hai stack"), (22, 28, "needl")]),
        ("é日 Needles. x hay-stack needle", [(3, 10, "needl"), (14, 23, "hai stack"), (24, 30, "needl")]),
        ("hay\r\nstack hay stacks needle", [(0, 10, "hai stack"), (11, 21, "hai stack"), (22, 28, "needl")]),
        ("stack needle hay", [(0, 5, "stack"), (6, 12, "needl"), (13, 16, "hai")]),
        ("\ufdd0 needle \ufdd1 needle", [(2, 8, "needl"), (11, 17, "needl")]),
        ("needle \0 needle", []),
        ("".join(map(chr, range(0xFDD0, 0xFDF0))) + " needle", []),
    ],
)
def test_matches_are_where_the_words_of_the_query_stand(index: Index, text: str, expected: list[Match]):
    """Except in texts beyond FTS5 (it ends at a NUL) and beyond us (no character is left to mark a place with)."""
    index.add("a.txt", text)
    connection = open_reader(index.database)
    assert connection is not None
    stem = stemmer(connection)
    match = compile_query("needles hay_stack", stem=stem).match
    assert find_matches(connection, match, 1, text, stem) == expected
    connection.close()


def test_a_text_with_nul_is_shown_from_its_beginning(index: Index):
    """FTS5 shows no matches beyond it."""
    index.add("a.txt", "first\0\n" + "x\n" * 1000 + "needle\n")
    [result] = index.search("needle", max_content_chars=20)
    assert result.content.startswith("first\0\n")


def test_a_narrowed_result_names_the_section_of_its_first_line(index: Index):
    filler = "filler\n" * 200
    index.add("a.md", f"# One\n\n{filler}## Two\n\n{filler}needle\n{filler}## Three\n", section="# One")
    index.add("b.md", f"{filler}needle\n{filler}", section="# Above")
    index.add("c.txt", f"Title\n=====\n{filler}needle\n{filler}", section="Above")
    sections = {Path(r.path).name: r.section for r in index.search("needle", max_content_chars=100)}
    assert sections["a.md"] == "## Two"
    assert sections["b.md"] == "# Above"
    index.add("d.md", f"{filler}\nA rollback title\n=====\n{filler}", section="# Above")
    [result] = index.search("rollback", max_content_chars=17)
    assert (result.content, result.section) == ("A rollback title\n", "A rollback title")


# --- the total -----------------------------------------------------------------------------------------------


def total(results: list[SearchResult]) -> int:
    return len(json.dumps([result.content for result in results], ensure_ascii=False).encode())


def many(index: Index, count: int, line: str, lines: int) -> None:
    for number in range(count):
        index.add(f"{number:04}.txt", f"needle {number}\n" + f"{line}\n" * lines)


def test_twenty_ordinary_hits_come_whole(index: Index):
    many(index, 20, "some text of ordinary length, as prose has it", 80)
    results = index.search("needle")
    assert len(results) == 20
    assert not any(result.truncated for result in results)
    assert total(results) <= 90_000


@pytest.mark.parametrize("line", ["日本語の文章です", '"\\"\\"\\"', "\x01\x02\x03\x04", "x" * 3_000])
@pytest.mark.parametrize("cap", [0, 4_000])
def test_the_total_is_kept_and_lower_hits_give_way_first(index: Index, line: str, cap: int):
    many(index, 20, line, 3_900 // len(line))
    results = index.search("needle", max_content_chars=cap)
    assert total(results) <= 90_000
    assert len(results) == 20
    assert all(f"needle {int(Path(result.path).stem)}\n" in result.content for result in results)
    sizes = [len(result.content) for result in results]
    assert all(later <= earlier * 1.1 + 20 for earlier, later in pairwise(sizes))
    if cap == 4_000:
        assert len(results[0].content) > 900


def test_a_thousand_hits_get_a_line_each(index: Index):
    text = "".join(f"needle {number}\n" + "日本語の文章です\n" * 40 for number in range(MAX_LIMIT))
    starts = [found.start() for found in re.finditer("needle", text)]
    index.add("a.txt", text, cuts=starts[1:])
    results = index.search("needle", limit=MAX_LIMIT, per_file=0)
    assert len(results) == MAX_LIMIT
    assert total(results) <= 90_000
    assert all(result.content.startswith(f"needle {result.chunk_index}\n") for result in results)
    assert not results[0].truncated
    assert results[-1].truncated


# --- files that changed since, and the index itself -----------------------------------------------------------


def test_a_changed_or_missing_file_is_stale(index: Index):
    touched, grown, gone, replaced, _ = (
        index.add(name, "needle") for name in ("touched", "grown", "gone", "replaced", "same")
    )
    os.utime(touched, ns=(0, 0))
    before = Path(grown).stat().st_mtime_ns
    Path(grown).write_text("needle and more")
    os.utime(grown, ns=(before, before))
    Path(gone).unlink()
    Path(replaced).rename(index.root / "moved")
    Path(replaced).symlink_to("moved")
    stale = {Path(result.path).name: result.stale for result in index.search("needle")}
    assert stale == {"touched": True, "grown": True, "gone": True, "replaced": True, "same": False}


def test_searching_writes_nothing(index: Index):
    index.add("a.md", "needle\n" * 1000)
    index.close()
    before = contents(index.database.parent)
    index.search("needle", glob="*.md", path=str(index.root), max_content_chars=10)
    assert contents(index.database.parent) == before


def contents(directory: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def test_a_search_sees_one_moment_of_the_index(index: Index, monkeypatch: pytest.MonkeyPatch):
    """A run that replaces every row between two of its statements changes nothing for it."""
    index.add("a.md", "needle one\n" * 1000)
    import workspace.query.search as module

    def meanwhile(*arguments: object, **options: object) -> object:
        hits = best_hits(*arguments, **options)
        index.add("a.md", "another text", cuts=[4])
        return hits

    best_hits = module.best_hits
    monkeypatch.setattr(module, "best_hits", meanwhile)
    [result] = index.search("needle")
    assert result.content.startswith("needle one\n")
    assert result.stale
    assert index.paths("needle") == []


def test_one_connection_serves_many_searches(index: Index):
    for name in ("a.md", "b.txt"):
        index.add(name, "needle")
    connection = open_reader(index.database)
    assert connection is not None
    for _ in range(3):
        for glob, count in (("*.md", 1), (None, 2), ("*.rst", 0)):
            assert len(search(connection, "needle", SearchOptions(glob=glob))) == count
    assert not connection.in_transaction
    connection.close()


def test_a_damaged_full_text_index_costs_time_and_not_results(index: Index, caplog: pytest.LogCaptureFixture):
    for number in range(50):
        index.add(f"{number}.md", f"needle {number} " * 200)
    expected = index.search("needle 7")
    index.close()
    connection = apsw.Connection(str(index.database))
    connection.pragma("wal_checkpoint")
    connection.execute("UPDATE chunks_fts_data SET block = x'0102' WHERE id > 10").fetchall()
    connection.close()
    assert index.search("needle 7") == expected
    assert [record.message for record in caplog.records if "run the command index, or repair" in record.message]


def test_a_damaged_table_is_an_error_and_not_an_empty_result(index: Index):
    index.add("a.md", "needle")
    index.close()
    connection = apsw.Connection(str(index.database))
    connection.execute("DROP TABLE chunks_fts").fetchall()
    connection.execute("DROP TABLE chunks").fetchall()
    with pytest.raises(WorkspaceError, match=r"is damaged .*; run the command repair"):
        search(connection, "needle", SearchOptions())
    connection.close()
