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


def _chunk(text, name, *, fallback):
    if name.startswith("once-") and fallback:
        name = "innocent"
    if "segfault" in name:
        os.kill(os.getpid(), signal.SIGSEGV)
    elif "killed" in name:
        os.kill(os.getpid(), signal.SIGKILL)
    elif "exit" in name:
        os._exit(3)
    elif "hang" in name:
        time.sleep(3600)
    elif "unpicklable" in name:
        raise UnpicklableError
    elif "raise" in name:
        return ("ValueError", "poisoned")
    return [Span(0, len(text), 1, 1, 1, None, "text", "", "")]
