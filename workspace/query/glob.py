"""Glob patterns of gitignore, as regular expressions over paths with ``/``."""

from __future__ import annotations

import re
from typing import Final

_PIECE: Final = re.compile(
    r"(?P<star>\*+)"
    r"|(?P<any>\?)"
    r"|\[(?P<negated>[!^]?)(?P<members>\]?+(?:\\.|[^\]\\])*)\]"
    r"|\\(?P<escaped>.)"
    r"|(?P<broken>[\[\\])"
    r"|(?P<literal>.)",
    re.DOTALL,
)
_MEMBER: Final = re.compile(r"\\?(?P<low>.)(?:-\\?(?P<high>.))?", re.DOTALL)
_REPEATED: Final = re.compile(r"(?<![^/])(?:\*\*/)+")
"""Several ``**`` components in a row say what one says, and would be tried in all combinations."""

_NOTHING: Final = "(?!)"
_ANY_DIRECTORIES: Final = "(?:[^/]+/)*"


def translate(pattern: str) -> str:
    r"""Return the regular expression, to match in full, of the relative paths that `pattern` covers.

    ``*`` and ``?`` stand for anything within a name, ``[a-z]`` and ``[!a-z]`` for one character, ``**`` as a whole
    component for any number of directories, and ``\`` takes the meaning from what follows. A pattern with a ``/`` at
    its end stands for directories, and covers all that is below them. As in git, an unclosed ``[`` and a ``\`` at the
    end match nothing.
    """
    *directories, last = _components(_REPEATED.sub("**/", pattern.removesuffix("/")))
    prefix = "".join(_ANY_DIRECTORIES if _is_any(name) else _component(name) + "/" for name in directories)
    below = "/.+" if pattern.endswith("/") else ""
    return prefix + (".+" if _is_any(last) else _component(last)) + below


def _components(pattern: str) -> list[list[re.Match[str]]]:
    """Return the pieces of each name in `pattern`; a slash between brackets separates none."""
    components: list[list[re.Match[str]]] = [[]]
    for piece in _PIECE.finditer(pattern):
        if (piece["escaped"] or piece["literal"]) == "/":
            components.append([])
        else:
            components[-1].append(piece)
    return components


def _is_any(component: list[re.Match[str]]) -> bool:
    return [piece[0] for piece in component] == ["**"]


def _component(pieces: list[re.Match[str]]) -> str:
    """Return the regular expression of one name.

    What follows a ``*`` is looked for once, at its first place, since a later one could do no better: an atomic group.
    Plain ``.*`` for each would take time that grows with the length of the name to the power of their number.
    """
    runs = [""]
    for piece in pieces:
        if piece["star"]:
            runs.append("")
        else:
            runs[-1] += _one(piece)
    first, *others = runs
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>[^/]*?{run})" for run in middle) + "[^/]*" + last


def _one(piece: re.Match[str]) -> str:
    """Return the regular expression of what stands for a single character."""
    if piece["any"]:
        return "[^/]"
    if piece["members"] is not None:
        return _class(piece["members"], negated=bool(piece["negated"]))
    if piece["broken"]:
        return _NOTHING
    return re.escape(piece["escaped"] or piece["literal"])


def _class(members: str, *, negated: bool) -> str:
    ranges = [(found["low"], found["high"] or found["low"]) for found in _MEMBER.finditer(members)]
    body = "".join(f"{re.escape(low)}-{re.escape(max(low, high))}" for low, high in ranges)
    return f"[^/{body}]" if negated else f"(?!/)[{body}]"
