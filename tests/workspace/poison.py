"""A worker function for the pool that harms its process as the file's name says. Imported by name in the workers."""

from __future__ import annotations

import os
import signal
import time

from workspace.pipeline.items import Span


class UnpicklableError(Exception):
    def __reduce__(self):
        raise TypeError("cannot be pickled")


def chunk_group(texts, options):  # noqa: ARG001 - the signature of the real one
    return [_chunk(text, os.path.basename(path), fallback=fallback) for text, path, fallback in texts]  # noqa: PTH119


def _allocate():
    hoard = []
    while True:
        hoard.append(bytearray(16_000_000))


def _raise_unpicklable():
    raise UnpicklableError


HARMS = {
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda: os._exit(3),
    "abort": os.abort,
    "hang": lambda: time.sleep(3600),
    "allocate": _allocate,
    "unpicklable": _raise_unpicklable,
}


def _chunk(text, name, *, fallback):
    if name.startswith("once-") and fallback:
        name = "innocent"
    for harm, act in HARMS.items():
        if harm in name:
            act()
    if "raise" in name:
        return ("ValueError", "poisoned")
    return [Span(0, len(text), 1, 1, 1, None, "text", "", "")]
