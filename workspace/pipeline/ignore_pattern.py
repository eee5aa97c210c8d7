"""One line of an ignore file: what git makes of it, said again in globs that leave no room for another reading.

Git compares bytes, and has corners that its manual does not describe. What is found here is written down in a subset
of the glob language that pathspec translates as git would match it:

- a glob names an entry itself, never what is below it, and is anchored (`Pattern.by_path` says to what);
- a backslash stands only before ``* ? [`` or another backslash;
- a bracket expression is a list of bytes and ranges: no classes, no negation, no escapes, never a slash;
- ``**`` is a whole component, never the last; no component is a lone ``*`` (it is written ``?*``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
SPECIAL: Final = b"*?[\\"
SLASH: Final = b"/"
ESCAPED_SLASH: Final = b"\\/"

DOUBLE_STAR: Final[dict[tuple[bytes, bool], tuple[bytes, ...]]] = {
    (b"**", True): (b"**/?*",),
    (b"**/", True): (b"**/",),
    (b"**\\/", True): (b"?*/**/",),
    (b"**", False): (b"*", b"*/**/?*"),
    (b"**/", False): (b"", b"*/**/"),
    (b"**\\/", False): (b"*/**/",),
}
"""What a ``**`` that ends its component stands for, by whether it also starts it. Where it does not, only literal text
stands before it: git compares that text first and is left with a pattern that starts with ``**``, so that
``foo**/bar`` matches foobar, foo/bar and foox/y/bar. A slash that is escaped is not one that ``**`` can swallow."""

NAME_BYTES: Final = frozenset(range(1, 256)) - frozenset(SLASH)
"""All bytes that a file name can hold."""

_DIGITS: Final = b"0123456789"
_UPPER: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER: Final = b"abcdefghijklmnopqrstuvwxyz"
_PUNCTUATION: Final = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
CLASSES: Final = {
    b"alnum": _DIGITS + _UPPER + _LOWER,
    b"alpha": _UPPER + _LOWER,
    b"blank": b" \t",
    b"cntrl": bytes(range(1, 32)) + b"\x7f",
    b"digit": _DIGITS,
    b"graph": _DIGITS + _UPPER + _LOWER + _PUNCTUATION,
    b"lower": _LOWER,
    b"print": _DIGITS + _UPPER + _LOWER + _PUNCTUATION + b" ",
    b"punct": _PUNCTUATION,
    b"space": b" \t\n\r",  # git's own table has neither vertical tab nor form feed
    b"upper": _UPPER,
    b"xdigit": _DIGITS + b"ABCDEFabcdef",
}
"""POSIX character classes as git has them, whatever the locale."""

_ATOM: Final = re.compile(rb"\*\*+(?P<end>\\?/|\Z)|(?P<star>\*+)|\\(?P<escaped>.)|(?P<plain>[^\\\[])", re.DOTALL)
_MEMBER: Final = re.compile(rb"\[:(?P<name>[^\]]*):\]|\\(?P<escaped>.)|(?P<plain>[^\\])", re.DOTALL)
_REST_OF_RANGE: Final = re.compile(rb"-(?:\\(?P<escaped>.)|(?P<plain>[^\]\\]))", re.DOTALL)


class DeadPatternError(ValueError):
    """No name can match the line; the text says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line, understood: it matches an entry that any of `globs` matches.

    If `by_path`, they are held against the path below the directory of the ignore file, else against the name.
    `doubt` says why the line may not be what its writer meant; it has its effect all the same.
    """

    negated: bool
    folders_only: bool
    by_path: bool
    globs: tuple[bytes, ...]
    doubt: str | None = None


def pattern_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that hold a pattern, with their numbers, split and trimmed as git does it."""
    for number, line in enumerate(content.removeprefix(BYTE_ORDER_MARK).split(b"\n"), start=1):
        if line.startswith(b"#"):
            continue
        text = _without_trailing_spaces(line.removesuffix(b"\r").partition(b"\0")[0])
        if text:
            yield number, text


def _without_trailing_spaces(line: bytes) -> bytes:
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    return line[: len(stripped) + backslashes % 2]  # an odd one escapes the space after it


def parse_pattern(line: bytes) -> Pattern:
    """Read one line of `pattern_lines`.

    Raises:
        DeadPatternError: no name can match it.
    """
    body = line.removeprefix(b"!") if (negated := line.startswith(b"!")) else line
    folders_only = body.endswith(SLASH)
    body = body.removesuffix(SLASH)
    by_path = SLASH in body
    body = body.removeprefix(SLASH)
    if not body:
        raise DeadPatternError("it names nothing")
    doubts: list[str] = []
    atoms = list(_atoms(body, doubts))
    if by_path:
        _refuse_empty_components(atoms)
        literal_text = re.match(rb"[^*?\[\\]*", body)
        globs = _path_globs(atoms, len(literal_text[0]) if literal_text else 0)
    else:
        globs = [b"".join(b"*" if atom == b"**" else atom for atom in atoms)]
    return Pattern(negated, folders_only, by_path, tuple(map(_without_lone_stars, globs)), next(iter(doubts), None))


def _atoms(body: bytes, doubts: list[str]) -> Iterator[bytes]:
    """Cut a glob into literal bytes, slashes, wildcards and bracket expressions, and add to `doubts`.

    A run of stars is one star, unless a slash or nothing follows it: then it is ``**``, and the slash belongs to it.
    """
    at = 0
    while at < len(body):
        if atom := _ATOM.match(body, at):
            at = atom.end()
            yield _plain_atom(atom)
        elif body[at : at + 1] == b"[":
            members, at = _bracket(body, at + 1, doubts)
            yield _list_of(members)
        else:
            raise DeadPatternError("its last backslash escapes nothing")


def _plain_atom(atom: re.Match[bytes]) -> bytes:
    if atom["end"] is not None:
        return b"**" + atom["end"]
    if atom["star"]:
        return b"*"
    if atom["escaped"]:
        return ESCAPED_SLASH if atom["escaped"] == SLASH else _literal(ord(atom["escaped"]))
    return atom[0]


def _literal(byte: int) -> bytes:
    return b"\\%c" % byte if byte in SPECIAL else b"%c" % byte


def _bracket(body: bytes, at: int, doubts: list[str]) -> tuple[frozenset[int], int]:
    """Return the bytes that a bracket expression matches, and where it ends; `at` is just after its ``[``."""
    is_negated = body[at : at + 1] in {b"!", b"^"}
    start = at = at + is_negated
    members: set[int] = set()
    previous: int | None = None  # what a range may start with
    while at == start or body[at : at + 1] != b"]":  # in front, a closing bracket is a member
        if previous is not None and (rest := _REST_OF_RANGE.match(body, at)):
            last = ord(rest["escaped"] or rest["plain"])
            if last < previous:  # all there is of it is its first byte, which is a member already
                doubts.append("a range in it runs backwards")
            members.update(range(previous, last + 1))
            previous, at = None, rest.end()
        elif member := _MEMBER.match(body, at):
            found = _class(member["name"]) if member["name"] is not None else member["escaped"] or member["plain"]
            members.update(found)
            previous, at = ord(found) if member["name"] is None else None, member.end()
        else:
            raise DeadPatternError("its bracket is never closed")
    matched = NAME_BYTES - members if is_negated else NAME_BYTES & members
    if not matched:
        raise DeadPatternError("its bracket holds nothing that is in names")
    return matched, at + 1


def _class(name: bytes) -> bytes:
    if name not in CLASSES:
        raise DeadPatternError(f"there is no class [:{name.decode(errors='backslashreplace')}:]")
    return CLASSES[name]


def _list_of(members: frozenset[int]) -> bytes:
    """Write a bracket expression that a glob and a regular expression read alike.

    A closing bracket is a member only in front, a hyphen only at the end. Where there is no closing bracket, a byte
    that no name holds takes the front, since ``! ^ [`` mean something else there.
    """
    if len(members) == 1:
        return _literal(*members)
    closing, hyphen = ord("]"), ord("-")
    ranked = enumerate(sorted(members - {closing, hyphen}))
    runs = [bytes(byte for _, byte in run) for _, run in groupby(ranked, key=lambda pair: pair[1] - pair[0])]
    text = b"".join(run if len(run) < 3 else b"%c-%c" % (run[0], run[-1]) for run in runs)
    return b"[%b%b%b]" % (b"]" if closing in members else b"\0", text, b"-" if hyphen in members else b"")


def _refuse_empty_components(atoms: list[bytes]) -> None:
    doubled = any(right in {SLASH, ESCAPED_SLASH} and left.endswith(SLASH) for left, right in pairwise([SLASH, *atoms]))
    if doubled or atoms[-1].endswith(SLASH):
        raise DeadPatternError("a part of its path is empty")


def _path_globs(atoms: list[bytes], literals: int) -> list[bytes]:
    """Return globs that together match what `atoms` do, of which so many are literal text before any wildcard."""
    globs = [b""]
    starts_component = True
    for index, atom in enumerate(atoms):
        texts: tuple[bytes, ...] = (atom,)
        if atom.startswith(b"**"):
            if not starts_component and index != literals:
                texts = (atom.removeprefix(b"*"),)
            elif atom == b"**/" and atoms[index + 1].startswith(b"**"):
                literals = index + 1  # the next one takes its place: together they match no more
                continue
            else:
                texts = DOUBLE_STAR[atom, starts_component]
        globs = [glob + text.replace(ESCAPED_SLASH, SLASH) for glob in globs for text in texts]
        starts_component = atom.endswith(SLASH)
    return globs


def _without_lone_stars(glob: bytes) -> bytes:
    return b"/".join(b"?*" if component == b"*" else component for component in glob.split(SLASH))
