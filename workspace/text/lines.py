r"""Lines as editors and ``read_file`` number them: ``\n``, ``\r\n`` or a lone ``\r`` ends one, and nothing else does.

(``str.splitlines`` also breaks at form feeds, U+0085, U+2028 and six more, after which every number would be wrong.)
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

_ENDS = "\r\n"


class LineMap:
    """The lines of one text, numbered from 1, in both directions between numbers and character offsets.

    `count` is the number of lines; a final line end opens no further line, and an empty text has none.
    """

    __slots__ = ("_length", "_starts", "count")

    def __init__(self, text: str) -> None:
        if "\r" in text:  # of the same length, and every line ends in \n alone
            text = text.replace("\r\n", " \n").replace("\r", "\n")
        self._length = len(text)
        self._starts = list(accumulate(map((1).__add__, map(len, text.split("\n"))), initial=0))
        del self._starts[-1]  # past the end
        if self._starts[-1] == self._length:
            del self._starts[-1]
        self.count = len(self._starts)

    def line_at(self, offset: int) -> int:
        """Return the number of the line that holds character `offset`; the last line's for any later offset."""
        return bisect_right(self._starts, offset)

    def start_of(self, line: int) -> int:
        """Return the offset of the first character of line number `line`."""
        return self._starts[line - 1]

    def end_of(self, line: int) -> int:
        """Return the offset just after the end of line number `line`, its line end included."""
        return self._starts[line] if line < self.count else self._length


def line_span(lines: LineMap, text: str, start: int, end: int) -> tuple[int, int]:
    """Return the numbers of the lines that hold the first and the last character of ``text[start:end]``.

    Line ends do not count as characters here: a text of 142 lines that ends in a line end spans 1 to 142. Where
    there is nothing but line ends, both numbers are that of the line that holds the first of them.
    """
    piece = text[start:end]
    body = piece.strip(_ENDS)
    if not body:
        return lines.line_at(start), lines.line_at(start)
    first = start + len(piece) - len(piece.lstrip(_ENDS))
    return lines.line_at(first), lines.line_at(first + len(body) - 1)


def whole_span_lines(text: str) -> tuple[int, int]:
    """Return what `line_span` says of the whole of `text`, without the cost of a map; (1, 1) if it is empty."""
    body = text.strip(_ENDS)
    if not body:
        return 1, 1
    first = 1 + _count_ends(text[: len(text) - len(text.lstrip(_ENDS))])
    return first, first + _count_ends(body)


def _count_ends(text: str) -> int:
    returns = text.count("\r")
    pairs = text.count("\r\n") if returns else 0
    return text.count("\n") + returns - pairs
