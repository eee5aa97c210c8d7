"""The command line: one JSON document on stdout, everything for people on stderr, and never a traceback."""

from __future__ import annotations

import json
import logging
import os
import pty
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace import IndexingError, IndexSummary, Progress, SearchResult, api
from workspace.cli import hermes, main
from workspace.cli.output import visible
from workspace.cli.progress import columns_of, describe

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"

RESULT_KEYS = (
    "path line_start line_end section chunk_index score tokens modified content truncated stale".split()  # noqa: SIM905
)

HIT = SearchResult(
    path="/notes/a.md",
    line_start=7,
    line_end=8,
    section="## S",
    chunk_index=0,
    score=-1.5,
    tokens=3,
    modified="2026-04-15T10:32:00Z",
    content="one two\nthree\n",
    truncated=False,
    stale=False,
)


@dataclass(frozen=True)
class Answer:
    code: int
    out: bytes
    err: str

    @property
    def document(self):
        return json.loads(self.out)

    @property
    def error(self):
        assert self.out == b""
        assert self.err.count("\n") == 1
        (error,) = json.loads(self.err).values()
        return error["type"], error["message"]


@pytest.fixture
def run(capfdbinary):
    """Run a command line in this process."""

    def run(*arguments: str, group: click.Group = main) -> Answer:
        with pytest.raises(SystemExit) as end:
            group.main(list(arguments), "hermes-workspace")
        out, err = capfdbinary.readouterr()
        return Answer(end.value.code, out, err.decode())

    return run


def spawn(*arguments: str, before: str = "", **options) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in a process of its own, with `before` executed in it first."""
    code = f"{before}\nfrom workspace.cli import main; main(prog_name='hermes-workspace')"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=not options, check=False, **options)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with three files that match "deployment", one that does not, and one that is ignored."""
    tree = tmp_path / "tree"
    (tree / "docs").mkdir(parents=True)
    (tree / "docs" / "guide.md").write_text("# Guide\n\nThe deployment guide.\n\n## Rollback\n\nUndo it.\n")
    (tree / "docs" / "notes.txt").write_text("notes on a deployment, und ein Café\n")
    (tree / "deploy.py").write_text("def deployment():\n    return 'Ünïcode'\n")
    (tree / "other.md").write_text("nothing of interest\n")
    (tree / "secret.pem").write_text("deployment key\n")
    return tree


@pytest.fixture
def indexed(run, tree: Path) -> Path:
    assert run("roots", "add", str(tree), "--recursive").code == 0
    assert run("index").code == 0
    return tree


# --- Roots -------------------------------------------------------------------------------------------------------


def test_roots_are_added_listed_and_removed(run, tree: Path):
    assert run("roots", "list").out == b"[]\n"
    entry = {"path": str(tree), "recursive": True}
    assert run("roots", "add", str(tree), "--recursive").document == entry
    assert run("roots", "list").document == [entry]
    assert run("roots", "add", str(tree)).document == entry | {"recursive": False}
    assert run("roots", "list").document == [entry | {"recursive": False}]
    assert run("roots", "remove", str(tree)).document == entry | {"recursive": False}
    assert run("roots", "list").document == []


def test_what_cannot_be_added_or_removed_is_an_error(run, tmp_path: Path):
    answer = run("roots", "add", str(tmp_path / "nowhere"))
    assert answer.code == 1
    assert answer.error == ("WorkspaceError", f"'{tmp_path}/nowhere' is not a directory")
    answer = run("roots", "remove", "/nowhere")
    assert answer.code == 1
    assert answer.error == ("WorkspaceError", "'/nowhere' is not a configured root")


def test_a_comment_in_the_config_file_survives(run, home: Path, tree: Path):
    (home / "config.yaml").write_text("model: x   # mine\nknowledgebase:\n  roots: []  # none yet\n")
    run("roots", "add", str(tree))
    run("roots", "remove", str(tree))
    assert (home / "config.yaml").read_text() == "model: x   # mine\nknowledgebase:\n  roots: []  # none yet\n"


def test_the_first_command_makes_the_workspace(run, home: Path):
    run("roots", "list")
    assert (home / "workspace" / "docs").is_dir()


def test_concurrent_additions_all_survive(tmp_path: Path):
    names = [tmp_path / f"r{n}" for n in range(4)]
    for name in names:
        name.mkdir()
    command = [sys.executable, "-m", "workspace", "roots", "add"]
    started = [subprocess.Popen([*command, str(name)], stdout=subprocess.DEVNULL) for name in names]
    assert [process.wait() for process in started] == [0, 0, 0, 0]
    listed = subprocess.run([sys.executable, "-m", "workspace", "roots", "list"], capture_output=True, check=True)
    assert {root["path"] for root in json.loads(listed.stdout)} == {str(name) for name in names}


# --- Index -------------------------------------------------------------------------------------------------------


def test_index_prints_its_summary(run, tree: Path):
    run("roots", "add", str(tree), "--recursive")
    answer = run("index")
    assert answer.code == 0
    assert answer.err == ""
    summary = answer.document
    assert summary.pop("duration_seconds") >= 0
    assert list(summary.items()) == [
        ("files_indexed", 4),
        ("files_skipped", 0),
        ("files_pruned", 0),
        ("files_errored", 0),
        ("chunks_created", 4),
        ("errors", []),
        ("errors_truncated", False),
    ]
    again = run("index", "--verify", "--jobs", "1", "--wait", "1").document
    assert (again["files_indexed"], again["files_skipped"]) == (0, 4)
    (tree / "other.md").unlink()
    assert run("index").document["files_pruned"] == 1


def test_a_file_that_fails_is_listed_and_the_exit_code_is_0(run, tree: Path):
    (tree / "broken.txt").write_bytes(bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D]) * 100)
    run("roots", "add", str(tree), "--recursive")
    answer = run("index")
    assert answer.code == 0
    assert (answer.document["files_indexed"], answer.document["files_errored"]) == (4, 1)
    (error,) = answer.document["errors"]
    assert list(error) == ["path", "stage", "error_type", "message"]
    assert (error["path"], error["stage"], error["error_type"]) == (str(tree / "broken.txt"), "read", "EncodingError")


def test_errors_beyond_fifty_are_counted(run, tree: Path):
    for n in range(53):
        (tree / f"broken{n:02}.txt").write_bytes(bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D]) * 100)
    run("roots", "add", str(tree))
    summary = run("index").document
    assert (summary["files_errored"], len(summary["errors"]), summary["errors_truncated"]) == (53, 50, True)
    assert run("index", "--human").out.splitlines()[-1] == b"and 3 more"


@pytest.mark.usefixtures("indexed")
def test_without_the_extra_index_names_it_and_search_works(run, monkeypatch):
    monkeypatch.setattr(api, "find_spec", {}.get)
    answer = run("index")
    assert answer.code == 1
    kind, message = answer.error
    assert kind == "MissingExtraError"
    assert "pip install 'hermes-workspace[workspace]'" in message
    assert len(run("search", "deployment").document) == 3


@pytest.mark.parametrize(
    ("signal_name", "code", "kind"), [("SIGINT", 130, "KeyboardInterrupt"), ("SIGTERM", 143, "Terminated")]
)
def test_an_interrupted_index_says_so_by_its_exit_code(signal_name: str, code: int, kind: str):
    before = f"""
import os, signal
from workspace import api
def interrupted(*_, **__):
    os.kill(os.getpid(), signal.{signal_name})
    signal.pause()
api.index_workspace = interrupted
"""
    done = spawn("index", before=before)
    assert done.returncode == code
    assert done.stdout == b""
    assert json.loads(done.stderr)["error"]["type"] == kind


@pytest.mark.parametrize("first", ["SIGINT", "SIGTERM"])
def test_of_several_signals_the_first_counts_and_the_others_do_no_harm(first: str):
    before = f"""
import os, signal
from workspace import api
def interrupted(*_, **__):
    try:
        os.kill(os.getpid(), signal.{first})
        signal.pause()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(os.getpid(), number)
api.index_workspace = interrupted
"""
    done = spawn("index", before=before)
    assert done.returncode == {"SIGINT": 130, "SIGTERM": 143}[first]


def test_an_interrupt_after_the_answer_is_no_traceback():
    done = spawn(
        "roots", "list", before="import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"[]\n", b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_left_as_they_were(run, number: int):
    before = signal.getsignal(number)
    run("index")
    assert signal.getsignal(number) is before


# --- Search ------------------------------------------------------------------------------------------------------


def test_search_prints_a_flat_list(run, indexed: Path):
    answer = run("search", "deployment")
    assert answer.err == ""
    hits = answer.document
    assert {hit["path"] for hit in hits} == {f"{indexed}/{n}" for n in ("docs/guide.md", "docs/notes.txt", "deploy.py")}
    for hit in hits:
        assert list(hit) == RESULT_KEYS
        lines = Path(hit["path"]).read_text().splitlines(keepends=True)
        assert hit["content"] == "".join(lines[hit["line_start"] - 1 : hit["line_end"]])
    assert [hit["score"] for hit in hits] == sorted(hit["score"] for hit in hits)
    assert "Ünïcode".encode() in answer.out


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--glob", "*.md"], {"docs/guide.md"}),
        (["--path", "{tree}/docs"], {"docs/guide.md", "docs/notes.txt"}),
        (["--path", "{tree}/do"], set()),
        (["--path", "{tree}/docs", "--glob", "*.txt"], {"docs/notes.txt"}),
    ],
)
def test_filters_narrow_a_search(run, indexed: Path, options: list[str], found: set[str]):
    options = [option.format(tree=indexed) for option in options]
    assert {hit["path"] for hit in run("search", "deployment", *options).document} == {f"{indexed}/{n}" for n in found}


@pytest.mark.usefixtures("indexed")
def test_the_limit_is_the_users_or_the_configured_one(run, home: Path):
    assert len(run("search", "deployment", "--limit", "2").document) == 2
    config = home / "config.yaml"
    config.write_text(config.read_text() + "  search: {default_limit: 1}\n")
    assert len(run("search", "deployment").document) == 1
    assert len(run("search", "deployment", "--limit", "0").document) == 1


@pytest.mark.usefixtures("indexed")
def test_a_corrected_word_is_said_on_stderr(run):
    for arguments in (["search", "deploymnet"], ["--human", "search", "deploymnet"]):
        answer = run(*arguments)
        assert answer.err == "warning: showing results for deployment: nothing holds deploymnet\n"
    assert len(run("search", "deploymnet").document) == 3


@pytest.mark.usefixtures("home")
def test_how_much_is_shown_is_up_to_the_user(run, tmp_path: Path):
    """A thousand lines in pieces of twenty words: three of one file, and of each what was asked for."""
    directory = tmp_path / "long"
    directory.mkdir()
    (directory / "long.txt").write_text("".join(f"needle number {number} of many\n" for number in range(1_000)))
    run("roots", "add", str(directory))
    config = Path(os.environ["HERMES_HOME"], "config.yaml")
    config.write_text(config.read_text() + "  chunking: {chunk_size: 20, overlap: 0, threshold: 20}\n")
    run("index")
    assert len(run("search", "needle").document) == 3
    assert len(run("search", "needle", "--per-file", "1").document) == 1
    assert len(run("search", "needle", "--per-file", "0", "--limit", "50").document) == 50
    [hit] = run("search", "number 500", "--limit", "1", "--max-chars", "40").document
    assert (hit["content"], hit["line_start"], hit["truncated"]) == ("needle number 500 of many\n", 501, True)
    [hit] = run("search", "number 500", "--limit", "1", "--max-chars", "40", "--context", "10").document
    assert (hit["line_start"], hit["line_end"]) == (491, 511)


@pytest.mark.usefixtures("indexed")
def test_several_words_are_one_query(run):
    one = run("search", "rollback deployment")
    assert run("search", "rollback", "deployment").out == one.out
    assert len(one.document) == 3


@pytest.mark.parametrize(
    "query", ["NOT deployment", '"deployment', "deployment*", "path:deployment", "-- deployment", "- (deployment OR"]
)
@pytest.mark.usefixtures("indexed")
def test_no_query_is_a_syntax_error(run, query: str):
    answer = run("search", "--", query)
    assert (answer.code, answer.err) == (0, "")
    assert len(answer.document) == 3


@pytest.mark.parametrize("query", ["", "   ", "--", "\udcff"])
@pytest.mark.usefixtures("indexed")
def test_a_query_without_words_finds_nothing(run, query: str):
    answer = run("search", "--", query)
    assert (answer.code, answer.out, answer.err) == (0, b"[]\n", "")


@pytest.mark.usefixtures("indexed")
def test_two_dashes_end_the_options(run):
    assert len(run("search", "--limit", "1", "--", "--human", "deployment").document) == 1
    assert run("roots", "remove", "--", "--human").error[1] == "'--human' is not a configured root"


def test_without_an_index_there_is_a_hint(run, home: Path):
    answer = run("search", "anything")
    assert (answer.code, answer.out) == (0, b"[]\n")
    assert answer.err.startswith("warning: there is no index yet")
    assert list(home.iterdir()) == []


# --- Status, repair, reset ---------------------------------------------------------------------------------------


def test_status_prints_what_the_index_holds(run, home: Path, indexed: Path):
    document = run("status").document
    assert list(document) == [
        "database", "database_bytes", "schema_version", "healthy", "condition", "message", "roots",
    ]  # fmt: skip
    assert (document["healthy"], document["condition"]) == (True, "healthy")
    assert [(root["path"], root["files"], root["errors"]) for root in document["roots"]] == [
        (f"{home}/workspace", 0, 0),
        (str(indexed), 4, 0),
    ]
    human = run("status", "--human").out.decode()
    assert human.startswith("the index is sound\n")
    assert re.search(rf"{indexed}  recursive  files 4  rows 4  errors 0  last run 20\d\d-", human)


def test_status_without_an_index_is_no_error_and_makes_none(run, home: Path):
    answer = run("status")
    assert (answer.code, answer.document["condition"], answer.document["roots"][0]["files"]) == (0, "missing", None)
    assert "files -  rows -  errors -  last run -" in run("status", "--human").out.decode()
    assert list(home.iterdir()) == []


@pytest.mark.usefixtures("indexed")
def test_repair_says_what_it_found_and_did(run, home: Path):
    assert run("repair").document == {
        "condition": "healthy",
        "action": "none",
        "message": "the index is sound",
        "set_aside": [],
    }
    database = home / "workspace" / ".index" / "workspace.sqlite"
    os.truncate(database, 5000)
    assert run("repair", "--check-only").document["condition"] == "damaged"
    assert database.exists()
    human = run("repair", "--human").out.decode()
    assert re.search(r"run the command index to build a new one\nset aside: .*/workspace\.sqlite\.damaged-", human)


@pytest.mark.usefixtures("indexed")
def test_reset_asks_where_there_is_somebody_to_ask(run, home: Path, monkeypatch):
    database = home / "workspace" / ".index" / "workspace.sqlite"
    answer = run("reset")
    assert (answer.code, answer.error[0]) == (2, "UsageError")
    assert "--yes" in answer.error[1]
    monkeypatch.setattr("workspace.cli.reset._is_terminal", lambda: True)
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    assert run("reset").error == ("WorkspaceError", "nothing was deleted")
    assert database.exists()
    monkeypatch.setattr("click.confirm", lambda *_, **__: True)
    assert run("reset", "--human").out.decode() == f"removed {database}\n"
    assert run("reset", "--yes").document == {"removed": []}
    assert run("reset", "--yes", "--human").out == b"there was no index\n"


def test_an_interrupt_at_the_question_is_an_interrupt(run, monkeypatch):
    def interrupted(*_, **__):
        raise click.Abort

    monkeypatch.setattr("workspace.cli.reset._is_terminal", lambda: True)
    monkeypatch.setattr("click.confirm", interrupted)
    assert run("reset").code == 130


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0", b"Dear Ada,\n" * 900, b"\0" * 4096, bytes(range(256)) * 36], ids=range(5)
)
@pytest.mark.parametrize(
    "command", [["index"], ["search", "x"], ["status"], ["repair"], ["reset", "--yes"]], ids=" ".join
)
@pytest.mark.usefixtures("indexed")
def test_whatever_lies_in_the_place_of_the_index_no_command_ends_with_a_traceback(run, home, command, content):
    (home / "workspace" / ".index" / "workspace.sqlite").write_bytes(content)
    answer = run(*command)
    assert answer.code in {0, 1}
    assert "Traceback" not in answer.err
    if answer.code == 1:
        assert answer.error[0] == "IndexUnusable"


# --- For people --------------------------------------------------------------------------------------------------


def test_human_is_accepted_before_and_after_every_command(run, indexed: Path):
    before, after = run("--human", "search", "rollback"), run("search", "rollback", "--human")
    assert before == after
    heading, *lines = before.out.decode().splitlines()
    assert heading.startswith(f"  1. {indexed}/docs/guide.md:1-7  # Guide  score -")
    assert lines == [
        "      1 │ # Guide",
        "      2 │ ",
        "      3 │ The deployment guide.",
        "      4 │ ",
        "      5 │ ## Rollback",
        "      6 │ ",
        "      7 │ Undo it.",
        "",
    ]
    lists = [run("--human", "roots", "list"), run("roots", "--human", "list"), run("roots", "list", "--human")]
    assert {answer.out.decode() for answer in lists} == {f"{indexed}  recursive\n"}


def test_human_index_and_roots(run, tree: Path):
    assert run("--human", "roots", "list").out == b"no configured roots\n"
    assert run("--human", "roots", "add", str(tree)).out.decode() == f"added {tree}\n"
    assert re.search(r"files indexed +2\n", run("--human", "index").out.decode())
    assert run("--human", "search", "zzz").out == b"no results\n"
    assert run("--human", "roots", "remove", str(tree)).out.decode() == f"removed {tree}\n"


def test_human_errors_are_one_line(run):
    answer = run("--human", "roots", "remove", "/no\nwhere\x1b[31m")
    assert (answer.code, answer.out) == (1, b"")
    assert answer.err == "error: '/no\\nwhere\\x1b[31m' is not a configured root\n"


def test_nothing_in_a_file_acts_on_the_terminal(run, monkeypatch):
    evil = SearchResult(
        path="/a\n\x1b]0;title\x07",
        line_start=3,
        line_end=6,
        section="\x1b[2J## S\u202e",
        chunk_index=0,
        score=-1.0,
        tokens=1,
        modified="",
        content="tab\there\rback\x08\x9b31m\r\n\x7f\u2028[bold]x[/bold] :smile: \udce9\nend",
        truncated=True,
        stale=True,
    )
    monkeypatch.setattr(api, "search_workspace", lambda *_, **__: [evil])
    text = run("--human", "search", "x").out.decode()
    assert text == (
        "  1. /a\\n\\x1b]0;title\\x07:3-6  \\x1b[2J## S\\u202e  score -1  truncated, stale\n"
        "      3 │ tab here\n"
        "      4 │ back\\x08\\x9b31m\n"
        "      5 │ \\x7f\\u2028[bold]x[/bold] :smile: \\udce9\n"
        "      6 │ end\n"
        "\n"
    )


@given(st.text())
def test_visible_text_is_printable_and_keeps_what_was(text: str):
    shown = visible(text)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    shown.encode()
    assert shown == text or len(shown) > len(text)


def test_human_errors_of_a_run_are_listed(run, monkeypatch):
    error = IndexingError("/bad\x1b", "read", "EncodingError", "no\nencoding")
    summary = IndexSummary(files_errored=2, duration_seconds=1.25, errors=(error,), errors_truncated=True)
    monkeypatch.setattr(api, "index_workspace", lambda *_, **__: summary)
    out = run("index", "--human").out.decode()
    assert "duration seconds     1.25\n" in out
    assert out.endswith("/bad\\x1b  read: EncodingError: no\\nencoding\nand 1 more\n")


# --- Progress ----------------------------------------------------------------------------------------------------


def test_a_bar_is_shown_on_a_terminal_and_only_there(tree: Path, run):
    run("roots", "add", str(tree), "--recursive")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "workspace", "index"], stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    out, _ = process.communicate()
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # how Linux says that a terminal was closed
        pass
    os.close(ours)
    assert json.loads(out)["files_indexed"] == 4
    assert re.search(rb"Indexing \[\d+/\d+\] \S+\.(md|txt|py)\r", shown)
    assert b"\n" not in shown
    (tree / "new.txt").write_text("new")
    assert run("index").err == ""


@given(
    done=st.integers(0, 10**7),
    path=st.text(st.characters(exclude_categories=[]), max_size=80) | st.text("日本語/aé\u0301", max_size=80),
    columns=st.integers(-1, 120),
)
def test_progress_fits_its_line(done: int, path: str, columns: int):
    line = describe(Progress(done=done, found=done + 3, discovering=True, path=path), columns)
    assert columns_of(line) <= max(columns, 0)
    assert "\n" not in line
    full = f"Indexing [{done}/{done + 3}] {visible(path)}"
    assert line == full or columns_of(full) > columns


def test_progress_shows_the_end_of_a_long_path():
    progress = Progress(done=3, found=12, discovering=False, path="/a/very/long/path/to/file.md")
    assert describe(progress, 80) == "Indexing [3/12] /a/very/long/path/to/file.md"
    assert describe(progress, 32) == "Indexing [3/12] …path/to/file.md"
    assert describe(progress, 31) == "Indexing [3/12] …ath/to/file.md"
    assert describe(progress, 10) == "Indexing ["


# --- Streams -----------------------------------------------------------------------------------------------------

HITS = f"from workspace import SearchResult, api\napi.search_workspace = lambda *_, **__: [{HIT!r}] * 5000"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_quiet(monkeypatch, unbuffered: str):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    reader, writer = os.pipe()
    os.close(reader)
    for arguments in (["search", "x"], ["search", "x", "--human"], ["roots", "list"]):
        done = spawn(*arguments, before=HITS, stdout=writer, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b"")
    os.close(writer)


def test_a_reader_that_leaves_early_is_quiet():
    code = f"{HITS}\nfrom workspace.cli import main; main()"
    command = [sys.executable, "-c", code, "search", "x"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(10).startswith(b'[{"path":')
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_an_error():
    with Path("/dev/full").open("wb") as full:
        done = spawn("search", "x", before=HITS, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["message"] == "standard output cannot be written: No space left on device"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_standard_streams_are_no_traceback(monkeypatch: pytest.MonkeyPatch, unbuffered: str):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    command = f"exec {sys.executable} -m workspace"
    done = subprocess.run(["sh", "-c", f"{command} roots list >&-"], capture_output=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["message"] == "standard output is closed"
    for redirection in ("2>&-", ">&- 2>&-"):
        done = subprocess.run(["sh", "-c", f"{command} search x {redirection}"], capture_output=True, check=False)
        assert done.stderr == b""
    if Path("/dev/full").exists():
        done = subprocess.run(["sh", "-c", f"{command} roots remove /x 2>/dev/full"], capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (1, b"")


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}])
def test_json_is_utf_8_in_every_locale(locale: dict[str, str]):
    hit = f"from dataclasses import replace\n{HITS}\nhits = api.search_workspace()[:1]\n"
    hit += "api.search_workspace = lambda *_, **__: [replace(hits[0], content='é日\\U0001f600', path='/caf\\udce9')]"
    done = spawn("search", "x", before=hit, env=os.environ | locale, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    (document,) = json.loads(done.stdout)
    assert "é日😀".encode() in done.stdout
    assert (document["content"], os.fsencode(document["path"])) == ("é日😀", b"/caf\xe9")
    done = spawn("--human", "search", "x", before=hit, env=os.environ | locale, stdout=-1, stderr=-1)
    assert (done.returncode, done.stderr) == (0, b"")


# --- Errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["roots"],
        ["nonsense"],
        ["search"],
        ["search", "--limit", "x", "y"],
        ["search", "--context", "-1", "y"],
        ["index", "--jobs", "0"],
        ["index", "--wait", "-1"],
        ["index", "--wait", "nan"],
    ],
)
def test_wrong_usage_exits_2(run, arguments: list[str]):
    answer = run(*arguments)
    assert answer.code == 2
    assert "--help'" in answer.error[1]
    assert "\n" not in answer.error[1]
    human = run("--human", *arguments)
    assert (human.code, human.out) == (2, b"")
    assert re.fullmatch(r"error: .*\n", human.err)


COMMANDS = [
    ["roots", "list"],
    ["roots", "add", "/"],
    ["roots", "remove", "/"],
    ["index"],
    ["search", "x"],
    ["status"],
    ["repair"],
    ["reset", "--yes"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("text", "named"),
    [("knowledgebase: {chunking: {overlap: 512}}\n", "knowledgebase.chunking.overlap"), ("a: [\n", "line 2, column 1")],
)
def test_an_invalid_config_is_one_clear_error(run, home: Path, command: list[str], text: str, named: str):
    (home / "config.yaml").write_text(text)
    answer = run(*command)
    assert answer.code == 1
    assert answer.error[0] == "ConfigError"
    assert str(home / "config.yaml") in answer.error[1]
    assert named in answer.error[1]
    assert run("--human", *command).err == f"error: {visible(answer.error[1])}\n"
    assert [path.name for path in home.iterdir()] in (["config.yaml"], ["config.yaml", ".config.yaml.lock"])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_disabled_workspace_refuses_everything_but_roots(run, home: Path, command: list[str]):
    (home / "config.yaml").write_text("workspace: {enabled: false}\nknowledgebase: {roots: [{path: /}]}\n")
    answer = run(*command)
    if command[0] == "roots":
        assert answer.code == 0
    else:
        assert answer.code == 1
        assert answer.error == (
            "WorkspaceError",
            f"the workspace is disabled: workspace.enabled is false in {home}/config.yaml",
        )
    assert not (home / "workspace").exists()


def test_unknown_keys_are_warned_about_on_stderr(run, home: Path):
    (home / "config.yaml").write_text("workspace: {enabld: false}\n")
    for _ in range(2):
        answer = run("roots", "list")
        assert answer.out == b"[]\n"
        assert answer.err == "warning: unknown key workspace.enabld is ignored\n"


def test_a_logged_exception_is_one_line_unless_v_asks_for_more(run, monkeypatch):
    def complaining(*_, **__):
        logging.getLogger("a.library").warning("trouble with %s", "/a\n\x1b", exc_info=RuntimeError("boom"))
        return []

    monkeypatch.setattr(api, "search_workspace", complaining)
    assert run("search", "x").err.startswith("warning: trouble with /a\\n\\x1b\nwarning: there is no index")
    assert "RuntimeError: boom" in run("search", "-v", "x").err


def test_an_unexpected_error_is_one_line_and_its_traceback_is_for_v(run, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr(api, "search_workspace", broken)
    answer = run("search", "x")
    assert answer.code == 1
    assert answer.error == ("RuntimeError", "RuntimeError: boom (-v shows the traceback)")
    for arguments in (["-v", "search", "x"], ["search", "x", "-v"]):
        loud = run(*arguments)
        assert "Traceback" in loud.err
        assert loud.err.endswith(answer.err)
    assert run("search", "x") == answer


# --- Entry points --------------------------------------------------------------------------------------------------


def test_it_runs_as_a_module_and_as_hermes(run):
    done = subprocess.run([sys.executable, "-m", "workspace", "roots", "list"], capture_output=True, check=True)
    assert done.stdout == b"[]\n"
    assert run("workspace", "roots", "list", group=hermes).out == b"[]\n"
    assert run("--version").out.startswith(b"hermes-workspace ")
    assert run("chat", group=hermes).error[0] == "NoSuchCommand"


def test_other_commands_go_to_hermes_where_it_is_installed(tmp_path: Path):
    (tmp_path / "hermes_cli").mkdir()
    (tmp_path / "hermes_cli" / "__init__.py").touch()
    (tmp_path / "hermes_cli" / "main.py").write_text("import sys\ndef main():\n    print(sys.argv[1:])\n    return 5\n")
    code = "from workspace.cli import hermes; hermes()"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}

    def hermes_of_both(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        return done.returncode, done.stdout

    assert hermes_of_both("chat", "--model", "workspace") == (5, "['chat', '--model', 'workspace']\n")
    assert hermes_of_both() == (5, "[]\n")
    assert hermes_of_both("--help") == (5, "['--help']\n")
    assert hermes_of_both("workspace", "roots", "list") == (0, "[]\n")


@pytest.mark.usefixtures("indexed")
def test_search_imports_nothing_that_it_does_not_need():
    heavy = (
        "rich",
        "tqdm",
        "chonkie",
        "tree_sitter",
        "pathspec",
        "charset_normalizer",
        "pebble",
        "multiprocessing",
        "filelock",
    )
    before = (
        f"import atexit, sys; atexit.register(lambda: print([m for m in {heavy} if m in sys.modules], file=sys.stderr))"
    )
    done = spawn("search", "deployment", before=before)
    assert len(json.loads(done.stdout)) == 3
    assert done.stderr == b"[]\n"


# --- Documentation -------------------------------------------------------------------------------------------------


def commands(group: click.Command, name: str):
    yield name, group
    if isinstance(group, click.Group):
        with click.Context(group) as context:
            for child in group.list_commands(context):
                yield from commands(group.get_command(context, child), f"{name} {child}")


@pytest.mark.parametrize(
    ("name", "command"), list(commands(main, "hermes-workspace")), ids=lambda v: v if isinstance(v, str) else ""
)
def test_every_command_has_help_and_is_in_the_readme(run, name: str, command: click.Command):
    answer = run(*name.split()[1:], "-h")
    assert answer.code == 0
    assert command.help
    readme = README.read_text(encoding="utf-8")
    assert name in readme
    for parameter in command.params:
        assert isinstance(parameter, click.Argument) or parameter.help
        assert parameter.opts[0] in readme or parameter.name == "words"


def test_the_readme_example_runs(tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Deploying\n\n## Rollback procedure\n\nGo back.\n")
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, "README.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own text
    assert f"{tmp_path}/notes/a.md:" in capsys.readouterr().out


def test_the_readme_table_of_settings_is_complete_and_right():
    from workspace import constants

    rows = dict(
        re.findall(
            r"^\| `((?:workspace|knowledgebase)\.[a-z_.]+)` \| `([^`]*)` \|",
            README.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )
    assert rows == {
        "workspace.enabled": "true",
        "workspace.path": '""',
        "knowledgebase.roots": "[]",
        "knowledgebase.chunking.chunk_size": str(constants.DEFAULT_CHUNK_SIZE),
        "knowledgebase.chunking.overlap": str(constants.DEFAULT_OVERLAP),
        "knowledgebase.chunking.threshold": str(constants.DEFAULT_THRESHOLD),
        "knowledgebase.indexing.max_file_mb": f"{constants.DEFAULT_MAX_FILE_MB:g}",
        "knowledgebase.search.default_limit": str(constants.DEFAULT_LIMIT),
        "knowledgebase.search.max_content_chars": str(constants.DEFAULT_MAX_CONTENT_CHARS),
    }


def test_result_keys_are_the_fields_in_order():
    assert [field.name for field in fields(SearchResult)] == RESULT_KEYS
