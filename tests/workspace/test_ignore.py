"""What a line of an ignore file means is what git makes of it: whole trees are compared with git's own listing."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workspace.pipeline
from workspace.constants import SECRET_PATTERNS
from workspace.pipeline.coverage import Coverage
from workspace.types import Root

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")

Tree = dict[bytes, bytes]  # path -> content, ignore files included


# --- The two sides ------------------------------------------------------------------------------------------

NOWHERE = {"HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null"}
GIT_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | NOWHERE
GIT_ENVIRONMENT |= {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def git(repository: Path, *arguments: str) -> bytes:
    command = ["git", "-C", os.fspath(repository), *arguments]
    return subprocess.run(command, env=GIT_ENVIRONMENT, check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def repository():
    """A fresh repository that knows no rules but the secret patterns.

    It lies in memory where that is to be had: thousands of directories are made and removed, which disks are slow at.
    """
    memory = "/dev/shm"  # noqa: S108 - the directory made in it has a name of its own
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        path = Path(name).resolve()
        git(path, "init", "--quiet")
        (path / ".git/info/exclude").write_text("\n".join(SECRET_PATTERNS) + "\n")
        yield path


@pytest.fixture(scope="module", params=["every back-end", "no back-end but re"])
def discovery(request: pytest.FixtureRequest):
    """Discovery as it is with what is installed here, and as it is where pathspec has only Python's own `re`."""
    patch = pytest.MonkeyPatch()
    if request.param != "every back-end":
        patch.setitem(sys.modules, "re2", None)
        patch.setitem(sys.modules, "hyperscan", None)
    for leaf in ("ignore", "discover"):
        patch.setattr(workspace.pipeline, leaf, None, raising=False)
        patch.delitem(sys.modules, f"workspace.pipeline.{leaf}", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "pathspec"]:
        patch.delitem(sys.modules, name)
    yield importlib.import_module("workspace.pipeline.discover")
    patch.undo()


def shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def name_of(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def listed_by_git(repository: Path) -> set[str]:
    paths = git(repository, "ls-files", "-co", "--exclude-standard", "-z").split(b"\0")
    return {shown(path) for path in paths if path and name_of(path) != b".gitignore"}


def listed_by_us(discovery, repository: Path, tree: str) -> set[str]:
    """Return all that is not ignored: also what is then refused because its name is not UTF-8."""
    options = discovery.DiscoverOptions((Root(f"{repository}/{tree}", recursive=True),), 1 << 20, frozenset(), {})
    batches = discovery.discover(options, Coverage(), warn=lambda _: None)
    return {os.path.relpath(item.path, repository) for batch in batches for item in batch}


def plant(top: Path, tree: Tree) -> None:
    for path, content in tree.items():
        target = top / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def compare(discovery, repository: Path, trees: list[Tree]) -> set[str]:
    """Demand that both list the same in every tree, and return that. A tree is a root of ours, a directory of git's."""
    names = [f"tree{number}" for number in range(len(trees))]
    try:
        for name, tree in zip(names, trees, strict=True):
            plant(repository / name, tree)
        by_git = listed_by_git(repository)
        by_us = set().union(*(listed_by_us(discovery, repository, name) for name in names))
        assert by_git == by_us
        return by_us
    finally:
        for name in names:
            shutil.rmtree(repository / name, ignore_errors=True)


# --- Generated trees ----------------------------------------------------------------------------------------

NAMES = [
    *(b"a", b"b", b"ab", b"abc", b"a.c", b"b.c", b"A", b"foo", b"fo", b"foobar", b"bar", b".a", b".github", b"1", b"_"),
    *(b"a b", b" a", b"a ", b"a  ", b"a\t", b"a\r", b"a\n", b"x\ny", b"\x0b", b"a\xc2\xa0", b"a\xc2\x85"),
    *(b"\xc3\xa9", b"\xc3\xa0", b"\xe2\x80\xa6", b"[", b"]", b"a[b]", b"a\\b", b"a\\", b"*", b"**", b"?", b"-", b"^"),
    *(b"!a", b"#a", b"a-b", b"$a", b"(a|b)", b"(?P<x>a)", b"a+", b"{a}", b"~", b"&&", b".env", b"x.pem", b"\xff"),
]
FOLDER_NAMES = [name for name in NAMES if name.isascii()]

ATOMS = [
    *(
        b"*",
        b"*",
        b"**",
        b"***",
        b"?",
        b"/",
        b"/",
        b"/",
        b"a",
        b"b",
        b"foo",
        b"bar",
        b".c",
        b".",
        b"!",
        b"#",
        b" ",
        b"\t",
    ),
    *(b"\\", b"\\a", b"\\*", b"\\ ", b"\\/", b"\\[", b"]", b"[", b"\r", b"-", b"^", b"(", b"|", b"$", b"+", b"{"),
    *(
        b"[a-c]",
        b"[!a]",
        b"[^a]",
        b"[]a]",
        b"[!]a]",
        b"[a-]",
        b"[--/]",
        b"[z-a]",
        b"[z-ab]",
        b"[\\]]",
        b"[a\\-c]",
        b"[[:]",
    ),
    *(b"[[:alpha:]]", b"[[:space:]]", b"[![:punct:]]", b"[[:x:]]", b"[[a]", b"[/a]", b"[^/]", b"[a&&b]", b"[!^]"),
    *(b"\xc3\xa9", b"\xc3", b"[\xc3]", b"[\x80-\xff]", b"[+--]", b"[!-a]", b"[\\\\]", b"[*-~]"),
]
PARTS = [b"*", b"**", b"a", b"b", b"foo", b"fo*", b"foo**", b"*o", b"**a", b"a?", b"[a-f]*", b"x\\**"]
PREFIXES = [*[b""] * 6, b"!", b"!", b"!", b"/", b"!/", b"**/", b"#", b"\\", b"!!"]
SUFFIXES = [*[b""] * 6, b"/", b"/", b"/**", b"/*", b" ", b"  ", b"\\", b"**", b"\t", b"\\ ", b"//", b"\0x"]
IDIOMS = [
    *([b"*", b"!*/", b"!*.c"], [b"/*", b"!/a", b"!/foo/"], [b"*", b"!.gitignore", b"!foo/**"]),
    *([b"**/*", b"!**/", b"!a"], [b"a/**", b"!a/b/"], [b"a", b"!a/"], [b"a/", b"!a"], [b"!.env", b"!*.pem"], []),
]


@st.composite
def patterns(draw: st.DrawFn, known: list[bytes]) -> bytes:
    """A line that has a chance to hit: a path of the tree, often with a piece of it replaced, or parts put together."""
    how = draw(st.sampled_from(["atoms", "parts", "path", "changed", "changed"]))
    if how == "atoms":
        body = b"".join(draw(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5)))
    elif how == "parts":
        body = b"/".join(draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4)))
    else:
        body = draw(st.sampled_from(known))
        if how == "changed":
            start = draw(st.integers(0, len(body)))
            body = body[:start] + draw(st.sampled_from(ATOMS)) + body[start + draw(st.integers(0, 3)) :]
    line = draw(st.sampled_from(PREFIXES)) + body + draw(st.sampled_from(SUFFIXES))
    return line.replace(b"\n", b"?")


@st.composite
def ignore_files(draw: st.DrawFn, known: list[bytes]) -> bytes:
    lines = draw(st.sampled_from(IDIOMS)) + draw(st.lists(patterns(known), max_size=5))
    end = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    mark = draw(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf"]))
    return mark + end.join(lines) + draw(st.sampled_from([end, b"", b" "]))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    above = st.lists(st.sampled_from(FOLDER_NAMES), max_size=3)
    paths = draw(st.lists(st.tuples(above, st.sampled_from(NAMES)), min_size=3, max_size=14))
    folders = {b"/".join(parts[:depth]) for parts, _ in paths for depth in range(len(parts) + 1)}
    files = {b"/".join([*parts, name]) for parts, name in paths} - folders
    known = sorted((files | folders) - {b""} | {name_of(path) for path in files})
    with_rules = [b"", *draw(st.lists(st.sampled_from(sorted(folders)), max_size=3))]
    return dict.fromkeys(files, b"x") | {
        (folder + b"/" if folder else b"") + b".gitignore": draw(ignore_files(known)) for folder in with_rules
    }


@settings(max_examples=150)
@given(several=st.lists(trees(), min_size=1, max_size=4))
def test_every_tree_is_listed_as_git_lists_it(discovery, repository: Path, several: list[Tree]):
    compare(discovery, repository, several)


# --- Cases that a translation by pathspec alone gets wrong, and the corners of git -----------------------------

CASES = {
    "a whitelist does not empty the walk": ("* !*/ !*.c", "a.c b a/a.c a/b", "a.c a/a.c"),
    "X/** is what is below X and not X": ("x/** !x/keep", "x/keep x/lose x/d/f y", "x/keep y"),
    "** alone is everything": ("** !a", "a b d/a", "a"),
    "a directory that is re-included is open again": ("x !x/", "x/a y/x", "x/a"),
    "also where the lines are anchored": ("/x !/x/ d/y !d/y/", "x/a x/b/c d/y/a e", "x/a x/b/c d/y/a e"),
    "nothing below an excluded directory comes back": ("x/ !x/a", "x/a b", "b"),
    "a later line beats an earlier one": ("*.log !a.log", "a.log b.log", "a.log"),
    "only a directory is meant by a final slash": ("x/", "x d/x/f", "x"),
    "a slash in the middle anchors": ("d/x", "d/x e/d/x x", "e/d/x x"),
    "a slash in front anchors": ("/x", "x d/x", "d/x"),
    "one star stays in its component": ("a/*/c", "a/c a/b/c a/b/b/c", "a/c a/b/b/c"),
    "two stars may be no component at all": ("a/**/c", "a/c a/b/c a/b/b/c b", "b"),
    "two stars in a component are one": ("a/?**/c", "a/bb/c a/b/b/c", "a/b/b/c"),
    "three stars are two": ("a/***/c", "a/c a/b/b/c b", "b"),
    "text before two stars is compared first": ("foo**/bar", "foobar foo/bar foox/y/bar fo/bar", "fo/bar"),
    "text before final stars is compared first": ("/foo**", "foo/a foox d/foo fo", "d/foo fo"),
    "repeated double stars are one": ("foo**/**/**/bar", "foobar foo/bar foox/y/bar b", "b"),
    "not after a wildcard, though": ("f?o**/bar", "foobar foo/bar foox/y/bar", "foobar foox/y/bar"),
    "a double star does not swallow an escaped slash": ("a/**\\/c", "a/c a/b/c", "a/c"),
    "nor does one that follows text": ("a**\\/c", "ac a/c ab/c b/c", "ac b/c"),
    "a question mark is one byte": ("?", "a é", "é"),
    "two question marks are two bytes": ("??", "ab é abc", "abc"),
    "a bracket never matches a slash": ("a[!x]b a[.-0]b", "a/b a.b axb", "a/b axb"),
    "a closing bracket in front is a member": ("[]a] [!]a]", "a ]", ""),
    "a backslash escapes within brackets": ("x[\\]a]", "xa x] xb", "xb"),
    "a caret negates as well": ("x[^a]", "xa xb", "xa"),
    "a class is a set": ("x[[:digit:]a]", "x1 xa xb", "xb"),
    "a range may end in an escape": ("x[a\\-c]", "xa x- xb", "xb"),
    "a range that runs backwards is its first byte": ("x[z-ab]", "xz xa xb", "xa"),
    "brackets are no set operations": ("x[a&&b] x[a--b] x[[a]", "x& xa xb x[ x-", "x-"),
    "brackets may hold what negates": ("x[a!^]", "x! x^ xa xb", "xb"),
    "an escaped wildcard is literal": ("\\* a\\?b \\[x]", "* a?b [x] aab x", "aab x"),
    "an escaped letter is that letter": ("\\f\\o", "fo f", "f"),
    "an escaped mark in front is literal": ("\\#a \\!b", "#a !b a b", "a b"),
    "a second mark is literal": ("* !!a", "!a a", "!a"),
    "a comment after a mark is none": ("* !#a", "#a a", "#a"),
    "empty components match nothing": ("a//b //a a//", "a/b", "a/b"),
    "case counts": ("A", "A a", "a"),
    "what is special in a regular expression is not": ("a+ (a|b) $a a.c", "a+ (a|b) $a a.c aa a abc", "aa a abc"),
    "secrets can be re-included": ("!.env", ".env x.pem d/.env", ".env d/.env"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_corners(discovery, repository: Path, case: str):
    """Lines, names and what is left are separated by spaces."""
    lines, names, left = (text.encode().split() for text in CASES[case])
    tree = dict.fromkeys(names, b"x") | {b".gitignore": b"\n".join(lines)}
    assert compare(discovery, repository, [tree]) == {f"tree0/{shown(name)}" for name in left}


PADDED = {
    "trailing spaces are dropped": (b"a  \nb", {b"a", b"b", b"a  "}, {b"a  "}),
    "but not escaped ones": (b"a\\ \nb\\  ", {b"a", b"a ", b"b", b"b "}, {b"a", b"b"}),
    "and a backslash before it may be escaped itself": (b"a\\\\ ", {b"a\\", b"a"}, {b"a"}),
    "a tab is a character": (b"a\t", {b"a", b"a\t"}, {b"a"}),
    "so are other blanks": (b"a\xc2\xa0\nb\xc2\x85\n\xc3\xa0", {b"a\xc2\xa0", b"a", b"b\xc2\x85", b"\xc3\xa0"}, {b"a"}),
    "leading spaces count": (b" a", {b"a", b" a"}, {b"a"}),
    "one carriage return ends a line with it": (b"a\r\nb\r\r\nc\r", {b"a", b"b", b"b\r", b"c"}, {b"b"}),
    "a form feed or a lone one does not": (b"a\x0cb\nc\rd", {b"a", b"b", b"a\x0cb", b"c", b"c\rd"}, {b"a", b"b", b"c"}),
    "a byte-order mark is dropped": (b"\xef\xbb\xbfa\nb", {b"a", b"b", b"\xef\xbb\xbfa"}, {b"\xef\xbb\xbfa"}),
    "a mark further down is not": (b"a\n\xef\xbb\xbfb", {b"a", b"b"}, {b"b"}),
    "a line ends at NUL": (b"a\0b\n\0c", {b"a", b"b", b"c"}, {b"b", b"c"}),
    "names may hold line ends": (b"x?y\nz*", {b"x\ny", b"z\n", b"xy"}, {b"xy"}),
    "a final line end in a name counts": (b"a\n/d/a", {b"a\n", b"d/a\n", b"d/a"}, {b"a\n", b"d/a\n"}),
    "names need not be text": (b"a\xff*", {b"a\xff", b"a\xffb", b"a\xfe"}, {b"a\xfe"}),
}  # fmt: skip


@pytest.mark.parametrize("case", PADDED)
def test_lines_are_split_and_trimmed(discovery, repository: Path, case: str):
    content, names, left = PADDED[case]
    tree = dict.fromkeys(names, b"x") | {b".gitignore": content}
    assert compare(discovery, repository, [tree]) == {f"tree0/{shown(name)}" for name in left}


CLASS_NAMES = [b"alnum", b"alpha", b"blank", b"cntrl", b"digit", b"graph", b"lower", b"print", b"punct", b"space"]
BRACKETS = [
    *(b"%b[:%b:]" % pair for pair in product([b"", b"!"], [*CLASS_NAMES, b"upper", b"xdigit"])),
    *(b"a-y", b"!a-y", b"\x80-\xff", b"--0", b"!-~", b"!]a-]", b"]-a", b"*-\\\\", b"^^", b"\\a-\\c-e", b"!z-a"),
    *(
        b"[-[:digit:]a",
        b"[:digit:]-a",
        b"a-[:digit:]",
        b"[-]",
        b"+-[-]",
        b"!!",
        b"!^",
        b"^!",
        b"&&",
        b"--",
        b"a-",
        b"-a",
    ),
]


def test_brackets_match_the_same_bytes(repository: Path):
    """Every bracket expression is tried with every byte that a name can hold."""
    from workspace.pipeline.ignore import Rules

    names = [b"x%c" % byte for byte in range(1, 256) if byte != ord("/")]
    by_us, paths = [], []
    for number, bracket in enumerate(BRACKETS):
        rule = b"x[%b]" % bracket
        plant(repository, {b"class%d/.gitignore" % number: rule})
        rules = Rules.of_root(rule, lambda *_: None)
        paths += [b"class%d/%b" % (number, name) for name in names]
        by_us += [b"class%d/%b" % (number, name) for name in names if rules.ignore_file(b"", name)]
    command = ["git", "-C", os.fspath(repository), "check-ignore", "--stdin", "-z", "--no-index"]
    by_git = subprocess.run(command, env=GIT_ENVIRONMENT, check=True, capture_output=True, input=b"\0".join(paths))
    assert by_git.stdout.split(b"\0")[:-1] == by_us


def test_many_stars_do_not_explode():
    """Naive backtracking would try 10^15 ways to find that these names do not match."""
    from workspace.pipeline.ignore import Rules

    rules = Rules.of_root(b"*a*a*a*a*a*a*a*a*[a-b]*?*a*c\nd/*a*a*a*a*a*a*a*a*a*a*a*c\n", lambda *_: None)
    assert not rules.ignore_file(b"", b"a" * 200)
    assert not rules.ignore_file(b"d/", b"a" * 200)
    assert rules.ignore_file(b"", b"a" * 200 + b"c")
    assert rules.ignore_file(b"d/", b"a" * 200 + b"c")


# --- Lines that can match nothing -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"!", "it names nothing"),
        (b"/", "it names nothing"),
        (b"foo\\", "its last backslash escapes nothing"),
        (b"foo\\/", "its last backslash escapes nothing"),
        (b"a[/]b", "its bracket holds nothing that is in names"),
        (b"[abc", "its bracket is never closed"),
        (b"[]", "its bracket is never closed"),
        (b"[a\\", "its bracket is never closed"),
        (b"[a-\\", "its bracket is never closed"),
        (b"[[:alfa:]]", "there is no class [:alfa:]"),
        (b"a//b", "a part of its path is empty"),
        (b"**//", "a part of its path is empty"),
    ],
)
def test_a_bad_line_costs_itself_only_and_is_reported(discovery, repository: Path, line: bytes, reason: str):
    from workspace.pipeline.ignore import Rules

    complaints: list[tuple[int, str]] = []
    content = b"# rules\na\n\n" + line + b"\nb\n"
    rules = Rules.of_root(content, lambda *complaint: complaints.append(complaint))
    assert complaints == [(4, f"{shown(line)!r} matches nothing: {reason}")]
    assert [rules.ignore_file(b"", name) for name in (b"a", b"b", b"c")] == [True, True, False]
    tree = {b".gitignore": content, b"a": b"x", b"b": b"x", b"c": b"x", b"foo": b"x", b"d/a": b"x"}
    assert compare(discovery, repository, [tree]) == {"tree0/c", "tree0/foo"}


def test_a_range_that_runs_backwards_is_reported_too():
    """It is hardly what was meant, but git has a meaning for it, and so have we."""
    from workspace.pipeline.ignore import Rules

    complaints: list[tuple[int, str]] = []
    rules = Rules.of_root(b"a\n[z-a]\n", lambda *complaint: complaints.append(complaint))
    assert complaints == [(2, "'[z-a]' is doubtful: a range in it runs backwards")]
    assert [rules.ignore_file(b"", name) for name in (b"a", b"z", b"m")] == [True, True, False]
