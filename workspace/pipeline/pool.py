"""Worker processes for the chunkers: the only importer of pebble.

A chunker runs foreign parsers over foreign text. In a process of its own it may crash, hang or be killed, and that
costs the one file. pebble names the task whose worker died, enforces deadlines, replaces workers, and leaves no orphan.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import queue
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workspace.pipeline.chunking.worker import Answer, Text, chunk_group, limit_memory
from workspace.pipeline.items import ChunkResult, Document, Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Future

    import pebble

    from workspace.pipeline.chunking.options import ChunkOptions

log = logging.getLogger(__name__)

PRELOADED: Final = ("workspace.pipeline.chunking.worker", "chonkie", "tree_sitter")
"""Imported once, by the fork server, so that each worker starts with them."""

DEADLINE_SECONDS: Final = 60.0
"""For one task. A chunker that has not ended by then never will; only its file is given up."""

LEAST_MEMORY: Final = 4 * 1024**3
"""Bytes that a worker may have, whatever the size of files: three times what 10 MB of nested JSON need."""

MEMORY_PER_BYTE: Final = 400
"""And for each byte of the largest file."""

GROUP_CHARACTERS: Final = 1_000_000
"""Text in one task: a task costs about 0.3 ms, which small documents share."""

POLL_SECONDS: Final = 0.5
"""How often a wait for results looks whether there still is a pool to wait for."""

WORKER_ENVIRONMENT: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONSAFEPATH": "1"}
"""Numerical libraries must not start threads of their own in each worker, and the fork server, which starts as
``python -c``, must not import what lies in the directory that a user happens to index from."""


@dataclass(frozen=True, slots=True)
class _Task:
    document: Document
    fallback: bool = False


_Done = tuple[int, "Future[list[Answer]] | None"]


def exit_if_importing_main() -> None:
    """Leave the process, quietly, if it is a worker that is only just importing the user's main script.

    A script without an ``if __name__ == "__main__"`` guard would index again in each of its workers. Leaving makes
    the pool fail to start, and the parent then chunks without it.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)


class InlineChunks:
    """Chunks at once in this process: the same results without a pool, and without its protection."""

    def __init__(self, options: ChunkOptions) -> None:
        self._options = options
        self._results: list[ChunkResult] = []

    def submit(self, document: Document) -> None:
        """Chunk `document` now."""
        self._results += _run_here([_Task(document)], self._options)

    def ready(self) -> list[ChunkResult]:
        """Return the results since the last call."""
        results, self._results = self._results, []
        return results

    def rest(self) -> Iterator[list[ChunkResult]]:
        """Yield what `ready` has not returned."""
        yield self.ready()

    def abandon(self) -> None:
        """Do nothing: nobody ever waits here."""

    def close(self) -> None:
        """Do nothing: there is no process to end."""


class ChunkPool:
    """Chunks documents in worker processes, which start with the first document.

    Files hold up to `max_file_bytes`; workers get memory in proportion. One thread submits and takes results; `abandon`
    may be called from any. `on_ready` is called, from a thread of the pool, whenever a result can be taken; it must not
    wait.
    """

    def __init__(
        self, options: ChunkOptions, *, jobs: int, on_ready: Callable[[], None], max_file_bytes: int = 0
    ) -> None:
        self._options = options
        self._jobs = jobs
        self._memory = max(LEAST_MEMORY, MEMORY_PER_BYTE * max_file_bytes)
        self._on_ready = on_ready
        self._pool: pebble.ProcessPool | None = None
        # Starting takes a quarter of a second, for which nobody has to wait: tasks do, in the queue of this thread.
        self._feeder = ThreadPoolExecutor(max_workers=1, thread_name_prefix="workspace-pool")
        self._broken = False
        self._abandoned = False
        self._group: list[_Task] = []
        self._group_characters = 0
        self._pending: dict[int, list[_Task]] = {}
        self._sent = 0
        self._done: queue.SimpleQueue[_Done | None] = queue.SimpleQueue()

    def submit(self, document: Document) -> None:
        """Take `document`; small ones wait for company while the workers are busy."""
        if len(document.text) >= GROUP_CHARACTERS:
            self._send([_Task(document)])  # what is likeliest to fail must not take others along
            return
        self._group.append(_Task(document))
        self._group_characters += len(document.text)
        if self._group_characters >= GROUP_CHARACTERS:
            self._send_group()

    def ready(self) -> list[ChunkResult]:
        """Return the results that are there, without waiting, and keep the workers busy."""
        if len(self._pending) < 2 * self._jobs:
            self._send_group()
        results: list[ChunkResult] = []
        while not self._done.empty():
            results += self._take(self._done.get())
        return results

    def rest(self) -> Iterator[list[ChunkResult]]:
        """Yield the results of all that was submitted, as they come; stop early when abandoned."""
        self._send_group()
        while self._pending and not self._abandoned:
            try:
                done = self._done.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if self._pool and not self._pool.active:
                    yield self._all_here()
            else:
                yield self._take(done)

    def abandon(self) -> None:
        """Make `rest` return soon, whatever the workers are doing."""
        self._abandoned = True
        self._done.put(None)

    def close(self) -> None:
        """End the workers, busy or not. No process of the pool outlives this call."""
        self._feeder.shutdown(cancel_futures=True)
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()

    def _send_group(self) -> None:
        group, self._group, self._group_characters = self._group, [], 0
        if group:
            self._send(group)

    def _send(self, tasks: list[_Task]) -> None:
        self._sent += 1
        self._pending[self._sent] = tasks
        if not self._abandoned:
            self._feeder.submit(self._feed, self._sent, tasks)

    def _feed(self, number: int, tasks: list[_Task]) -> None:
        try:
            future = self._schedule(tasks)
        except Exception as error:  # noqa: BLE001 - whatever it is, there are no workers, and none are needed
            self._break(error)
            self._announce(number, None)
        else:
            future.add_done_callback(lambda done: self._announce(number, done))

    def _schedule(self, tasks: list[_Task]) -> Future[list[Answer]]:
        if self._broken:
            raise BrokenProcessPool
        if self._pool is None:
            self._pool = _new_pool(self._jobs, self._memory)
        future: Future[list[Answer]] = self._pool.schedule(
            chunk_group, args=(_texts(tasks), self._options), timeout=DEADLINE_SECONDS
        )
        return future

    def _announce(self, number: int, future: Future[list[Answer]] | None) -> None:
        self._done.put((number, future))
        self._on_ready()

    def _take(self, done: _Done | None) -> list[ChunkResult]:
        number, future = done or (0, None)
        tasks = self._pending.get(number)
        if tasks is None:
            return []  # only woken, or chunked here already after the pool broke
        error = future.exception() if future else BrokenProcessPool()
        if isinstance(error, BrokenProcessPool):
            return self._all_here(error)
        del self._pending[number]
        if error is None and future:
            return _results(tasks, future.result())
        return self._retry(tasks, error)

    def _retry(self, tasks: list[_Task], error: BaseException | None) -> list[ChunkResult]:
        """Send again what died: a group one by one, to find the guilty, and the guilty to the default chunker."""
        if len(tasks) > 1:
            for task in tasks:
                self._send([task])
            return []
        document = tasks[0].document
        if tasks[0].fallback:
            return [(document, _failed(document, type(error).__name__, _explain(error)))]
        log.info("%s: %s; trying the default chunker", document.candidate.path, _explain(error))
        self._send([replace(tasks[0], fallback=True)])
        return []

    def _all_here(self, error: BaseException | None = None) -> list[ChunkResult]:
        """Chunk in this process what the broken pool has left behind."""
        self._break(error)
        tasks = [task for group in self._pending.values() for task in group]
        self._pending.clear()
        return _run_here(tasks, self._options)

    def _break(self, error: BaseException | None) -> None:
        if not self._broken and not self._abandoned:
            log.warning("the worker processes do not run; chunking goes on without them, unprotected against crashes")
            log.debug("why the worker processes do not run", exc_info=error)
        self._broken = True


def _run_here(tasks: list[_Task], options: ChunkOptions) -> list[ChunkResult]:
    """Chunk in this process."""
    return _results(tasks, chunk_group(_texts(tasks), options))


def _texts(tasks: list[_Task]) -> list[Text]:
    return [(task.document.text, task.document.candidate.path, task.fallback) for task in tasks]


def _results(tasks: list[_Task], answers: list[Answer]) -> list[ChunkResult]:
    return [
        (task.document, answer if isinstance(answer, list) else _failed(task.document, *answer))
        for task, answer in zip(tasks, answers, strict=True)
    ]


def _failed(document: Document, error_type: str, message: str) -> Failed:
    return Failed(document.candidate.path, "chunk", error_type, message, rows_are_gone=True)


def _explain(error: BaseException | None) -> str:
    if isinstance(error, TimeoutError):
        return f"the chunker did not end within {DEADLINE_SECONDS:.0f} seconds"
    if isinstance(error, MemoryError):
        return "the chunker needs more memory than a worker may have"
    code = getattr(error, "exitcode", None)
    if code is not None:
        return f"the chunker's process ended with exit code {code}"
    return f"the chunker's answer was lost: {error}"


def _new_pool(jobs: int, memory: int) -> pebble.ProcessPool:
    """Start a pool: every process of it runs when this returns, or none.

    Raises `RuntimeError` if the main script is none that a worker could import, as one that came through a pipe.
    """
    import pebble

    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    # Without a spec workers import it as a file; each would end with a traceback.
    if script and getattr(main, "__spec__", None) is None and not Path(script).exists():
        raise RuntimeError(f"the main script is no file: {script}")

    fork_server = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if fork_server else "spawn")
    if fork_server:
        context.set_forkserver_preload(list(PRELOADED))
    pool = pebble.ProcessPool(max_workers=jobs, context=context, initializer=limit_memory, initargs=[memory])
    try:
        with _environment(WORKER_ENVIRONMENT), _interrupts_blocked():
            pool.active  # noqa: B018 - the first time that this is asked, pebble starts the workers
    except BaseException:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()
        raise
    return pool


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let processes that are started within inherit that Ctrl-C is not for them. The main thread still gets it."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this platform
        yield
        return
    resource_tracker.ensure_running()  # or it starts within, and unblocks SIGINT before the fork server starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Let processes that are started within inherit `values`."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
