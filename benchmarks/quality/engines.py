"""Engines that answer the questions of a collection: ours, ours as it would rank without thought, and two others."""

from __future__ import annotations

import contextlib
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from workspace import WorkspaceConfig, index_workspace, search_workspace
from workspace.query.candidates import Hit
from workspace.query.results import Shape, shaped
from workspace.query.search import stemmer
from workspace.storage.connection import open_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from collection import Collection

    Engine = Callable[[str], Sequence[str]]
    """From a query to relative paths, best first."""

HITS = 20
"""Hits asked for: what a search gives that names no limit."""

_BASELINE = (
    "SELECT c.id, bm25(chunks_fts), c.abs_path, c.chunk_index, octet_length(c.content)"
    " FROM chunks_fts f CROSS JOIN chunks c ON c.id = f.rowid WHERE f.chunks_fts MATCH ? ORDER BY f.rank LIMIT ?"
)


def index(collection: Collection, home: Path) -> WorkspaceConfig:
    """Write the files of `collection` below `home`, and index them as anybody would."""
    root = (home / "files").resolve()
    for name, text in collection.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    (root / ".hermesignore").write_text("")  # nothing is left out
    roots = [{"path": str(root), "recursive": True}]
    config = WorkspaceConfig.from_dict({"knowledgebase": {"roots": roots}}, home=home)
    index_workspace(config)
    return config


def product(config: WorkspaceConfig) -> Engine:
    """Return the product, through its public API."""
    root = config.roots[0].path

    def answer(query: str) -> list[str]:
        return _files([hit.path for hit in search_workspace(config, query, limit=HITS)], root)

    return answer


def baseline(config: WorkspaceConfig) -> Engine:
    """Return what FTS5 gives of itself: all words joined by OR, ranked by ``bm25()``; passages are made as ours."""
    root = config.roots[0].path

    def answer(query: str) -> list[str]:
        words = dict.fromkeys(re.findall(r"[^\W_]+", query.lower()))
        match = " OR ".join(f'"{word}"' for word in words)
        connection = open_reader(config.database_path)
        if connection is None:
            return []
        with contextlib.closing(connection):
            hits = [Hit(*row) for row in connection.execute(_BASELINE, (match, HITS))]
            shaped(connection, match, hits, stemmer(connection), Shape(max_chars=config.max_content_chars))
        return _files([hit.path for hit in hits], root)

    return answer


def bm25s(collection: Collection) -> Engine | None:
    """Return bm25s (Lucene's BM25) with a stemmer and stop words, if it is installed."""
    if not find_spec("bm25s") or not find_spec("Stemmer"):
        return None
    import bm25s as library
    import Stemmer

    stem = Stemmer.Stemmer("english")
    names = list(collection.files)
    tokens = library.tokenize(list(collection.files.values()), stopwords="en", stemmer=stem, show_progress=False)
    retriever = library.BM25()
    retriever.index(tokens, show_progress=False)

    def answer(query: str) -> list[str]:
        asked = library.tokenize([query], stopwords="en", stemmer=stem, show_progress=False)
        found, scores = retriever.retrieve(asked, k=min(HITS, len(names)), show_progress=False)
        return [names[number] for number, score in zip(found[0], scores[0], strict=True) if score > 0]

    return answer


def tantivy(collection: Collection) -> Engine | None:
    """Return tantivy with its English stemmer and its defaults, if it is installed."""
    if not find_spec("tantivy"):
        return None
    import tantivy as library

    builder = library.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw")
    builder.add_text_field("text", tokenizer_name="en_stem")
    store = library.Index(builder.build())
    writer = store.writer(num_threads=1)
    for name, text in collection.files.items():
        writer.add_document(library.Document(path=name, text=text))
    writer.commit()
    store.reload()
    searcher = store.searcher()

    def answer(query: str) -> list[str]:
        asked = store.parse_query(" ".join(re.findall(r"\w+", query.lower())), ["text"])
        return [searcher.doc(address)["path"][0] for _, address in searcher.search(asked, HITS).hits]

    return answer


def _files(paths: Sequence[str], root: str) -> list[str]:
    """Return the files that hits lie in, each once, at the rank of its best hit."""
    return list(dict.fromkeys(path.removeprefix(root + "/") for path in paths))
