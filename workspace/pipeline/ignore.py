"""Which entries of a tree are ignored. The only importer of pathspec, which translates globs; git is the model.

Only pathspec's translation is used, not its matching: a walk needs the verdict on an entry itself, and none of
its optional back-ends may have a say in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from workspace.constants import SECRET_PATTERNS
from workspace.pipeline.ignore_pattern import DeadPatternError, Pattern, parse_pattern, pattern_lines

Complain = Callable[[int, str], None]
"""Is told the number of a line that matches nothing or hardly what was meant, and what is wrong with it."""

_Matches = Callable[[bytes], re.Match[bytes] | None]

_GROUP_NAME: Final = re.compile(rb"\(\?P<\w+>")
"""pathspec names a group in every expression, and a name may occur but once in a joined one. (A literal ``(?P<`` in a
pattern comes out escaped, so nothing else looks like this.)"""

_STAR_BEFORE_STAR: Final = re.compile(
    rb"\[\^/\]\*((?:\\.|\[(?!\^/\]\*)\]?[^\]]*\]|[^\\\[(/])*)(?=\[\^/\]\*)", re.DOTALL
)
"""What pathspec makes of a star, up to another one in the same component. The first match of what lies between is as
good as any later one, since the second star takes the rest. To say so keeps ``*a*a*a*a*b`` from taking years."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Neighbouring lines of one ignore file that give one verdict. `depth` is the length of the file's directory."""

    ignored: bool
    names: _Matches | None
    paths: _Matches | None
    depth: int


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in force in one directory, for its own entries, strongest first.

    The methods take that directory as bytes below the root, each of its components followed by a slash, and the name
    of an entry in it. They judge that entry alone: what is below an ignored directory must not be asked for.
    """

    _for_files: tuple[_Step, ...]
    _for_folders: tuple[_Step, ...]

    @classmethod
    def of_root(cls, content: bytes, complain: Complain) -> Rules:
        """Return the rules of a root whose ignore file holds `content`. The secret patterns lie below it."""
        secrets = [parse_pattern(line.encode()) for line in SECRET_PATTERNS]
        return cls(*_steps_of([*secrets, *_patterns(content, complain)], 0))

    def in_folder(self, folder: bytes, content: bytes, complain: Complain) -> Rules:
        """Return the rules of `folder`, whose own ignore file holds `content`; its parent has these rules."""
        for_files, for_folders = _steps_of(list(_patterns(content, complain)), len(folder))
        return Rules(for_files + self._for_files, for_folders + self._for_folders)

    def ignore_file(self, folder: bytes, name: bytes) -> bool:
        """Tell whether a file is ignored."""
        return _is_ignored(self._for_files, folder, name)

    def ignore_folder(self, folder: bytes, name: bytes) -> bool:
        """Tell whether a directory is ignored, and everything below it."""
        return _is_ignored(self._for_folders, folder, name)


def _is_ignored(steps: tuple[_Step, ...], folder: bytes, name: bytes) -> bool:
    name += b"/"
    for step in steps:
        if (step.names and step.names(name)) or (step.paths and step.paths(folder[step.depth :] + name)):
            return step.ignored
    return False


def _patterns(content: bytes, complain: Complain) -> Iterator[Pattern]:
    for number, line in pattern_lines(content):
        shown = line.decode(errors="backslashreplace")
        try:
            pattern = parse_pattern(line)
        except DeadPatternError as error:
            complain(number, f"{shown!r} matches nothing: {error}")
            continue
        if pattern.doubt is not None:
            complain(number, f"{shown!r} is doubtful: {pattern.doubt}")
        yield pattern


def _steps_of(patterns: list[Pattern], depth: int) -> tuple[tuple[_Step, ...], tuple[_Step, ...]]:
    """Return what one ignore file says of files, and what of directories."""
    for_files = [pattern for pattern in patterns if not pattern.folders_only]
    return tuple(_steps(for_files, depth)), tuple(_steps(patterns, depth))


def _steps(patterns: list[Pattern], depth: int) -> Iterator[_Step]:
    for negated, run in groupby(reversed(patterns), key=lambda pattern: pattern.negated):
        alike = list(run)
        names = _matcher(glob for pattern in alike if not pattern.by_path for glob in pattern.globs)
        paths = _matcher(glob for pattern in alike if pattern.by_path for glob in pattern.globs)
        yield _Step(not negated, names, paths, depth)


def _matcher(globs: Iterable[bytes]) -> _Matches | None:
    """Return a test for whether any of the globs matches a name or a path that a slash was added to."""
    expressions = dict.fromkeys(map(_expression, globs))
    return re.compile(b"|".join(expressions), re.DOTALL).fullmatch if expressions else None


def _expression(glob: bytes) -> bytes:
    """Translate one glob, as the name of a directory: then nothing of it can look like a comment or padding."""
    expression, _ = GitIgnoreSpecPattern.pattern_to_regex(b"/%b/" % glob)
    if expression is None:
        raise AssertionError(f"pathspec takes {glob!r} for no pattern")
    return _STAR_BEFORE_STAR.sub(rb"(?>[^/]*?\1)", _GROUP_NAME.sub(b"(?:", expression))
