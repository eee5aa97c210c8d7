"""Peak memory and CPU time of a process tree, by sampling; Linux only, elsewhere nothing is measured."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Self

SAMPLE_SECONDS = 0.05
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Watch:
    """Samples this process and all its descendants while the context is open.

    `peak_mb` is the largest sum of proportional set sizes seen (pages shared between processes count once), in MB.
    `cpu_seconds` is the CPU time that all of them used meanwhile. Worker processes are children of a fork server, so
    that no accounting of our own children would have it; of one that ends, what it used after the last sample is lost.
    """

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self.cpu_seconds = 0.0
        self._before: dict[int, float] = {}
        self._latest: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._before = {process: _cpu(process) for process in _family(os.getpid())}
        self._own = time.process_time()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        own = time.process_time() - self._own
        self._sample()
        self._stop.set()
        self._thread.join()
        self._latest.pop(os.getpid(), None)
        others = sum(cpu - self._before.get(process, 0.0) for process, cpu in self._latest.items())
        self.cpu_seconds = own + others

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self._sample()

    def _sample(self) -> None:
        family = _family(os.getpid())
        self.peak_mb = max(self.peak_mb, sum(map(_proportional_kb, family)) / 1024)
        self._latest.update((process, cpu) for process in family if (cpu := _cpu(process)))


def _family(root: int) -> list[int]:
    members = [root]
    for process in members:  # grows while it is walked
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            members += map(int, _read(task).split())
    return members


def _proportional_kb(process: int) -> int:
    lines = _read(Path(f"/proc/{process}/smaps_rollup")).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _cpu(process: int) -> float:
    """Return user and system seconds (fields 14 and 15 of proc(5)'s stat; the second one may hold spaces)."""
    fields = _read(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND if fields else 0.0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended
        return ""
