"""Counts outcomes: the one object that knows how a run went."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from workspace.pipeline.items import Failed, Item, Pruned, Refreshed, Skipped, Stored
from workspace.types import IndexingError, IndexSummary

if TYPE_CHECKING:
    from workspace.types import Root

MAX_ERRORS: Final = 50
"""Errors listed in a summary; beyond it they are only counted, so that a summary stays readable."""


class Report:
    """Adds up outcomes; `done` counts the files dealt with, pruned ones aside, `errors_by_root` those that failed."""

    def __init__(self, roots: tuple[Root, ...] = ()) -> None:
        self.done = 0
        self.errors_by_root = {root.path: 0 for root in roots}
        self._indexed = self._skipped = self._pruned = self._failed = self._rows = 0
        self._errors: list[IndexingError] = []

    def add(self, outcome: Item) -> None:
        """Count one outcome."""
        match outcome:
            case Stored():
                self._indexed += 1
                self._rows += outcome.rows
            case Skipped() | Refreshed():
                self._skipped += 1
            case Pruned():
                self._pruned += 1
                return
            case Failed():
                self._note(outcome)
        self.done += 1

    def _note(self, failure: Failed) -> None:
        self._failed += 1
        root = next((root for root in self.errors_by_root if _is_within(failure.path, root)), None)
        if root is not None:
            self.errors_by_root[root] += 1
        if len(self._errors) < MAX_ERRORS:
            error = IndexingError(failure.path, failure.stage, failure.error_type, failure.message)
            self._errors.append(error)

    def summary(self, duration_seconds: float) -> IndexSummary:
        """Return what is to be told of the run."""
        return IndexSummary(
            files_indexed=self._indexed,
            files_skipped=self._skipped,
            files_pruned=self._pruned,
            files_errored=self._failed,
            chunks_created=self._rows,
            duration_seconds=round(duration_seconds, 3),
            errors=tuple(self._errors),
            errors_truncated=self._failed > len(self._errors),
        )


def _is_within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
