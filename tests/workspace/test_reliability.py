"""What docs/reliability.md promises besides damage and poison: a seeded sample of the long runs, and single faults."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from soaking import Home, Tree, completes, end_at, history
from support import SMALL, check, dump, index, plant, settings

from workspace import IndexLocked, WorkspaceError, index_workspace, search_workspace
from workspace.storage import connection as connection_module
from workspace.storage import repair as repair_module

TREE = {f"d{n % 5}/{n}.md": f"# Part {n}\n\n" + f"some words of part {n}\n" * 60 for n in range(120)}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    plant(tmp_path / "tree", TREE)
    return tmp_path / "tree"


# --- Samples of the long runs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_an_incremental_index_is_a_fresh_one_whatever_has_happened(tmp_path, seed):
    assert history(tmp_path, random.Random(seed), steps=12) > 3  # noqa: S311


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    "signals",
    [
        (signal.SIGKILL,),
        (signal.SIGINT,),
        (signal.SIGTERM,),
        (signal.SIGINT, signal.SIGINT),
        (signal.SIGTERM, signal.SIGINT),
        (signal.SIGTERM, signal.SIGTERM),
    ],
    ids=lambda signals: "+".join(number.name for number in signals),
)
def test_a_run_that_is_ended_leaves_a_sound_index_that_the_next_one_completes(tmp_path, signals):
    rng = random.Random(len(signals) + signals[0])  # noqa: S311
    tree = Tree(tmp_path / "tree", rng)
    tree.fill(200, 150)
    home = Home(tmp_path / "home", tree.root)
    for moment in (rng.uniform(0, 0.2), rng.uniform(0.1, 0.6)):
        _, code, errors = end_at(home, moment, signals, whole_group=False)
        assert code in {0, 130, 143, -signals[0], -signals[-1]}
        assert code <= 0 or '{"error":{"type":' in errors
    completes(home, tmp_path / "fresh")


# --- Full and failing disks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pages", [0, 1, 3, 10, 30, 60])
@pytest.mark.parametrize("first", [True, False], ids=["first run", "incremental run"])
def test_on_a_full_disk_that_is_what_the_user_reads_and_batches_stay(home, tree, monkeypatch, pages, first):
    """Whatever needs the page that is not there: the tables, a batch, pruning, a note at the end."""
    config = settings(home, tree, **SMALL)
    monkeypatch.setattr("workspace.storage.writer._BATCH_ROWS", 100)
    if not first:
        index(config)
        for n in range(40):
            plant(tree, {f"d{n % 5}/{n}.md": "changed words " * 200, f"new/{n}.txt": "new words\n" * 50})
            (tree / f"d{(n + 60) % 5}" / f"{n + 60}.md").unlink()
    real = connection_module.open_writer

    def nearly_full(path):
        connection = real(path)
        connection.pragma("max_page_count", connection.pragma("page_count") + pages)
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(repair_module, "open_writer", nearly_full)
        with pytest.raises(WorkspaceError, match=r"^cannot write the index .*: the disk is full; make room and index"):
            index_workspace(config)
    check(config)
    index(config)
    fresh = settings(tree.parent / "fresh", tree, **SMALL)
    index(fresh)
    assert dump(config) == dump(fresh)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of file sizes that is an error")
@pytest.mark.parametrize("limit", [1_000, 50_000, 150_000])
def test_a_disk_that_refuses_to_write_is_one_clear_error(tmp_path, tree, limit):
    home = Home(tmp_path / "home", tree)
    code = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
from workspace.cli import main
main(["index"], "hermes-workspace")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"HERMES_HOME": str(home.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads(done.stderr)["error"]["message"].startswith("cannot write the index")
    completes(home, tmp_path / "fresh")


def test_a_program_that_holds_the_database_is_named_as_the_reason(home, tree, monkeypatch):
    monkeypatch.setattr(connection_module, "_BUSY_SECONDS", 0.0)
    config = settings(home, tree)
    index(config)
    plant(tree, {"new.md": "new\n"})
    shell = apsw.Connection(str(config.database_path))
    shell.execute("BEGIN IMMEDIATE").fetchall()
    with pytest.raises(WorkspaceError, match="another program holds it"):
        index_workspace(config)
    assert len(search_workspace(config, "part", limit=3)) == 3
    shell.execute("ROLLBACK").fetchall()
    shell.close()
    assert index(config).files_indexed == 1


def test_a_program_that_lets_go_in_time_is_waited_for(home, tree, monkeypatch):
    """The moment it lets go is one of our attempts."""
    config = settings(home, tree)
    index(config)
    plant(tree, {"new.md": "new\n"})
    shell = apsw.Connection(str(config.database_path))
    shell.execute("BEGIN IMMEDIATE").fetchall()
    waited = []

    def let_go(seconds):
        waited.append(seconds)
        if len(waited) == 3:
            shell.execute("ROLLBACK").fetchall()

    monkeypatch.setattr(connection_module.time, "sleep", let_go)
    connection = connection_module.open_writer(config.database_path)
    connection.execute("BEGIN IMMEDIATE").fetchall()
    connection.close()
    shell.close()
    assert len(waited) == 3
    assert len(set(waited)) == 3, "in step"


# --- Rivals -----------------------------------------------------------------------------------------------------


def test_of_four_runs_at_once_on_no_database_one_indexes_and_the_others_say_who(tmp_path, tree):
    home = Home(tmp_path / "home", tree)
    started = [home.start("index") for _ in range(4)]
    ends = [(process.communicate()[1].decode(), process.returncode) for process in started]
    assert 0 in {code for _, code in ends}
    for errors, code in ends:
        assert code == 0 or json.loads(errors)["error"]["type"] == IndexLocked.__name__
    completes(home, tmp_path / "fresh")


def test_those_who_wait_all_index_in_turn(tmp_path, tree):
    home = Home(tmp_path / "home", tree)
    started = [home.start("index", "--wait", "60") for _ in range(3)]
    assert [(process.communicate()[1], process.returncode) for process in started] == [(b"", 0)] * 3
    completes(home, tmp_path / "fresh")


# --- Hostile trees ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
def test_a_hostile_tree_costs_nothing_but_its_own_files(tmp_path, home):
    tree = tmp_path / "tree"
    names = ["a\x1b[31m.md", "b\nc.md", "q\"'#%&?.md", "x" * 250 + ".md", " ", "-rf", "ünï.md", "\u202e.md"]
    plant(tree, dict.fromkeys(names, "odd words\n"))
    with open(os.path.join(os.fsencode(tree), b"\xff\xfe.md"), "wb") as file:  # noqa: PTH118, PTH123 - no str
        file.write(b"unreachable\n")
    os.mkfifo(tree / "fifo.md")
    with socket.socket(socket.AF_UNIX) as server:
        there = Path.cwd()
        os.chdir(tree)  # the path of a socket is short
        server.bind("socket.md")
        os.chdir(there)
    (tree / "loop").symlink_to(tree, target_is_directory=True)
    (tree / "escape.md").symlink_to("/etc/passwd")
    (tree / "device.md").symlink_to("/dev/zero")
    summary = index(settings(home, tree))
    assert (summary.files_indexed, summary.files_errored) == (len(names), 1)
    assert summary.errors[0].path == str(tree / "\\xff\\xfe.md")
    assert {hit.path for hit in search_workspace(settings(home), "odd")} == {str(tree / name) for name in names}


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="needs paths relative to a directory")
def test_directories_deeper_than_a_path_can_be_are_reported_once(tmp_path, home):
    tree = tmp_path / "tree"
    plant(tree, {"note.md": "words\n"})
    top = descriptor = os.open(tree, os.O_RDONLY)
    for _ in range(2_500):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        if descriptor != top:
            os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    os.close(top)
    summary = index(settings(home, tree))
    assert (summary.files_indexed, summary.files_errored) == (1, 1)
    assert "File name too long" in summary.errors[0].message
    subprocess.run(["rm", "-rf", str(tree / "d")], check=True)


# --- Privacy ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes")
def test_what_is_stored_is_for_its_owner_alone(home, tree):
    before = os.umask(0)
    try:
        config = settings(home, tree)
        index(config)
        config.database_path.write_bytes(config.database_path.read_bytes()[:5000])
        index(config)
    finally:
        os.umask(before)
    modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in config.index_directory.iterdir()}
    assert stat.S_IMODE(config.index_directory.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert any(".damaged-" in name for name in modes)


def test_an_index_run_opens_no_network_connection(tmp_path, tree):
    """Every attempt to make a socket that leaves the machine ends the process."""
    home = Home(tmp_path / "home", tree)
    code = """
import os, socket, sys
def watch(event, arguments):
    if event == "socket.connect" and arguments[0].family != socket.AF_UNIX or event == "socket.getaddrinfo":
        os.write(2, f"{event} {arguments}".encode())
        os._exit(9)
sys.addaudithook(watch)
if __name__ == "__main__":
    from workspace.cli import main
    main(sys.argv[1:], "hermes-workspace")
"""
    for command in (["index"], ["search", "words"], ["status"], ["repair"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *command],
            env=os.environ | {"HERMES_HOME": str(home.path)},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
