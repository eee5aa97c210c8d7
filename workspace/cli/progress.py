"""A progress bar on stderr, where that is a terminal."""

from __future__ import annotations

import os
import sys
import threading
import time
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from workspace.cli.output import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workspace.types import Progress, ProgressCallback

REDRAW_SECONDS: Final = 0.1
"""More often nobody can read it, and thousands of files per second would wait for the terminal."""

USUAL_COLUMNS: Final = 80
"""The width of a terminal that does not tell."""

MANY_COLUMNS: Final = 10_000
"""More than any terminal has."""


@contextmanager
def progress_bar() -> Iterator[ProgressCallback | None]:
    """Yield what shows the progress of a run; None where stderr is no terminal. Log lines pass above the bar."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield None
        return
    from tqdm import tqdm  # 30 ms that only a terminal is worth
    from tqdm.contrib.logging import logging_redirect_tqdm

    class Bar(tqdm):  # type: ignore[misc]  # tqdm has no types
        monitor_interval = 0  # no thread of its own

    Bar.set_lock(threading.RLock())
    # The sizes keep tqdm from asking the terminal and cutting the line: `describe` has seen to its length.
    bar = Bar(bar_format="{desc}", file=sys.stderr, leave=False, ncols=MANY_COLUMNS, nrows=2)
    with bar, logging_redirect_tqdm(tqdm_class=Bar):
        shown = 0.0

        def show(progress: Progress) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= REDRAW_SECONDS:
                shown = now
                bar.set_description_str(describe(progress, _terminal_columns() - 1))

        yield show


def _terminal_columns() -> int:
    """Return the width of the terminal on stderr, also where stdout is none or another one."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or USUAL_COLUMNS
    except OSError:
        return USUAL_COLUMNS


def describe(progress: Progress, columns: int) -> str:
    """Return ``Indexing [3/12] /path/to/file`` in at most so many columns; of a long path, its end."""
    head = f"Indexing [{progress.done}/{progress.found}] "
    return head[: max(columns, 0)] + _end_of(visible(progress.path), columns - len(head))


def _end_of(text: str, columns: int) -> str:
    if columns_of(text) <= columns:
        return text
    start, free = len(text), columns - len("…")
    while start and columns_of(text[start - 1]) <= free:
        start -= 1
        free -= columns_of(text[start])
    return "…" + text[start:] if columns > 0 else ""


def columns_of(text: str) -> int:
    """Return the columns that a terminal needs for `text`: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)
