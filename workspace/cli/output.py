"""Where bytes leave the process: one document on stdout, errors on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from workspace.types import WorkspaceError

if TYPE_CHECKING:
    from typing import TextIO

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters, C0 and C1: colours, cursor movement, titles of windows
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"  # line breaks and reordering of text that nobody sees
    "\ud800-\udfff]"  # bytes of a file name that are not UTF-8
)


def visible(text: str) -> str:
    """Return `text` on one line, with what would act on a terminal (colours, say) written as a visible escape."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def write_json(document: Any) -> None:  # noqa: ANN401 - whatever JSON can say
    """Write one JSON document to stdout, in UTF-8 whatever the locale says."""
    write_bytes(_encoded(document))


def write_text(text: str) -> None:
    """Write text for people to stdout, in the encoding of the terminal; what that lacks is shown as an escape."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write_bytes(text.encode(encoding, "backslashreplace"))


def write_bytes(content: bytes) -> None:
    """Write to stdout, now.

    Raises:
        BrokenPipeError: the reader has gone; the interpreter's own attempt to write at exit is then in vain, and quiet.
        WorkspaceError: there is no stdout, or it takes no more.
    """
    if sys.stdout is None:
        raise WorkspaceError("standard output is closed")
    try:
        rest = memoryview(content)
        while rest:  # an unbuffered stream, as PYTHONUNBUFFERED makes it, may take a part
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except OSError as error:
        _discard_the_rest(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        raise WorkspaceError(f"standard output cannot be written: {error.strerror}") from error


def write_error(kind: str, message: str, *, human: bool) -> None:
    """Write why a command failed to stderr: one line, in JSON or for people."""
    if human:
        line = f"error: {visible(message)}\n".encode(
            getattr(sys.stderr, "encoding", None) or "utf-8", "backslashreplace"
        )
    else:
        line = _encoded({"error": {"type": kind, "message": message}})
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(line)
        sys.stderr.buffer.flush()
    except OSError:  # nobody listens
        _discard_the_rest(sys.stderr)


def _encoded(document: Any) -> bytes:  # noqa: ANN401 - see write_json
    """Return a document as a line of UTF-8.

    A lone surrogate, which stands for a byte in a file name, becomes the escape that JSON has for it.
    """
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _discard_the_rest(stream: TextIO) -> None:
    """Lead a stream that takes no more to nowhere: at exit, the interpreter fails if it cannot write what is left."""
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
