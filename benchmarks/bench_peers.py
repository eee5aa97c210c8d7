"""Could overturn building our own: if a tool that exists indexes and searches as well, and faster, use that one.

Only those are measured that are installed here. None of them is told about passages, sections or changes, so they do
less; the figures say what that less costs.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import corpus as generator
import processes
from bench_search import SAMPLE
from command_line import answer
from lab import files_below

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lab import Figures, Lab

    Search = Callable[[str], object]

QUERIES = 20


def texts_of(directory: Path) -> list[tuple[str, str]]:
    """Return path and text of every file."""
    return [(str(path), path.read_text(encoding="utf-8", errors="replace")) for path in files_below(directory)]


def sqlite_utils(source: Path, index: Path) -> Search:
    """Index with sqlite-utils: FTS5 without batches of ours."""
    database = importlib.import_module("sqlite_utils").Database(index / "docs.db")
    table = database["docs"]
    table.insert_all({"path": path, "content": content} for path, content in texts_of(source))
    table.enable_fts(["content"], tokenize="porter")
    return lambda query: list(table.search(" OR ".join(query.split()), limit=20, order_by="rank"))


def tantivy(source: Path, index: Path) -> Search:
    """Index with tantivy, which uses several threads."""
    module: Any = importlib.import_module("tantivy")
    builder = module.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw")
    builder.add_text_field("content", stored=True, tokenizer_name="en_stem")
    opened = module.Index(builder.build(), path=str(index))
    writer = opened.writer()
    for path, content in texts_of(source):
        writer.add_document(module.Document(path=path, content=content))
    writer.commit()
    writer.wait_merging_threads()
    opened.reload()

    def search(query: str) -> list[str]:
        searcher = opened.searcher()
        hits = searcher.search(opened.parse_query(query, ["content"]), 20).hits
        return [searcher.doc(address)["content"][0] for _, address in hits]

    return search


def bm25s(source: Path, index: Path) -> Search:
    """Index with bm25s, which keeps everything in memory."""
    module: Any = importlib.import_module("bm25s")
    texts = [content for _, content in texts_of(source)]
    retriever = module.BM25(corpus=texts)
    retriever.index(module.tokenize(texts, show_progress=False), show_progress=False)
    retriever.save(str(index), corpus=texts, show_progress=False)
    return lambda query: retriever.retrieve(
        module.tokenize(query, show_progress=False), k=min(20, len(texts)), show_progress=False
    )


def recoll(source: Path, index: Path) -> Search:
    """Index with recoll's command line."""
    (index / "recoll.conf").write_text(f"topdirs = {source}\n", encoding="utf-8")
    processes.run(["recollindex", "-c", str(index)])
    return lambda query: processes.run(["recollq", "-c", str(index), "-n", "20", *query.split()])


def ripgrep(source: Path, index: Path) -> Search:
    """Search with rg, which needs no index."""
    del index
    return lambda query: processes.run(
        ["rg", "--ignore-case", "--count", "--regexp", "|".join(query.split()), str(source)]
    )


PEERS: dict[str, Callable[[Path, Path], Search]] = {
    "sqlite_utils": sqlite_utils,
    "tantivy": tantivy,
    "bm25s": bm25s,
    "recollindex": recoll,
    "rg": ripgrep,
}
"""By the name of the module or the command that must be there."""


def measure(lab: Lab) -> Figures:
    """Index and search the same files with whatever else is here."""
    corpus = lab.base()
    ours = lab.first_run(corpus)
    asked, _ = generator.queries(ours.home.texts(SAMPLE), QUERIES)
    latencies = lab.latencies(ours.home, asked)
    database = ours.facts.database / 1e6
    peers = [_row("this", ours.cost.wall_s, sum(latencies) / QUERIES, database)]
    for name, build in PEERS.items():
        if importlib.util.find_spec(name) or shutil.which(name):
            peers.append(_measured(name, build, corpus.directory, lab.new_directory("peer"), asked))
        else:
            print(f"({name} is not installed)", end=" ", file=sys.stderr, flush=True)
    return {"peers": peers}


def _measured(
    name: str, build: Callable[[Path, Path], Search], source: Path, index: Path, asked: list[str]
) -> dict[str, float | int | str]:
    start = time.perf_counter()
    search = build(source, index)
    indexed = time.perf_counter()
    for query in asked:
        with contextlib.suppress(subprocess.CalledProcessError):  # found nothing
            search(query)
    mean = 1000 * (time.perf_counter() - indexed) / len(asked)
    return _row(name, indexed - start, mean, sum(path.stat().st_size for path in files_below(index)) / 1e6)


def _row(name: str, seconds: float, search_ms: float, megabytes: float) -> dict[str, float | int | str]:
    return {"peer": name, "index_s": seconds, "mean_search_ms": search_ms, "index_mb": megabytes}


if __name__ == "__main__":
    answer(measure, __doc__)
