"""Discovery: which files are found, what is said of the others, and what may be pruned afterwards."""

from __future__ import annotations

import errno
import inspect
import os
import shutil
import socket
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workspace.constants import DEFAULT_IGNORE, SECRET_PATTERNS
from workspace.pipeline.discover import BATCH_SIZE, Coverage, DiscoverOptions, discover
from workspace.pipeline.ignore_source import MAX_IGNORE_BYTES
from workspace.pipeline.items import Candidate, Failed, Skipped, SkipReason
from workspace.types import Root

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX file system")

# --- The fixture: a literal tree, a walk, what came of it ---------------------------------------------------


def plant(top: Path, *files: str, **contents: str) -> None:
    """Write files; `files` hold one line, a name that ends with a slash is an empty directory."""
    for name, content in {**dict.fromkeys(files, "text\n"), **contents}.items():
        target = top / name
        if name.endswith("/"):
            target.mkdir(parents=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")


@dataclass
class Walk:
    """What discovery yielded, with paths relative to `top`."""

    top: Path
    batches: list[list[Candidate | Skipped | Failed]]
    coverage: Coverage
    warnings: list[str] = field(default_factory=list)

    @property
    def items(self) -> list[Candidate | Skipped | Failed]:
        return [item for batch in self.batches for item in batch]

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.top)

    @property
    def files(self) -> list[str]:
        return [self.relative(item.path) for item in self.items if isinstance(item, Candidate)]

    @property
    def skipped(self) -> dict[str, SkipReason]:
        return {self.relative(item.path): item.reason for item in self.items if isinstance(item, Skipped)}

    @property
    def failed(self) -> dict[str, str]:
        return {self.relative(item.path): item.error_type for item in self.items if isinstance(item, Failed)}

    def keeps(self, path: str) -> bool:
        return self.coverage.keeps(os.path.normpath(self.top / path))


def walk(
    top: Path,
    *roots: str | Root,
    max_file_bytes: int = 1000,
    private: tuple[Path, ...] = (),
    devices: dict[str, int] | None = None,
) -> Walk:
    """Discover `roots`, given relative to `top` and recursive unless said otherwise; by default `top` itself."""
    resolved = [Root(os.path.normpath(top / root), True) if isinstance(root, str) else root for root in roots or ["."]]
    options = DiscoverOptions(
        tuple(resolved),
        max_file_bytes,
        frozenset((path.stat().st_dev, path.stat().st_ino) for path in private),
        devices or {},
    )
    result = Walk(top, [], Coverage())
    result.batches = list(discover(options, result.coverage, warn=result.warnings.append))
    return result


def flat(top: Path, name: str = ".") -> Root:
    return Root(os.path.normpath(top / name), False)


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch):
    """Make listing a directory, or asking for a file's status, fail: `fault(path, "scandir" | "lstat", number)`."""

    def arrange(path: Path, operation: str, number: int) -> None:
        real = getattr(os, operation)

        def wrapped(where: str | bytes | os.PathLike[str] = ".", *arguments, **options):
            if not isinstance(where, int) and os.path.normpath(os.fsdecode(where)) == os.fspath(path):
                raise OSError(number, os.strerror(number), os.fsdecode(where))
            return real(where, *arguments, **options)

        monkeypatch.setattr(os, operation, wrapped)

    return arrange


# --- What is listed -----------------------------------------------------------------------------------------


def test_files_come_by_name_before_directories_and_the_same_each_time(tmp_path: Path):
    plant(tmp_path, "b.txt", "a/z.txt", "a/b/x.txt", "é.txt", "Z.txt", "a.txt", "a-b/y.txt", "c/")
    first = walk(tmp_path)
    assert first.files == ["Z.txt", "a.txt", "b.txt", "é.txt", "a/z.txt", "a/b/x.txt", "a-b/y.txt"]
    assert walk(tmp_path).files == first.files


def test_a_candidate_carries_its_root_its_status_and_the_moment_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plant(tmp_path, "d/a.txt")
    asked: list[int] = []
    real = os.lstat

    def lstat(path: str) -> os.stat_result:
        asked.append(time.time_ns())
        return real(path)

    monkeypatch.setattr(os, "lstat", lstat)
    before = time.time_ns()
    [candidate] = walk(tmp_path).items
    status = (tmp_path / "d/a.txt").stat()
    assert candidate.path == f"{tmp_path}/d/a.txt"
    assert candidate.root == str(tmp_path)
    assert candidate.stat.size_bytes == status.st_size
    assert (candidate.stat.mtime_ns, candidate.stat.ctime_ns) == (status.st_mtime_ns, status.st_ctime_ns)
    assert candidate.stat.inode == status.st_ino
    assert before <= candidate.verified_ns <= asked[0]


def test_a_root_is_not_recursive_unless_it_says_so(tmp_path: Path):
    plant(tmp_path, "a.txt", "d/b.txt", "d/e/c.txt")
    assert walk(tmp_path, flat(tmp_path)).files == ["a.txt"]
    assert walk(tmp_path, flat(tmp_path, "d")).files == ["d/b.txt"]


def test_the_root_of_the_file_system_can_be_a_root(tmp_path: Path):
    [first, *_] = walk(tmp_path, flat(Path("/"))).items or [None]
    assert first is None or not first.path.startswith("//")


def test_wide_directories_come_in_small_batches(tmp_path: Path):
    plant(tmp_path, *(f"{number:04}.txt" for number in range(2 * BATCH_SIZE + 1)))
    batches = walk(tmp_path).batches
    assert [len(batch) for batch in batches] == [BATCH_SIZE, BATCH_SIZE, 1]


def test_files_are_looked_at_no_earlier_than_their_batch_is_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whoever stops after one batch has paid for one."""
    plant(tmp_path, *(f"{number:04}.txt" for number in range(3 * BATCH_SIZE)))
    real, asked = os.lstat, []
    monkeypatch.setattr(os, "lstat", lambda path: (asked.append(path), real(path))[1])
    options = DiscoverOptions((Root(str(tmp_path), True),), 1000, frozenset(), {})
    next(discover(options, Coverage(), warn=print))
    assert len(asked) == BATCH_SIZE


# --- Filters ------------------------------------------------------------------------------------------------


def test_binary_suffixes_are_skipped_whatever_their_case(tmp_path: Path):
    plant(tmp_path, "a.png", "b.TAR.GZ", "c.SVG", "d.lock", "png", ".png", "e.png.txt", "f.", "d.png/g")
    result = walk(tmp_path)
    assert result.skipped == dict.fromkeys(["a.png", "b.TAR.GZ", "c.SVG", "d.lock"], SkipReason.BINARY_SUFFIX)
    assert result.files == [".png", "e.png.txt", "f.", "png", "d.png/g"]


def test_empty_and_oversized_files_are_skipped_and_the_limit_is_allowed(tmp_path: Path):
    plant(tmp_path, empty="", small="x" * 99, limit="x" * 100, large="x" * 101)
    result = walk(tmp_path, max_file_bytes=100)
    assert result.files == ["limit", "small"]
    assert result.skipped == {"empty": SkipReason.EMPTY, "large": SkipReason.OVERSIZED}


def test_what_is_ignored_is_not_counted_at_all(tmp_path: Path):
    plant(tmp_path, **{".gitignore": "x*\n", "x.png": "text", "xempty": "", "xlarge": "x" * 2000, "x/y": "text"})
    assert walk(tmp_path).items == []


def test_what_is_ignored_is_neither_entered_nor_asked_for_its_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plant(tmp_path, "a.txt", "a.pyc", "node_modules/b.txt", "d/c.pyc", ".git/x", "d/.hg/x")
    touched: list[str] = []
    for operation in ("lstat", "scandir", "open"):
        real = getattr(os, operation)

        def wrapped(path, *arguments, real=real):
            touched.append(os.path.relpath(os.fsdecode(path), tmp_path))
            return real(path, *arguments)

        monkeypatch.setattr(os, operation, wrapped)
    walk(tmp_path)
    assert touched == [".", "a.txt", "d"]


# --- Which rules --------------------------------------------------------------------------------------------


def test_a_hermesignore_is_taken_before_a_gitignore(tmp_path: Path):
    plant(tmp_path, "a", "b", "c~", **{".hermesignore": "a\n", ".gitignore": "b\n"})
    assert walk(tmp_path).files == ["b", "c~"]


def test_a_gitignore_is_taken_before_the_built_in_rules(tmp_path: Path):
    plant(tmp_path, "a", "b", "c~", **{".gitignore": "b\n"})
    assert walk(tmp_path).files == ["a", "c~"]


def test_the_built_in_rules_hold_where_a_root_has_none(tmp_path: Path):
    plant(tmp_path, "a", "b~", "build/c", "d/__pycache__/e", "d/f", "d/g.swp", "x.egg-info/h", "d/.vscode/i")
    assert walk(tmp_path).files == ["a", "d/f"]
    assert walk(tmp_path).warnings == []


def test_the_seeded_file_means_the_same_as_the_built_in_rules(tmp_path: Path):
    plant(tmp_path, "a", "b~", "build/c", "d/__pycache__/e", "d/f", "dist", ".venv/x", ".env/y", "target/z")
    built_in = walk(tmp_path).items
    plant(tmp_path, **{".hermesignore": DEFAULT_IGNORE})
    assert [item.path for item in walk(tmp_path).items] == [item.path for item in built_in]


def test_an_empty_ignore_file_takes_the_place_of_the_built_in_rules(tmp_path: Path):
    plant(tmp_path, "build/a", "b~", **{".gitignore": ""})
    assert walk(tmp_path).files == ["b~", "build/a"]


def test_each_directory_chooses_anew_and_its_rules_are_relative_to_it(tmp_path: Path):
    plant(tmp_path, "a", "d/a", "d/b", "d/e/a", "d/e/b", "d/e/c", "f/b")
    plant(tmp_path, **{".gitignore": "a\n", "d/.hermesignore": "/b\n", "d/.gitignore": "*\n", "d/e/.gitignore": "!a\n"})
    assert walk(tmp_path).files == ["d/e/a", "d/e/b", "d/e/c", "f/b"]


def test_below_a_root_without_an_ignore_file_directories_add_to_the_built_in_rules(tmp_path: Path):
    plant(tmp_path, "d/a", "d/b", "d/build/c", "d/e/build/f", "build/g", **{"d/.gitignore": "b\n!/build/\n"})
    assert walk(tmp_path).files == ["d/a", "d/build/c"]


def test_rules_above_a_root_do_not_count(tmp_path: Path):
    plant(tmp_path, "d/a", **{".gitignore": "*\n", ".hermesignore": "*\n"})
    assert walk(tmp_path, "d").files == ["d/a"]


def test_ignore_files_are_never_listed_and_nor_are_version_control_and_indexes(tmp_path: Path):
    plant(tmp_path, "a", "d/.git/b", ".hg/c", ".svn/d", "d/.index/e", "w/.git", "d/.gitignore", "e/.hermesignore")
    plant(tmp_path, **{".hermesignore": "!.git/\n!.hg\n!*\n!.index/\n!.gitignore\n", ".gitignore": "x"})
    assert walk(tmp_path).files == ["a"]


def test_names_like_those_are_nothing_special(tmp_path: Path):
    plant(tmp_path, "d/.gitignore/a", ".hermesignore/b", ".github/c", ".hg", "git", ".gitattributes")
    assert walk(tmp_path).files == [".gitattributes", ".hg", "git", ".github/c", ".hermesignore/b", "d/.gitignore/a"]


def test_dot_files_are_subject_to_rules_only(tmp_path: Path):
    plant(tmp_path, ".github/workflows/ci.yml", ".config/a", ".b")
    assert walk(tmp_path).files == [".b", ".config/a", ".github/workflows/ci.yml"]
    plant(tmp_path, **{".hermesignore": ".*\n!.github/\n"})
    assert walk(tmp_path).files == [".github/workflows/ci.yml"]


SECRETS = [".env", ".env.local", "a.pem", "a.key", "a.p12", "id_rsa", "id_rsa.pub", "id_ed25519", ".netrc"]


def test_secrets_are_left_out_below_every_rule_set(tmp_path: Path):
    for top in ("built-in", "git", "hermes"):
        plant(tmp_path / top, "a", *SECRETS, *(f"d/{name}" for name in SECRETS))
    plant(tmp_path, **{"git/.gitignore": "", "hermes/.hermesignore": "# nothing\n", "git/d/.gitignore": ""})
    for top in ("built-in", "git", "hermes"):
        assert walk(tmp_path, top).files == [f"{top}/a"]


def test_any_ignore_file_can_bring_secrets_back(tmp_path: Path):
    plant(tmp_path, *SECRETS, *(f"d/{name}" for name in SECRETS), "e/.env")
    plant(tmp_path, **{"d/.gitignore": "".join(f"!{pattern}\n" for pattern in SECRET_PATTERNS)})
    assert walk(tmp_path).files == sorted(f"d/{name}" for name in SECRETS)
    plant(tmp_path, **{".gitignore": "!.env\n"})
    assert walk(tmp_path, "e", ".").files == [".env", *sorted(f"d/{name}" for name in SECRETS), "e/.env"]


def test_an_edit_takes_effect_at_the_next_walk_both_ways(tmp_path: Path):
    plant(tmp_path, "a", "d/b")
    assert walk(tmp_path).files == ["a", "d/b"]
    plant(tmp_path, **{"d/.gitignore": "b\n"})
    assert walk(tmp_path).files == ["a"]
    plant(tmp_path, **{"d/.gitignore": "c\n", ".hermesignore": "a\n"})
    assert walk(tmp_path).files == ["d/b"]
    (tmp_path / ".hermesignore").unlink()
    assert walk(tmp_path).files == ["a", "d/b"]


# --- Trouble with ignore files ------------------------------------------------------------------------------


def test_a_bad_line_is_reported_with_file_and_line_and_costs_that_line_only(tmp_path: Path):
    plant(tmp_path, "a", "b", "d/c", **{".gitignore": "a\n!\n", "d/.hermesignore": "\nfoo\\\nc\n"})
    result = walk(tmp_path)
    assert result.files == ["b"]
    assert result.warnings == [
        f"{tmp_path}/.gitignore:2: '!' matches nothing: it names nothing",
        f"{tmp_path}/d/.hermesignore:2: 'foo\\\\' matches nothing: its last backslash escapes nothing",
    ]


def unusable(path: Path, kind: str) -> None:
    match kind:
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link":
            target = path.with_name("target")
            target.write_text("*\n", encoding="utf-8")
            path.symlink_to(target)
        case "too large":
            path.write_bytes(b"*\n" * (MAX_IGNORE_BYTES // 2 + 1))


@posix_only
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("directory", "it is not a regular file"),
        ("pipe", "it is not a regular file"),
        ("link", "it is a symbolic link"),
        ("too large", f"it is larger than {MAX_IGNORE_BYTES} bytes"),
    ],
)
def test_an_ignore_file_that_cannot_be_one_counts_as_not_there(tmp_path: Path, kind: str, why: str):
    """So the next in the order is taken; and nothing waits for a pipe."""
    plant(tmp_path, "a", "b", "d/a", "d/b", "build/c", **{"d/.gitignore": "a\n"})
    unusable(tmp_path / ".hermesignore", kind)
    unusable(tmp_path / "d/.hermesignore", kind)
    result = walk(tmp_path)
    assert [name for name in result.files if "target" not in name] == ["a", "b", "d/b"]
    assert result.warnings == [
        f"{tmp_path}/.hermesignore: not used, {why}",
        f"{tmp_path}/d/.hermesignore: not used, {why}",
    ]


def test_an_ignore_file_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plant(tmp_path, "a", **{".gitignore": "a\n"})
    real = os.open

    def refuse(path, *arguments):
        if str(path).endswith(".gitignore"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, *arguments)

    monkeypatch.setattr(os, "open", refuse)
    result = walk(tmp_path)
    assert result.files == ["a"]
    assert result.warnings == [f"{tmp_path}/.gitignore: not used, it cannot be read: Permission denied"]


@posix_only
def test_a_pipe_that_takes_the_place_of_an_ignore_file_is_not_waited_for(tmp_path: Path, monkeypatch):
    plant(tmp_path, "a", **{".gitignore": "a\n"})
    real = os.open

    def swap(path, *arguments):
        Path(path).unlink()
        os.mkfifo(path)
        return real(path, *arguments)

    monkeypatch.setattr(os, "open", swap)
    result = walk(tmp_path)
    assert result.files == ["a"]
    assert result.warnings == [f"{tmp_path}/.gitignore: not used, it is not a regular file"]


def test_an_ignore_file_that_vanishes_is_not_there(tmp_path: Path, fault):
    plant(tmp_path, "a", **{".hermesignore": "a\n", ".gitignore": ""})
    fault(tmp_path / ".hermesignore", "lstat", errno.ENOENT)
    result = walk(tmp_path)
    assert (result.files, result.warnings) == (["a"], [])


# --- What is no regular file --------------------------------------------------------------------------------


@posix_only
def test_only_regular_files_are_listed_and_none_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plant(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.txt")
    if os.geteuid() == 0:
        os.mknod(tmp_path / "null.txt", 0o600 | 0o020000, os.makedev(1, 3))
    monkeypatch.setattr(os, "open", lambda path, *_: pytest.fail(f"{path} was opened"))
    result = walk(tmp_path)
    assert result.files == ["a.txt"]
    assert len(result.items) == 1


@posix_only
def test_no_symbolic_link_below_a_root_is_followed(tmp_path: Path):
    plant(tmp_path, "outside/secret.txt", "root/d/a.txt")
    root = tmp_path / "root"
    (root / "loop").symlink_to(root)
    (root / "d/up").symlink_to("..")
    (root / "escape").symlink_to(tmp_path / "outside")
    (root / "file.txt").symlink_to(tmp_path / "outside/secret.txt")
    (root / "twin.txt").symlink_to("d/a.txt")
    (root / "twin.png").symlink_to("d/a.txt")
    (root / "dangling").symlink_to("nowhere")
    result = walk(tmp_path, "root")
    assert result.files == ["root/d/a.txt"]
    assert len(result.items) == 1


@posix_only
def test_a_link_that_takes_the_place_of_a_file_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plant(tmp_path, "outside.txt", "root/a.txt")
    real = os.lstat

    def swap(path: str) -> os.stat_result:
        Path(path).unlink()
        Path(path).symlink_to(tmp_path / "outside.txt")
        return real(path)

    monkeypatch.setattr(os, "lstat", swap)
    assert walk(tmp_path, "root").items == []


def test_our_own_database_is_never_touched_wherever_it_lies_and_whatever_its_name(tmp_path: Path):
    plant(tmp_path, "notes/index", "notes/index-wal", "notes/a.txt")
    os.link(tmp_path / "notes/index", tmp_path / "notes/.gitignore")
    os.link(tmp_path / "notes/index", tmp_path / "notes/copy.txt")
    private = (tmp_path / "notes/index", tmp_path / "notes/index-wal")
    result = walk(tmp_path, private=private)
    assert result.files == ["notes/a.txt"]
    assert len(result.items) == 1
    assert result.warnings == [f"{tmp_path}/notes/.gitignore: not used, it is part of the index"]


# --- Several roots ------------------------------------------------------------------------------------------


def owners(result: Walk) -> dict[str, str]:
    return {result.relative(item.path): result.relative(item.root) for item in result.items}


def test_a_file_belongs_to_the_first_root_that_lists_it(tmp_path: Path):
    plant(tmp_path, "a", "d/b", "d/e/c")
    assert owners(walk(tmp_path, ".", "d")) == {"a": ".", "d/b": ".", "d/e/c": "."}
    assert owners(walk(tmp_path, "d", ".")) == {"d/b": "d", "d/e/c": "d", "a": "."}
    assert owners(walk(tmp_path, flat(tmp_path), "d/e", ".")) == {"a": ".", "d/e/c": "d/e", "d/b": "."}
    assert owners(walk(tmp_path, flat(tmp_path, "d"), "d")) == {"d/b": "d", "d/e/c": "d"}


def test_no_file_comes_twice(tmp_path: Path):
    plant(tmp_path, "a", "b.png", "d/b", "d/c.png", "dd/x", **{"d/e/empty": ""})
    for roots in ([".", "."], [".", "d"], ["d", "."], [flat(tmp_path), "."], ["d", "d/e", ".", "dd"]):
        paths = [item.path for item in walk(tmp_path, *roots).items]
        assert sorted(paths) == sorted(set(paths))
        assert len(paths) == 6


def test_what_one_root_ignores_another_may_list(tmp_path: Path):
    plant(tmp_path, "a", "build/b", "build/c.pyc.txt", **{".gitignore": "build/\n"})
    assert owners(walk(tmp_path, ".", "build")) == {"a": ".", "build/b": "build", "build/c.pyc.txt": "build"}


def test_a_neighbour_with_a_longer_name_is_no_overlap(tmp_path: Path):
    plant(tmp_path, "d/a", "dd/a")
    assert owners(walk(tmp_path, "d", "dd")) == {"d/a": "d", "dd/a": "dd"}


# --- What discovery cannot do -------------------------------------------------------------------------------


def test_a_root_that_is_missing_or_no_directory_is_reported_and_the_others_are_walked(tmp_path: Path):
    plant(tmp_path, "a/x", "file", "b/y")
    result = walk(tmp_path, "a", "missing", "file", "b")
    assert result.files == ["a/x", "b/y"]
    assert result.failed == {"missing": "FileNotFoundError", "file": "NotADirectoryError"}
    [missing, _] = [item for item in result.items if isinstance(item, Failed)]
    assert missing.stage == "discover"
    assert missing.message == "this directory cannot be listed: No such file or directory"


def test_a_root_that_can_be_no_path_is_reported(tmp_path: Path):
    [failure] = walk(tmp_path, Root("/nul\0byte", True)).items
    assert isinstance(failure, Failed)


@posix_only
def test_a_root_whose_path_is_not_utf8_is_reported_and_not_entered(tmp_path: Path):
    top = Path(os.fsdecode(os.fsencode(tmp_path) + b"/dir\xff"))
    plant(top, "a.txt")
    [failure] = walk(tmp_path, Root(str(top), True)).items
    assert isinstance(failure, Failed)
    assert failure.path == f"{tmp_path}/dir\\udcff"
    failure.message.encode()


def test_an_unreadable_directory_is_reported_and_the_rest_is_walked(tmp_path: Path, fault):
    plant(tmp_path, "a", "d/b", "d/e/c", "f/g")
    fault(tmp_path / "d", "scandir", errno.EACCES)
    result = walk(tmp_path)
    assert result.files == ["a", "f/g"]
    assert result.failed == {"d": "PermissionError"}


def test_a_directory_that_cannot_be_read_to_its_end_counts_as_unreadable(tmp_path: Path, monkeypatch):
    """Its ignore file may be in the part that is missing."""
    plant(tmp_path, "a", "d/b", "d/c", **{"d/.hermesignore": "*\n"})
    real = os.scandir

    def broken(entries):
        yield entries[0]
        raise OSError(errno.EIO, "Input/output error")

    def scandir(path):
        with real(path) as entries:
            found = list(entries)
        return nullcontext(broken(found) if os.fsdecode(path).endswith("/d/") else found)

    monkeypatch.setattr(os, "scandir", scandir)
    result = walk(tmp_path)
    assert (result.files, result.failed) == (["a"], {"d": "OSError"})
    assert result.keeps("d/c")


def test_a_file_that_vanishes_is_reported_and_nothing_of_it_is_kept(tmp_path: Path, fault):
    plant(tmp_path, "a", "b", "c")
    fault(tmp_path / "b", "lstat", errno.ENOENT)
    result = walk(tmp_path)
    assert (result.files, result.failed) == (["a", "c"], {"b": "FileNotFoundError"})
    [failure] = [item for item in result.items if isinstance(item, Failed)]
    assert failure.rows_are_gone
    assert not result.keeps("b")


def test_a_file_without_a_status_is_reported_and_kept(tmp_path: Path, fault):
    plant(tmp_path, "a", "b", "c")
    fault(tmp_path / "b", "lstat", errno.EIO)
    result = walk(tmp_path)
    assert (result.files, result.failed) == (["a", "c"], {"b": "OSError"})
    [failure] = [item for item in result.items if isinstance(item, Failed)]
    assert not failure.rows_are_gone
    assert result.keeps("b")
    assert not result.keeps("d")


def test_an_entry_of_unknown_kind_is_reported_and_kept_with_all_that_may_be_below(tmp_path: Path, monkeypatch):
    """Some file systems do not say what an entry is; asking can fail."""
    plant(tmp_path, "a", "b", "c")
    real = os.scandir

    class Unknown:
        name = b"b"

        def is_dir(self, **_):
            raise OSError(errno.EIO, "Input/output error")

    def scandir(path):
        with real(path) as entries:
            return nullcontext([Unknown() if entry.name == b"b" else entry for entry in entries])

    monkeypatch.setattr(os, "scandir", scandir)
    result = walk(tmp_path)
    assert (sorted(result.files), result.failed) == (["a", "c"], {"b": "OSError"})
    assert result.keeps("b")
    assert result.keeps("b/below")
    assert not result.keeps("d")


@posix_only
def test_names_that_are_not_utf8_are_shown_escaped_and_not_entered(tmp_path: Path):
    plant(tmp_path, "a", "z/b")
    for name in (b"file\xff", b"x.png\xe9"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("text")
    plant(Path(os.fsdecode(os.fsencode(tmp_path) + b"/dir\xc3")), "inside")
    result = walk(tmp_path)
    assert result.files == ["a", "z/b"]
    assert result.failed == dict.fromkeys(["file\\xff", "x.png\\xe9", "dir\\xc3"], "UnicodeDecodeError")
    assert {item.message for item in result.items if isinstance(item, Failed)} == {"its name is not valid UTF-8"}
    plant(tmp_path, **{".gitignore": "*\n!/a\n"})
    assert walk(tmp_path).failed == {}


@posix_only
def test_deep_trees_are_walked_as_far_as_paths_reach_and_without_recursion(tmp_path: Path, monkeypatch):
    depth, folder, note = 300, "a-long-enough-name", Path("note.txt")
    monkeypatch.chdir(tmp_path)
    for level in range(1, depth + 1):
        Path(folder).mkdir()
        os.chdir(folder)
        if level in {200, depth}:
            note.write_text("text", encoding="utf-8")
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(inspect.stack(0)) + 150)
        result = walk(tmp_path)
        assert result.files == [f"{folder}/" * 200 + "note.txt"]
        [failure] = [item for item in result.items if isinstance(item, Failed)]
        assert (failure.error_type, failure.stage) == ("OSError", "discover")
        assert failure.message == "this directory cannot be listed: File name too long"
        assert result.keeps(f"{folder}/" * depth + "note.txt")
        assert not result.keeps(f"{folder}/" * 100 + "note.txt")
    finally:
        sys.setrecursionlimit(limit)
        for _ in range(depth):  # while they can be reached
            note.unlink(missing_ok=True)
            os.chdir("..")
            Path(folder).rmdir()


# --- What may be pruned -------------------------------------------------------------------------------------


def test_below_what_was_listed_everything_unseen_is_pruned(tmp_path: Path):
    plant(tmp_path, "a", "d/b", "build/x", "gone/y")
    shutil.rmtree(tmp_path / "gone")
    result = walk(tmp_path)
    unseen = ("b", "d/c", "d/e/f", "gone/y", "build/x", "../elsewhere", "a/b")
    assert [path for path in unseen if result.keeps(path)] == []


def test_below_a_directory_out_of_reach_everything_is_kept(tmp_path: Path, fault):
    plant(tmp_path, "d/e/a", "dd/b")
    fault(tmp_path / "d", "scandir", errno.EACCES)
    result = walk(tmp_path)
    assert result.keeps("d/x")
    assert result.keeps("d/e/f/x")
    assert not result.keeps("dd/x")
    assert not result.keeps("x")


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENOTDIR])
def test_a_directory_that_is_gone_is_pruned(tmp_path: Path, fault, number: int):
    plant(tmp_path, "d/a")
    fault(tmp_path / "d", "scandir", number)
    result = walk(tmp_path)
    assert "d" in result.failed
    assert not result.keeps("d/a")


def test_a_missing_root_keeps_what_is_below_it_and_no_other_root_does(tmp_path: Path):
    plant(tmp_path, "a/x", "file")
    result = walk(tmp_path, "a", "missing", "file")
    assert result.keeps("missing/x")
    assert result.keeps("missing/d/x")
    assert result.keeps("file/x")
    assert not result.keeps("a/y")
    assert not result.keeps("removed-root/y")


def test_a_missing_root_is_kept_even_below_a_root_that_was_listed(tmp_path: Path):
    plant(tmp_path, "a")
    result = walk(tmp_path, ".", "disk")
    assert result.keeps("disk/x")
    assert not result.keeps("other/x")


def test_a_nearer_root_that_was_listed_knows_better(tmp_path: Path, fault):
    plant(tmp_path, "d/e/a")
    fault(tmp_path / "d", "scandir", errno.EACCES)
    result = walk(tmp_path, ".", "d/e")
    assert result.files == ["d/e/a"]
    assert not result.keeps("d/e/x")
    assert not result.keeps("d/e/f/x")
    assert result.keeps("d/x")


def test_a_root_that_is_not_recursive_knows_of_its_own_files_only(tmp_path: Path, fault):
    plant(tmp_path, "d/e/a")
    fault(tmp_path / "d", "scandir", errno.EACCES)
    result = walk(tmp_path, ".", flat(tmp_path, "d/e"))
    assert not result.keeps("d/e/x")
    assert result.keeps("d/e/f/x")


def test_a_root_that_is_no_longer_recursive_loses_the_rest(tmp_path: Path):
    plant(tmp_path, "a", "d/b")
    result = walk(tmp_path, flat(tmp_path), "missing")
    assert not result.keeps("d/b")


def test_one_root_given_twice_is_as_recursive_as_either(tmp_path: Path, fault):
    plant(tmp_path, "a", "d/b")
    fault(tmp_path, "scandir", errno.EACCES)
    for roots in ((flat(tmp_path, "d"), "d"), ("d", flat(tmp_path, "d"))):
        result = walk(tmp_path, ".", *roots)
        assert result.files == ["d/b"]
        assert not result.keeps("d/e/x")
        assert result.keeps("a")


def test_an_empty_root_on_another_device_is_an_unmounted_disk(tmp_path: Path):
    plant(tmp_path, "disk/", "a")
    device = tmp_path.stat().st_dev
    disk = str(tmp_path / "disk")
    result = walk(tmp_path, ".", "disk", devices={disk: device + 1})
    assert result.keeps("disk/x")
    assert result.keeps("disk/d/x")
    assert not result.keeps("x")
    assert result.coverage.devices == {str(tmp_path): device}
    assert result.warnings == [f"{disk}: empty, and not the disk that was there; what is indexed of it stays"]


def test_an_empty_root_on_its_own_device_or_a_filled_one_on_another_is_pruned(tmp_path: Path):
    plant(tmp_path, "empty/", "filled/a", "new/")
    device = tmp_path.stat().st_dev
    paths = {name: str(tmp_path / name) for name in ("empty", "filled", "new")}
    result = walk(tmp_path, *paths, devices={paths["empty"]: device, paths["filled"]: device + 1})
    assert [name for name in paths if result.keeps(f"{name}/x")] == []
    assert result.coverage.devices == dict.fromkeys(paths.values(), device)
    assert result.warnings == []


def test_only_roots_that_were_listed_have_a_device(tmp_path: Path, fault):
    plant(tmp_path, "a/x", "b/x")
    fault(tmp_path / "b", "scandir", errno.EIO)
    result = walk(tmp_path, "a", "b", "missing")
    assert set(result.coverage.devices) == {str(tmp_path / "a")}
    assert result.keeps("b/x")
