"""Wall clock, CPU and memory of whole process trees. POSIX; what needs Linux's /proc is 0 elsewhere.

CPU is counted twice over. `Stopwatch` looks from inside, so that starting Python is not in it: its own process and the
children it has waited for (exact to a microsecond), and of every living descendant both its own time and that of the
children *it* has waited for (exact to a clock tick, 10 ms on Linux). A worker process that has ended is therefore still
counted, by the fork server that waited for it. Only children that ended without anybody waiting are lost; we have none.
Compared with the account of a parent that reaped every process of runs of 7 s, at most 0.15 s were missing, all of them
spent on ending the interpreters. `run` looks from outside: a command as the system accounts it to the one who waits
for it, without what daemons it leaves behind use.
"""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SAMPLE_SECONDS = 0.03
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")

LOOK_CLOSER = 1.01
"""Growth of the cheap figure (resident pages) from which the exact one, which walks page tables, is read again."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of wall clock, and of CPU of all processes; the most memory that they held, in MB."""

    wall_s: float
    cpu_s: float
    peak_mb: float = 0.0


class Stopwatch:
    """Times the block, with all processes that this one starts in it. Imports belong before it."""

    def __enter__(self) -> Self:
        self._cpu = tree_cpu_seconds()
        self._wall = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        wall = time.perf_counter() - self._wall
        self.cost = Cost(wall, tree_cpu_seconds() - self._cpu)


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that has ended well: what it wrote, and what it cost."""

    output: bytes
    cost: Cost


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Finished:
    """Run `command` to its end. Raises `CalledProcessError` if that is not a good one."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **(environment or {})}) as process:
        assert process.stdout is not None
        with MemoryWatch(process.pid) as memory:
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command), output)
    return Finished(output, Cost(wall, usage.ru_utime + usage.ru_stime, memory.peak_mb))


class MemoryWatch:
    """Samples a process and its descendants while the context is open.

    `peak_mb` is the largest sum of proportional set sizes (pages that processes share count once) that was seen. A
    peak shorter than `SAMPLE_SECONDS` may be missed, and one less than a hundredth above the last.
    """

    def __init__(self, process: int) -> None:
        self.peak_mb = 0.0
        self._process = process
        self._resident = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            family = _family(self._process)
            resident = sum(map(_resident_pages, family))
            if resident > self._resident * LOOK_CLOSER:
                self._resident = resident
                self.peak_mb = max(self.peak_mb, sum(map(_proportional_kb, family)) * 1024 / 1e6)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tree_cpu_seconds() -> float:
    """Return the CPU time of this process and all its descendants, ended ones included (see above)."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return own + sum(map(_cpu_seconds, _family(os.getpid())[1:]))


def _family(root: int) -> list[int]:
    members = [root]
    for process in members:  # grows while it is walked
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            members += map(int, _read(task).split())
    return members


def _cpu_seconds(process: int) -> float:
    """Return fields 14 to 17 of proc(5)'s stat (the second one may hold spaces): own time, and that of children."""
    fields = _read(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS_PER_SECOND


def _resident_pages(process: int) -> int:
    return int((_read(Path(f"/proc/{process}/statm")) or "0 0").split()[1])


def _proportional_kb(process: int) -> int:
    lines = _read(Path(f"/proc/{process}/smaps_rollup")).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended
        return ""
