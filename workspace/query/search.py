"""Search: from a text to its results. The steps, in order."""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import apsw

from workspace.constants import DEFAULT_LIMIT, DEFAULT_MAX_CONTENT_CHARS, DEFAULT_PER_FILE
from workspace.query.candidates import best_hits, rows_with
from workspace.query.compile import compile_query
from workspace.query.filters import restrict
from workspace.query.lexrank import asked
from workspace.query.results import Shape, shaped
from workspace.query.spelling import corrections
from workspace.storage.connection import open_reader
from workspace.storage.health import glance, leave_doubt, scanned, text_index_message
from workspace.storage.schema import FTS_TOKENIZER
from workspace.storage.trouble import damage_message, explained
from workspace.types import Condition, IndexUnusable

if TYPE_CHECKING:
    from collections.abc import Callable

    from workspace.query.compile import CompiledQuery
    from workspace.query.filters import Restriction
    from workspace.query.tree import Term
    from workspace.types import SearchResult

MAX_LIMIT: Final = 1_000
"""Hits of one search at most: far more than anyone reads."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """What a search is told besides its text.

    `path` is a file or a directory; `glob` a pattern as in ``.gitignore``; `limit` (None or 0 and less:
    `default_limit`) the number of hits, `per_file` those of one file (0: any number); `max_content_chars` the
    characters of each (0: no cap), and `context` the lines that it shows besides on either side.
    """

    path: str | None = None
    glob: str | None = None
    limit: int | None = None
    default_limit: int = DEFAULT_LIMIT
    per_file: int = DEFAULT_PER_FILE
    context: int = 0
    max_content_chars: int = DEFAULT_MAX_CONTENT_CHARS


def search(connection: apsw.Connection, query: str, options: SearchOptions) -> list[SearchResult]:
    """Return what fits `query` best, best first; nothing if it holds no word.

    The index is seen as it is at one moment, whoever writes to it meanwhile, and nothing is written.

    Raises:
        WorkspaceError: the index cannot be read.

    """
    path = Path(connection.filename)
    try:
        with connection:  # one transaction
            glance(connection)
            results = _search(connection, query, options)
    except (apsw.CorruptError, apsw.SQLError) as error:  # SQLError: a full-text index that cannot even be opened
        return _search_by_scan(path, query, options, error)
    except apsw.Error as error:
        raise explained(error, path, "search") from error
    return results


def _search_by_scan(path: Path, query: str, options: SearchOptions, cause: apsw.Error) -> list[SearchResult]:
    """Answer by reading all rows, since the full-text index is damaged; the next index run builds that anew.

    On a connection of its own: one that has come across damage may refuse everything from then on.
    """
    leave_doubt(path)
    connection = open_reader(path)
    if connection is None:
        return []
    try:
        with contextlib.closing(connection), connection, scanned(connection):
            results = _search(connection, query, options)
    except apsw.SQLError as error:
        raise IndexUnusable(Condition.DAMAGED, damage_message(path, str(error))) from error
    except apsw.Error as error:
        raise explained(error, path, "search") from error
    _log.warning("%s; this search has read all rows instead", text_index_message(path, str(cause)))
    return results


def _search(connection: apsw.Connection, query: str, options: SearchOptions) -> list[SearchResult]:
    stem = stemmer(connection)
    rows = cache(partial(rows_with, connection))
    compiled = _corrected(connection, query, stem, rows)
    for note in compiled.notes:
        _log.warning(note)
    if not compiled.match:
        return []
    restriction = restrict(connection, path=options.path, glob=options.glob)
    per_file = 0 if _is_a_file(connection, restriction) else options.per_file
    hits = best_hits(connection, asked(compiled, rows), restriction, limit=_limit(options), per_file=per_file)
    shape = Shape(max_chars=options.max_content_chars, context=options.context)
    return shaped(connection, compiled.match, hits, stem, shape)


def _corrected(
    connection: apsw.Connection, query: str, stem: Callable[[str], str], rows: Callable[[Term], int]
) -> CompiledQuery:
    """Return the query with those of its words corrected that the index holds nowhere, and say so in the log."""
    compiled = compile_query(query, stem=stem)
    unknown = [term for term in compiled.terms if not rows(term)]
    meant = corrections(connection, unknown, stem) if unknown else {}
    if not meant:
        return compiled
    for term in unknown:
        if word := meant.get(stem(term.text)):
            _log.warning("showing results for %s: nothing holds %s", word, term.text)
    return compile_query(query, stem=stem, corrections=meant)


def _is_a_file(connection: apsw.Connection, restriction: Restriction) -> bool:
    """Return whether a search is restricted to one file: whoever asks that wants all of its hits."""
    path = restriction.bindings.get("path")
    return connection.execute("SELECT 1 FROM files WHERE abs_path = ?", (path,)).get is not None


def _limit(options: SearchOptions) -> int:
    wanted = options.limit if options.limit and options.limit > 0 else options.default_limit
    return min(wanted, MAX_LIMIT)


def stemmer(connection: apsw.Connection) -> Callable[[str], str]:
    """Return a function that gives what the index keeps of a word: its stem without accents, "" for no word."""
    name, *arguments = FTS_TOKENIZER
    tokenize = connection.fts5_tokenizer(name, arguments)

    @cache
    def stem(word: str) -> str:
        tokens = tokenize(word.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False)
        return " ".join(map(str, tokens))

    return stem
