"""Which files a search is restricted to, decided inside the query and so before any limit."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workspace.query.glob import translate

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

_GLOB_FUNCTION: Final = "workspace_glob"

_UNDER: Final = "({path} = :path OR ({path} > :above AND {path} < :beyond))"
"""`path` is a file or a directory that holds it: two ranges of an index, in which no character is special."""

_ROWS_BY_PATH: Final = f"SELECT id FROM chunks WHERE {_UNDER.format(path='abs_path')}"
_ROWS_BY_GLOB: Final = (
    "SELECT c.id FROM files d CROSS JOIN chunks c ON c.abs_path = d.abs_path"
    f" WHERE {_GLOB_FUNCTION}(d.abs_path, d.root_path)"
)
"""From files to their rows (CROSS JOIN forbids the other order), so that each file is looked at once."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """A subquery that gives the ids of the rows allowed (empty: all are), and the values it needs."""

    rows: str = ""
    bindings: dict[str, str] = field(default_factory=dict)


def restrict(connection: apsw.Connection, *, path: str | None, glob: str | None) -> Restriction:
    """Return the restriction to files at or below `path` whose name or path fits `glob`; empty ones restrict nothing.

    A `glob` is matched by a function that this registers on `connection`, for the query that comes next.
    """
    bindings = _path_range(resolve_prefix(path)) if path else {}
    if not glob:
        return Restriction(_ROWS_BY_PATH if path else "", bindings)
    connection.create_scalar_function(_GLOB_FUNCTION, glob_matcher(glob), 2)
    under = f" AND {_UNDER.format(path='d.abs_path')}" if path else ""
    return Restriction(_ROWS_BY_GLOB + under, bindings)


def resolve_prefix(path: str, *, directory: str | None = None) -> str:
    """Return `path` as the index holds it: absolute, with ``~`` and symbolic links resolved.

    A relative path starts at `directory`, by default the current one. The path need not exist.
    """
    expanded = os.path.expanduser(path)  # noqa: PTH111 - pathlib drops what a string can hold, such as ``a//b``
    if directory is not None:
        expanded = os.path.join(directory, expanded)  # noqa: PTH118 - same
    try:
        return os.path.realpath(expanded)
    except ValueError:  # it holds a NUL, as no path does
        return expanded


def _path_range(path: str) -> dict[str, str]:
    try:
        path.encode()
    except UnicodeEncodeError:  # not UTF-8, as no path in the index is
        path = "\0"
    path = path.rstrip(os.sep)
    return {"path": path, "above": path + os.sep, "beyond": path + chr(ord(os.sep) + 1)}


def glob_matcher(glob: str) -> Callable[..., bool]:
    """Return a function that says whether a file's absolute path, below a root, fits `glob`.

    As in a ``.gitignore`` at the root: without a slash, `glob` is matched with the file's name; with one, with the
    path relative to the root. One that begins with a slash may also be an absolute path.
    """
    name_only = "/" not in glob.removesuffix("/")
    fits = re.compile(translate("**/" + glob if name_only else glob.removeprefix("/")), re.DOTALL).fullmatch
    absolute = glob.startswith("/")

    def matches(path: str, root: str) -> bool:
        relative = path[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
        return fits(relative) is not None or (absolute and fits(path.replace(os.sep, "/")[1:]) is not None)

    return matches
