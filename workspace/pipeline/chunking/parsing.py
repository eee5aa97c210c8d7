"""Parsing within a budget: on a few malformed texts a grammar never comes to an end.

This is what asks for tree-sitter 0.26.1: before it, progress reports crash any Python below 3.14.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from tree_sitter import Parser

if TYPE_CHECKING:
    from tree_sitter import Language, Point, Tree

LEAST_STEPS: Final = 10_000
"""Steps that any text may take, about a second's worth. A step is what tree-sitter does between two of its progress
reports; to count them instead of the time gives the same result on every machine."""

BYTES_PER_STEP: Final = 4
"""Bytes of a text that allow one step more. Measured: code takes a step for every 60 to 300 bytes, noise for 30 or
more, and the worst ambiguities that do end, for 10."""


class EndlessParseError(ValueError):
    """The parser took far more steps than any text of that length needs."""


def parse(data: bytes, language: Language) -> Tree:
    """Return the syntax tree of `data`, UTF-8 text, which may hold errors.

    Raises `EndlessParseError` if there is no end in sight.
    """
    parts: list[memoryview] = []
    steps = count()
    limit = LEAST_STEPS + len(data) // BYTES_PER_STEP

    def read(offset: int, _: Point) -> memoryview:
        parts.append(memoryview(data)[offset:])
        return parts[-1]

    def is_endless(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - tree-sitter's signature
        return next(steps) > limit

    try:
        return Parser(language).parse(read, progress_callback=is_endless)
    except ValueError as error:
        raise EndlessParseError(f"no end after {limit} steps over {len(data)} bytes") from error
    finally:
        for part in parts:  # tree-sitter never lets go of what it was given, and so of all the text
            part.release()
