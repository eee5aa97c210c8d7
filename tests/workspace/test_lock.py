"""One index run per database: others are told who it is, or wait; a dead one stands in nobody's way."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from workspace.storage.lock import HOLDER_NAME, index_lock
from workspace.types import IndexLocked, WorkspaceError

PROJECT = Path(__file__).resolve().parents[2]

HOLDER = """
import logging, sys
from pathlib import Path
from workspace.storage.lock import index_lock

class Announce(logging.Handler):
    def emit(self, record):
        if "waiting" in record.getMessage():
            print("waiting", flush=True)

logging.getLogger("filelock").setLevel(logging.DEBUG)
logging.getLogger("filelock").addHandler(Announce())
with index_lock(Path(sys.argv[1]), float(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""

PARENT = """
import multiprocessing, os, subprocess, sys, time
from pathlib import Path
from workspace.storage.lock import index_lock

if __name__ == "__main__":
    with index_lock(Path(sys.argv[1])):
        context = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
        worker = context.Process(target=time.sleep, args=(60,))
        worker.start()
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], close_fds=False)
        print("held", flush=True)
        print(worker.pid, child.pid, flush=True)
        time.sleep(60)
"""


@contextmanager
def process(*arguments: object):
    """A Python process with `workspace` on its path; killed when the block ends."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, *map(str, arguments)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def test_the_lock_keeps_out_a_second_run_and_says_who_holds_it(tmp_path):
    with process("-c", HOLDER, tmp_path, 0) as holder:
        assert holder.stdout.readline() == "held\n"
        for wait in (0, 0.01, -1):
            with (
                pytest.raises(IndexLocked, match=rf"process {holder.pid}, since 20\d\d-.*Z") as caught,
                index_lock(tmp_path, wait),
            ):
                pytest.fail("two runs at once")
            assert isinstance(caught.value, WorkspaceError)


def test_a_run_can_wait_for_the_one_before(tmp_path):
    with process("-c", HOLDER, tmp_path, 0) as first:
        assert first.stdout.readline() == "held\n"
        with process("-c", HOLDER, tmp_path, 60) as second:
            assert second.stdout.readline() == "waiting\n"
            first.stdin.close()
            assert "held\n" in iter(second.stdout.readline, "")
            with pytest.raises(IndexLocked, match=f"process {second.pid},"), index_lock(tmp_path):
                pytest.fail("two runs at once")


def test_a_killed_run_holds_nothing(tmp_path):
    with process("-c", HOLDER, tmp_path, 0) as holder:
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
        assert (tmp_path / HOLDER_NAME).exists()
        with index_lock(tmp_path):
            assert str(os.getpid()) in (tmp_path / HOLDER_NAME).read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_the_worker_processes_of_a_killed_run_do_not_keep_its_lock(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with process(script, tmp_path) as parent:
        assert parent.stdout.readline() == "held\n"
        orphans = [int(pid) for pid in parent.stdout.readline().split()]
        try:
            parent.kill()
            parent.wait()
            for pid in orphans:
                os.kill(pid, 0)  # they are still alive
            with index_lock(tmp_path):
                pass
        finally:
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)


def test_the_same_process_does_not_get_it_twice(tmp_path):
    with index_lock(tmp_path):
        with pytest.raises(IndexLocked, match=f"process {os.getpid()},"), index_lock(tmp_path):
            pytest.fail("two runs at once")
        assert (tmp_path / HOLDER_NAME).exists()
        with pytest.raises(IndexLocked), index_lock(tmp_path):
            pytest.fail("the failed attempt has freed the lock")


def test_after_a_run_the_lock_is_free_even_if_it_failed(tmp_path):
    with pytest.raises(RuntimeError), index_lock(tmp_path):
        raise RuntimeError
    assert not (tmp_path / HOLDER_NAME).exists()
    with index_lock(tmp_path):
        pass


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"pid": 1}', b"null"])
def test_an_unreadable_holder_is_another_run(tmp_path, content):
    with index_lock(tmp_path):
        (tmp_path / HOLDER_NAME).write_bytes(content)
        with pytest.raises(IndexLocked, match=r"in use by another run$"), index_lock(tmp_path):
            pytest.fail("two runs at once")


def test_a_holder_that_cannot_be_named_is_no_obstacle(tmp_path):
    (tmp_path / HOLDER_NAME).mkdir()
    with index_lock(tmp_path), pytest.raises(IndexLocked), index_lock(tmp_path):
        pytest.fail("two runs at once")


def test_where_no_lock_can_be_had_the_reason_is_given(tmp_path):
    (tmp_path / "workspace.lock").mkdir()
    with pytest.raises(WorkspaceError, match=r"cannot lock the index .*workspace\.lock: "), index_lock(tmp_path):
        pytest.fail("no lock")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes")
def test_the_files_of_the_lock_are_private(tmp_path):
    with index_lock(tmp_path):
        assert {stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()} == {0o600}
