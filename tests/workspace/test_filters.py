"""Which files ``path`` and ``glob`` let through."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from workspace.query.filters import glob_matcher, resolve_prefix

if TYPE_CHECKING:
    from pathlib import Path

ROOT = "/home/me/notes"
PATHS = [
    "a", "b", "ab", "a.md", "b.md", "A.md", "a]b", "a-b", "a\\b", "a*b", "[a", "a\nb", "^a",
    "a/a", "a/b", "a/b.md", "a/b/a", "a/b/a.md", "a/b/a/b", "b/a/b/a/b", "ab/a.md", "b/ab/a/ab", "a.md/b", "z/y/x/a",
]  # fmt: skip


def covered(glob: str, paths: list[str] = PATHS) -> set[str]:
    matches = glob_matcher(glob)
    return {path for path in paths if matches(f"{ROOT}/{path}", ROOT)}


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("a.md", {"a.md", "a/b/a.md", "ab/a.md"}),
        ("*.md", {"a.md", "b.md", "A.md", "a/b.md", "a/b/a.md", "ab/a.md"}),
        ("[ab].md", {"a.md", "b.md", "a/b.md", "a/b/a.md", "ab/a.md"}),
        ("a/*", {"a/a", "a/b", "a/b.md"}),
        ("a/*.md", {"a/b.md"}),
        ("a/**", {"a/a", "a/b", "a/b.md", "a/b/a", "a/b/a.md", "a/b/a/b"}),
        ("a/**/*.md", {"a/b.md", "a/b/a.md"}),
        ("**/b/a", {"a/b/a"}),
        ("**/b/**", {"a/b/a", "a/b/a.md", "a/b/a/b", "b/a/b/a/b", "b/ab/a/ab"}),
        ("ab/", {"ab/a.md", "b/ab/a/ab"}),
        ("a/b/", {"a/b/a", "a/b/a.md", "a/b/a/b"}),
        ("/a.md", {"a.md"}),
        ("/home/me/notes/a/*.md", {"a/b.md"}),
        ("/home/**/b.md", {"b.md", "a/b.md"}),
        ("home/me/notes/a/*.md", set()),
        ("**", set(PATHS)),
        ("*", set(PATHS)),
        ("/", set()),
        ("[", set()),
        ("\udcff", set()),
    ],
)
def test_a_glob_covers(glob: str, expected: set[str]):
    assert covered(glob) == expected


def test_a_character_is_one_whatever_its_bytes():
    """Other than git, which sees bytes."""
    assert covered("?[é-ü]", ["aé", "éé", "é", "aa"]) == {"aé", "éé"}


def test_a_root_may_be_the_root_of_the_file_system():
    assert glob_matcher("etc/*.conf")("/etc/a.conf", "/")
    assert not glob_matcher("etc/*.conf")("/opt/etc/a.conf", "/")


def test_no_glob_takes_long():
    """Backtracking would not end within the age of the universe."""
    assert not glob_matcher("*a" * 60 + "b")(f"{ROOT}/{'a' * 250}", ROOT)
    assert not glob_matcher("**/" * 60 + "b")(f"{ROOT}/{'a/' * 100}a", ROOT)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("repository")
    git(path, "init", "-q")
    return path


def git(directory: Path, *arguments: str, given: str = "") -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(directory), *arguments]
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=False, env=environment)
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout.decode()


def covered_by_git(repository: Path, pattern: str) -> set[str]:
    """What git ignores by the paths of files; that a directory ignored takes all with it is undone by ``!*/``."""
    undone = "" if pattern.endswith("/") else "\n!*/"
    (repository / ".gitignore").write_bytes(f"{pattern}{undone}\n".encode())
    output = git(repository, "check-ignore", "--no-index", "--stdin", "-z", given="\0".join(PATHS))
    return set(filter(None, output.split("\0")))


NAMES = ["a", "b", "ab", ".md", "A", "]", "-", "^", "/", "/", "/**", "**/"]
WILDCARDS = ["*", "*", "**", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]]", "[z-a]", "[\\]a]", "[a-]"]
ESCAPES = ["\\a", "\\*", "\\\\", "\\", "[", "[a"]
PIECES = st.sampled_from(NAMES + WILDCARDS + ESCAPES)


@settings(max_examples=300)
@given(st.lists(PIECES, min_size=1, max_size=6).map("".join))
@example("a[!/]b")
@example("a/**/")
@example("**/a/**/b")
@example("**a")
@example("a\\")
@example("a//b")
@example("[!a")
@example("[]")
def test_a_glob_means_what_git_makes_of_it(repository: Path, glob: str):
    assume(not re.search(r"[^/]\*\*", glob))  # git cuts off what precedes, and so takes the stars for a component
    relative = glob.lstrip("/") or "a"  # with a slash at its front, it may be an absolute path as well
    assert covered(relative) == covered_by_git(repository, relative)


# --- path ----------------------------------------------------------------------------------------------------


def test_a_prefix_is_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    real = os.path.realpath(tmp_path / "real")
    for raw in ("real", "./real/", "~/real", "link", "~/link/../real", str(tmp_path / "link")):
        assert resolve_prefix(raw) == real
    assert resolve_prefix("sub", directory=str(tmp_path / "link")) == os.path.join(real, "sub")  # noqa: PTH118
    assert resolve_prefix("link/not yet/there") == os.path.join(real, "not yet", "there")  # noqa: PTH118
    assert resolve_prefix("/") == "/"
