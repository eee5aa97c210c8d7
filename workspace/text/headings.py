"""Headings of a document, by the markup that its name promises."""

from __future__ import annotations

import os
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from workspace.constants import MARKDOWN_SUFFIXES
from workspace.text.heading import Heading
from workspace.text.markdown import markdown_headings
from workspace.text.markup import asciidoc_headings, html_headings, org_headings, plain_headings, rst_headings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["HEADINGS_SEPARATOR", "Heading", "heading_in_force", "headings_of"]

HEADINGS_SEPARATOR: Final = "\n"
"""Between the headings of a row: none of them holds it, as each is a line (or a path of definitions)."""

_BY_SUFFIX: Final[dict[str, Callable[[str], list[Heading]]]] = {
    **dict.fromkeys(MARKDOWN_SUFFIXES, markdown_headings),
    ".rst": rst_headings, ".rest": rst_headings, ".txt": plain_headings,
    ".adoc": asciidoc_headings, ".asciidoc": asciidoc_headings, ".asc": asciidoc_headings,
    ".org": org_headings,
    ".html": html_headings, ".htm": html_headings, ".xhtml": html_headings,
}  # fmt: skip


def headings_of(text: str, path: str) -> list[Heading]:
    """Return the headings of `text`, in order, by the extension of `path`; none if that is not one of markup."""
    suffix = os.path.splitext(path)[1]  # noqa: PTH122 - ten times faster than a Path, and run for every file
    find = _BY_SUFFIX.get(suffix.lower())
    return find(text) if find else []


def heading_in_force(headings: Sequence[Heading], offset: int) -> Heading | None:
    """Return the last of `headings` that begins at or before character `offset`, if any does."""
    index = bisect_right(headings, offset, key=lambda heading: heading.offset)
    return headings[index - 1] if index else None
