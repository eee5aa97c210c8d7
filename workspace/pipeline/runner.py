"""One run, from the lock to the summary: the only module that knows all stages."""

from __future__ import annotations

import contextlib
import json
import logging
import time
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final, TypeVar

from workspace.pipeline.budget import IN_FLIGHT_BYTES, ByteBudget
from workspace.pipeline.channel import Channel, Crew, Step
from workspace.pipeline.chunk import chunk, config_signature, timestamp
from workspace.pipeline.coverage import Coverage
from workspace.pipeline.discover import DiscoverOptions, discover
from workspace.pipeline.items import path_of
from workspace.pipeline.pool import ChunkPool, InlineChunks, exit_if_importing_main
from workspace.pipeline.read import ReadOptions, read_all
from workspace.pipeline.report import Report
from workspace.pipeline.store import store
from workspace.storage.connection import private_file_ids
from workspace.storage.lock import index_lock
from workspace.storage.reader import LAST_RUN_KEY, get_meta, known_files
from workspace.storage.repair import sound_index
from workspace.storage.writer import finish, poisons_of, set_meta
from workspace.types import LastRun, Poison, Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import apsw

    from workspace.pipeline.chunking.options import ChunkOptions
    from workspace.pipeline.items import Failed, Item
    from workspace.types import IndexSummary, ProgressCallback, Root

T = TypeVar("T")

log = logging.getLogger(__name__)

DEVICE_KEY: Final = "root_device:"
"""Prefix of the keys in ``meta`` that remember on which device a root was: an unmounted disk leaves another one."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What one run is to do: `jobs` worker processes for long documents, `wait` seconds for the lock.

    `verify` hashes every file, whatever its stat says; `retry_failed` tries again what no chunker could cut. `inline`
    runs the same stages in the caller's thread, batch by batch, without any other thread or process.
    """

    roots: tuple[Root, ...]
    database: Path
    chunking: ChunkOptions
    max_file_bytes: int
    verify: bool = False
    retry_failed: bool = False
    wait: float = 0.0
    jobs: int = 1
    inline: bool = False


def run(options: RunOptions, *, progress: ProgressCallback | None = None) -> IndexSummary:
    """Bring the index up to date with the files below the roots, and say what was done.

    Raises:
        IndexLocked: another run holds the lock and `options.wait` has passed.
        WorkspaceError: the database is not ours or of a newer version, or it cannot be written (what was committed
            before stays), or it turned out to be damaged.
        KeyboardInterrupt: after what was whole has been committed.

    """
    exit_if_importing_main()
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.enter_context(index_lock(options.database.parent, options.wait))
        connection = stack.enter_context(sound_index(options.database))
        report = _Run(options, connection).report(progress or (lambda _: None))
        finish(connection)
    return report.summary(time.monotonic() - started)


class _Run:
    """What the stages of one run share, and who waits for whom."""

    def __init__(self, options: RunOptions, connection: apsw.Connection) -> None:
        self._options = options
        self._connection = connection
        self._known = known_files(connection)
        self._signature = config_signature(options.chunking)
        self._poisons = poisons_of(connection, self._signature, forget=options.retry_failed)
        self._devices = _stored_devices(connection, options.roots)
        self._coverage = Coverage()
        self._chunk_inbox: Channel[Item] = Channel()
        self._write_inbox: Channel[Item] = Channel()
        self._budget = ByteBudget(IN_FLIGHT_BYTES, on_wait=self._write_inbox.nudge)
        self._crew: Crew[Item] = Crew(on_failure=self._let_go)
        self._chunkers: ChunkPool | InlineChunks
        if options.inline:
            self._chunkers = InlineChunks(options.chunking)
        else:
            self._chunkers = ChunkPool(
                options.chunking,
                jobs=options.jobs,
                on_ready=self._chunk_inbox.nudge,
                max_file_bytes=options.max_file_bytes,
            )
        self._found = 0
        self._discovering = True

    def report(self, progress: ProgressCallback) -> Report:
        """Run all stages and add up what they did. Nothing of the run goes on after this returns or raises."""
        report = Report(self._options.roots)
        outbox: Channel[Item] = Channel()
        try:
            for batch in self._inline() if self._options.inline else self._threaded(outbox):
                self._conclude(batch, report, progress)
        except BaseException as cause:
            self._crew.fail(cause)
            raise
        finally:
            self._wind_down(outbox)
        if self._crew.failure:
            raise self._crew.failure
        self._remember(report)
        return report

    def _steps(self) -> list[Step[Item]]:
        """Return the stages in order."""
        chunking = self._options.chunking
        reading = ReadOptions(self._options.max_file_bytes, self._signature, self._options.verify)
        return [
            Step("discover", Channel(), lambda _: self._candidates()),
            Step("read", Channel(), lambda found: read_all(self._wanted(found), self._known, reading, self._budget)),
            Step("chunk", self._chunk_inbox, lambda read: chunk(read, chunking, self._chunkers, self._poisons)),
            Step(
                "writer",
                self._write_inbox,
                lambda chunked: store(chunked, self._connection, self._gone, self._poison),
            ),
        ]

    def _inline(self) -> Iterator[list[Item]]:
        self._budget.open()  # whoever waited for room would be the one to make it
        batches: Iterator[list[Item]] = iter(())
        for step in self._steps():
            batches = step.run(batches)
        return batches

    def _threaded(self, outbox: Channel[Item]) -> Iterator[list[Item]]:
        self._crew.start(self._steps(), outbox)
        return iter(outbox)

    def _candidates(self) -> Iterator[list[Item]]:
        options = DiscoverOptions(
            roots=self._options.roots,
            max_file_bytes=self._options.max_file_bytes,
            private_files=private_file_ids(self._options.database),
            root_devices=self._devices,
        )
        for batch in self._wanted(discover(options, self._coverage, warn=log.warning)):
            self._found += len(batch)
            yield list(batch)
        self._discovering = False

    def _wanted(self, batches: Iterable[list[T]]) -> Iterator[list[T]]:
        """Pass on work until the run is cancelled."""
        return takewhile(lambda _: not self._crew.cancelled.is_set(), batches)

    def _gone(self) -> list[str]:
        """Return the stored paths that are to be pruned: none unless discovery ran to its end, undisturbed."""
        if self._discovering or self._crew.cancelled.is_set():
            return []
        return [path for path in self._known if not self._coverage.keeps(path)]

    def _poison(self, failure: Failed) -> Poison | None:
        """Return what is to be remembered of a failure: nothing in a run that is being ended, its workers included."""
        if failure.poison is None or self._crew.cancelled.is_set():
            return None
        return Poison(failure.poison, self._signature, failure.error_type, failure.message)

    def _conclude(self, batch: list[Item], report: Report, progress: ProgressCallback) -> None:
        for outcome in batch:
            report.add(outcome)
            path = path_of(outcome)
            self._budget.settle(path)
        if batch:
            progress(Progress(report.done, self._found, self._discovering, path))

    def _remember(self, report: Report) -> None:
        """Leave in the database what the next run and `status` want to know of this one."""
        devices = {DEVICE_KEY + path: str(device) for path, device in self._coverage.devices.items()}
        this = LastRun(timestamp(int(time.time())), report.errors_by_root)
        set_meta(self._connection, {**devices, LAST_RUN_KEY: json.dumps(asdict(this))})

    def _let_go(self) -> None:
        """Make everybody who waits for something that will not happen any more go on."""
        self._budget.open()
        self._chunkers.abandon()

    def _wind_down(self, outbox: Channel[Item]) -> None:
        """See all threads and workers off, however often the user is impatient: it takes seconds at most."""
        while True:
            with contextlib.suppress(KeyboardInterrupt):
                self._crew.wind_down(outbox)
                self._chunkers.close()
                return


def _stored_devices(connection: apsw.Connection, roots: tuple[Root, ...]) -> dict[str, int]:
    """Return the device that each root was on when it was last indexed."""
    found = ((root.path, get_meta(connection, DEVICE_KEY + root.path)) for root in roots)
    return {path: int(device) for path, device in found if device is not None}
