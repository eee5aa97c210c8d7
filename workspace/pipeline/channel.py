"""Threads joined by bounded queues: how the stages of one run are fed, ended, and kept from waiting for the dead."""

from __future__ import annotations

import contextlib
import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

CHANNEL_CAPACITY: Final = 256
"""Batches between two stages. Many hold the few files of one directory: with 16 of those, the writer waited a third of
a run for work that its producer could not hand over. Memory is bounded by the byte budget, not by this."""

TICK_SECONDS: Final = 0.5
"""How long a consumer waits before it sees an empty batch, so that it can do what has become due."""

_END: Final = object()


class Channel(Generic[T]):
    """Carries batches from one producer to one consumer. The producer ends it, once, by `end`."""

    def __init__(self, capacity: int = CHANNEL_CAPACITY) -> None:
        self._queue: queue.Queue[list[T] | object] = queue.Queue(capacity)
        self._ended = False

    def put(self, batch: list[T]) -> None:
        """Hand over a batch, waiting for room."""
        self._queue.put(batch)

    def end(self) -> None:
        """Say that nothing more will come."""
        self._queue.put(_END)

    def nudge(self) -> None:
        """Make the consumer see a batch soon, an empty one if need be. Never waits; any thread may call it."""
        with contextlib.suppress(queue.Full):  # the consumer is about to see what fills it
            self._queue.put_nowait([])

    def __iter__(self) -> Iterator[list[T]]:
        """Yield batches until the end, and an empty one whenever `TICK_SECONDS` pass without any."""
        while not self._ended:
            try:
                batch = self._queue.get(timeout=TICK_SECONDS)
            except queue.Empty:
                yield []
                continue
            if batch is _END:
                self._ended = True
            else:
                yield batch  # type: ignore[misc] # only batches and the sentinel are ever put

    def drain(self) -> None:
        """Take what still comes and forget it, so that the producer never waits for a consumer that gave up."""
        for _ in self:
            pass


@dataclass(frozen=True, slots=True)
class Step(Generic[T]):
    """A stage with its name and its inbox: a generator function from what comes in to what goes out."""

    name: str
    inbox: Channel[T]
    run: Callable[[Iterator[list[T]]], Iterator[list[T]]]


class Crew(Generic[T]):
    """The threads of one run, the word to stop, and the first thing that went wrong in any of them.

    `on_failure` is called when the run is to stop; it makes those go on who wait for what will not happen any more.
    """

    def __init__(self, *, on_failure: Callable[[], None]) -> None:
        self.cancelled = threading.Event()
        self.failure: BaseException | None = None
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._inboxes: list[Channel[T]] = []
        self._is_complete = False

    def start(self, steps: Sequence[Step[T]], outbox: Channel[T]) -> None:
        """Run each of `steps` in a thread, reading from the one before, the first from nothing; the last feeds outbox.

        Consumers start before their producers: whatever interrupts this, no producer waits for one that never was.
        """
        self._inboxes = [step.inbox for step in steps]
        self._inboxes[0].end()
        for step, target in reversed(list(zip(steps, [*self._inboxes[1:], outbox], strict=True))):
            thread = threading.Thread(target=self._work, args=(step, target), name=f"workspace-{step.name}")
            self._threads.append(thread)
            thread.start()
        self._is_complete = True

    def fail(self, cause: BaseException) -> None:
        """Take no new work from now on; what is finished is still stored. Only the first cause is kept."""
        with self._lock:
            self.failure = self.failure or cause
        self.cancelled.set()
        self._on_failure()

    def wind_down(self, outbox: Channel[T]) -> None:
        """Wait for all threads, taking what they still give to `outbox`. May be called again if interrupted."""
        if not self._is_complete:
            for inbox in self._inboxes:
                inbox.end()
        while any(thread.is_alive() for thread in self._threads):
            next(iter(outbox), None)

    def _work(self, step: Step[T], outbox: Channel[T]) -> None:
        """Whatever happens, `outbox` is ended, and the inbox is emptied."""
        try:
            for batch in step.run(iter(step.inbox)):
                outbox.put(batch)
        except BaseException as cause:  # noqa: BLE001 - whatever ends a stage must end the run, and be told
            self.fail(cause)
        finally:
            outbox.end()
            step.inbox.drain()
