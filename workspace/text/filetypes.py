"""What kind of text a file holds, by its name and, where that says nothing, by its ``#!`` line."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from workspace.constants import LANGUAGE_BY_INTERPRETER, LANGUAGE_BY_NAME, LANGUAGE_BY_SUFFIX, MARKDOWN_SUFFIXES

if TYPE_CHECKING:
    from workspace.constants import Kind

_FIRST_LINE: Final = re.compile(r"#![ \t]*([^\r\n]{1,256})")
_VERSION: Final = re.compile(r"[\d.]+$")


def kind_of(path: str, text_start: str) -> tuple[Kind, str | None]:
    """Return the kind of the file at `path` and the name of its grammar, which only code has.

    `text_start` is the beginning of its text, at least the first line: it counts for files of unknown suffix only.
    """
    name = os.path.basename(path).lower()  # noqa: PTH119 - twice as fast as building a Path, and run for every file
    suffix = os.path.splitext(name)[1]  # noqa: PTH122 - same
    if suffix in MARKDOWN_SUFFIXES:
        return "markdown", None
    grammar = LANGUAGE_BY_NAME.get(name) or LANGUAGE_BY_SUFFIX.get(suffix) or _grammar_of_interpreter(text_start)
    return ("code", grammar) if grammar else ("text", None)


def _grammar_of_interpreter(text_start: str) -> str | None:
    line = _FIRST_LINE.match(text_start)
    if line is None:
        return None
    for word in line[1].split():
        program = word.rpartition("/")[2]
        # What env runs is the first of its arguments that is neither an option nor an assignment.
        if program == "env" or word.startswith("-") or "=" in word:
            continue
        return LANGUAGE_BY_INTERPRETER.get(_VERSION.sub("", program))
    return None
