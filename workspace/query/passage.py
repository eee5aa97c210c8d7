"""The part of a row that is shown: whole lines, around the densest group of matches."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Final

from workspace.query.budget import Room, encoded_size
from workspace.query.matches import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workspace.text.lines import LineMap

_SAMPLE_CHARS: Final = 4_000
"""Characters from which the bytes of the others are estimated."""

_NEGLIGIBLE: Final = 1e-9
"""Below it lies what rounding makes of two equal sums."""


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the offsets of ``text[start:end]`` without the empty lines around it; its last line keeps its end."""
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip("\r\n"))
    last = start + len(piece.rstrip("\r\n"))
    if first >= last:
        return start, end
    return first, min(end, last + (2 if text.startswith("\r\n", last) else 1))


def best_passage(text: str, lines: LineMap, matches: Sequence[Match], room: Room) -> tuple[int, int]:
    """Return the offsets of the part of `text`, too long for it as a whole, that best fills `room`.

    It consists of whole lines with their line ends, and neither begins nor ends with empty ones. Only where a single
    line does not fit is it a part of that line. `lines` are those of `text`, `matches` are in order; without any, the
    part is the beginning of `text`.
    """
    # The size may be the limit, where characters take several bytes. In characters that is an estimate, as a start.
    sample = text[:_SAMPLE_CHARS]
    limit = min(room.chars, room.size * len(sample) // encoded_size(sample))
    top, _ = trimmed(text, 0, len(text))
    group = densest_group(matches or [Match(top, top, "")], limit)
    first, last = _lines_that_fit(text, lines, group, room)
    start, end = lines.start_of(first), lines.end_of(last)
    if room.holds(text[start:end]):
        return trimmed(text, *_grown(text, lines, first, last, room))
    end = start + len(text[start:end].rstrip("\r\n"))
    anchor = next((match.start for match in group if start <= match.start < end), start)
    return _cut(text, start, end, anchor, room)


def widened(text: str, lines: LineMap, span: tuple[int, int], count: int, room: Room) -> tuple[int, int]:
    """Return the offsets of the lines that `span` of `text` lies in and of `count` around them on each side.

    Lines that do not fit into `room` are left out, the farther ones first; empty ones at either end go too.
    """
    start, end = span
    first, last = lines.line_at(start), lines.line_at(max(start, end - 1))
    own = text[lines.start_of(first) : lines.end_of(last)]
    if not room.holds(own):
        return span
    first = _reach(text, lines, first, max(1, first - count), room.without(own).half())
    left = room.without(text[lines.start_of(first) : lines.end_of(last)])
    last = _reach(text, lines, last, min(lines.count, last + count), left)
    return trimmed(text, lines.start_of(first), lines.end_of(last))


def densest_group(matches: Sequence[Match], limit: int) -> Sequence[Match]:
    """Return the consecutive matches within `limit` characters that say most, the first such group.

    Each different word counts 1 (a phrase as much as it has words), and each match its share in the matches of its
    word: of two groups with the same words the one wins that holds more of the rarer ones, which tell places apart.
    """
    totals = Counter([match.word for match in matches])
    first_counts = {word: word.count(" ") + 1 for word in totals}
    each_counts = {word: 1 / total for word, total in totals.items()}
    inside = dict.fromkeys(totals, 0)
    worth = best = 0.0
    best_start, best_end = 0, 1
    start = 0
    for end, (_, match_end, word) in enumerate(matches):
        worth += each_counts[word] if inside[word] else first_counts[word] + each_counts[word]
        inside[word] += 1
        while match_end - matches[start].start > limit and start < end:
            left = matches[start].word
            inside[left] -= 1
            worth -= each_counts[left] if inside[left] else first_counts[left] + each_counts[left]
            start += 1
        if worth > best + _NEGLIGIBLE:
            best, best_start, best_end = worth, start, end + 1
    return matches[best_start:best_end]


def _lines_that_fit(text: str, lines: LineMap, group: Sequence[Match], room: Room) -> tuple[int, int]:
    """Return the first and last line of `group`, without those at either end, poorer first, that do not fit.

    One line is left at least, whether it fits or not.
    """
    hit = sorted(lines.line_at(offset) for match in group for offset in (match.start, max(match.start, match.end - 1)))
    while hit[0] < hit[-1] and not room.holds(text[lines.start_of(hit[0]) : lines.end_of(hit[-1])]):
        poorer = hit[0] if hit.count(hit[0]) < hit.count(hit[-1]) else hit[-1]
        hit = [line for line in hit if line != poorer]
    return hit[0], hit[-1]


def _grown(text: str, lines: LineMap, first: int, last: int, room: Room) -> tuple[int, int]:
    """Return the offsets of lines `first` to `last` and of as many around them, on both sides, as there is room for."""

    def left() -> Room:
        return room.without(text[lines.start_of(first) : lines.end_of(last)])

    first = _reach(text, lines, first, 1, left().half())
    last = _reach(text, lines, last, lines.count, left())
    first = _reach(text, lines, first, 1, left())
    return lines.start_of(first), lines.end_of(last)


def _reach(text: str, lines: LineMap, line: int, goal: int, room: Room) -> int:
    """Return the last line on the way from `line` to `goal` up to which those that follow `line` fit into `room`."""
    chars, size = room.chars, room.size
    step = 1 if goal > line else -1
    for following in range(line + step, goal + step, step):
        piece = text[lines.start_of(following) : lines.end_of(following)]
        chars, size = chars - len(piece), size - encoded_size(piece)
        if chars < 0 or size < 0:
            break
        line = following
    return line


def _cut(text: str, start: int, end: int, anchor: int, room: Room) -> tuple[int, int]:
    """Return the offsets of the part of the line ``text[start:end]`` around `anchor` that fills `room`."""
    lead = room.half().half()  # comes before the first match
    first = anchor - _prefix_that_fits(text[max(start, anchor - lead.chars) : anchor][::-1], lead)
    last = first + _prefix_that_fits(text[first : min(end, first + room.chars)], room)
    if last == end:
        first = end - _prefix_that_fits(text[max(start, end - room.chars) : end][::-1], room)
    return first, last


def _prefix_that_fits(text: str, room: Room) -> int:
    """Return the length of the longest prefix of `text`, itself not longer than `room.chars`, that fits."""
    return bisect_right(range(len(text) + 1), room.size, key=lambda length: encoded_size(text[:length])) - 1
