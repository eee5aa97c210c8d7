"""Worker processes: a poisonous file costs that file only, and no process outlives the pool."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from workspace.pipeline import pool as pool_module
from workspace.pipeline.chunking.options import ChunkOptions
from workspace.pipeline.items import Candidate, Document, Failed
from workspace.pipeline.pool import ChunkPool, InlineChunks
from workspace.types import FileStat

OPTIONS = ChunkOptions(chunk_size=8, overlap=2, threshold=0)


def document(name: str, text: str = "one two three\n") -> Document:
    return Document(Candidate(f"/tree/{name}", "/tree", FileStat(len(text), 0, 0, 1), 0), "hash", text, "utf-8")


@pytest.fixture
def poisoned(monkeypatch):
    """The pool's own machinery, with a worker function that harms its process by file name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    import poison

    monkeypatch.setattr(pool_module, "chunk_group", poison.chunk_group)
    monkeypatch.setattr(pool_module, "DEADLINE_SECONDS", 2.0)
    monkeypatch.setattr(pool_module, "LEAST_MEMORY", 700_000_000)


def outcome(*documents: Document, jobs: int = 2) -> dict[str, object]:
    pool = ChunkPool(OPTIONS, jobs=jobs, on_ready=lambda: None)
    try:
        for each in documents:
            pool.submit(each)
        results = [result for batch in pool.rest() for result in batch]
    finally:
        pool.close()
    assert not [child for child in multiprocessing.active_children() if child.name.startswith("pebble")]
    assert len(results) == len({each.candidate.path for each, _ in results}), "a document was answered twice"
    return {Path(each.candidate.path).name: answer for each, answer in results}


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize(
    ("name", "error_type"),
    [
        ("segfault.md", "ProcessExpired"),
        ("killed.md", "ProcessExpired"),
        ("exit.md", "ProcessExpired"),
        ("hang.md", "TimeoutError"),
        ("abort.md", "ProcessExpired"),
        pytest.param("allocate.md", "MemoryError", marks=pytest.mark.skipif(sys.platform != "linux", reason="rlimits")),
        ("raise.md", "ValueError"),
    ],
)
def test_a_poisonous_file_costs_only_itself(name, error_type):
    """The innocent files of its group land, and it is reported at the chunk stage."""
    answers = outcome(document("a.md"), document(name), document("b.md"))
    assert isinstance(answers["a.md"], list)
    assert isinstance(answers["b.md"], list)
    failure = answers[name]
    assert isinstance(failure, Failed)
    assert (failure.stage, failure.error_type, failure.rows_are_gone) == ("chunk", error_type, True)


@pytest.mark.usefixtures("poisoned")
def test_a_chunker_that_kills_its_worker_is_replaced_by_the_default_one():
    answers = outcome(document("once-segfault.md"), document("once-exit.md"))
    assert all(isinstance(answer, list) for answer in answers.values())


@pytest.mark.usefixtures("poisoned")
def test_an_exception_that_cannot_be_pickled_is_reported_like_any_other():
    answers = outcome(document("unpicklable.md"), document("a.md"))
    assert isinstance(answers["unpicklable.md"], Failed)
    assert isinstance(answers["a.md"], list)


@pytest.mark.usefixtures("poisoned")
def test_abandoning_ends_the_wait_for_a_hanging_worker():
    pool = ChunkPool(OPTIONS, jobs=1, on_ready=lambda: None)
    pool.submit(document("hang.md"))
    assert pool.ready() == []  # sends it
    pool.abandon()
    assert [result for batch in pool.rest() for result in batch] == []
    pool.close()
    assert not [child for child in multiprocessing.active_children() if child.name.startswith("pebble")]


def test_a_pool_and_this_process_give_the_same_chunks():
    documents = [document(f"{n}.{suffix}", "word " * (30 + n)) for n in range(4) for suffix in ("md", "py", "txt")]
    inline = InlineChunks(OPTIONS)
    for each in documents:
        inline.submit(each)
    expected = {Path(each.candidate.path).name: spans for each, spans in inline.ready()}
    assert outcome(*documents) == expected


def test_a_pool_that_cannot_start_means_chunking_here_with_one_warning(monkeypatch, caplog):
    def refuse(*_):
        raise OSError("no processes to be had")

    monkeypatch.setattr(pool_module, "_new_pool", refuse)
    with caplog.at_level("WARNING"):
        answers = outcome(document("a.md"), document("b.md"))
    assert all(isinstance(answer, list) for answer in answers.values())
    assert len(caplog.records) == 1


def plant_a_long_file(home):
    """Make the workspace hold one file that is not chunked without workers."""
    notes = home / "workspace" / "notes"
    notes.mkdir(parents=True)
    (notes / "long.txt").write_text("alpha beta gamma\n" * 50)
    (home / "config.yaml").write_text("knowledgebase: {chunking: {chunk_size: 20, overlap: 5, threshold: 10}}\n")


def test_what_lies_in_the_current_directory_is_not_imported(home, tmp_path):
    """Whoever indexes from inside a strange repository must not run its code."""
    plant_a_long_file(home)
    for name in ("workspace", "chonkie", "numpy"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    path = tmp_path / "elsewhere" / "script.py"
    path.parent.mkdir()
    path.write_text(
        dedent("""
        from workspace import WorkspaceConfig, index_workspace
        if __name__ == "__main__":
            print(index_workspace(WorkspaceConfig.load()).files_indexed)
        """)
    )
    command = [sys.executable, path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_an_interrupt_of_the_terminal_does_not_reach_the_fork_server(home, tmp_path):
    """Ctrl-C goes to every process in front of a terminal, and the server prints a traceback while it still imports."""
    plant_a_long_file(home)
    script = tmp_path / "script.py"
    script.write_text(
        dedent("""
        import signal
        from multiprocessing import forkserver
        from pathlib import Path
        from workspace import WorkspaceConfig, index_workspace
        if __name__ == "__main__":
            index_workspace(WorkspaceConfig.load())
            status = Path(f"/proc/{forkserver._forkserver._forkserver_pid}/status").read_text()
            blocked = int(status.split("SigBlk:")[1].split()[0], 16)
            print(bool(blocked >> (signal.SIGINT - 1) & 1))
        """)
    )
    command = [sys.executable, script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_script_without_a_main_guard_indexes_once_and_completely(home, tmp_path):
    """Its workers cannot start, so it chunks in its own process."""
    plant_a_long_file(home)
    script = tmp_path / "script.py"
    script.write_text(
        dedent("""
        from workspace import WorkspaceConfig, index_workspace
        print(index_workspace(WorkspaceConfig.load()).files_indexed)
        """)
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "1\n"
    assert "Traceback" not in done.stderr


def test_a_script_through_a_pipe_indexes_once_and_completely(home):
    """It is no file that workers could import, and says so in one sentence."""
    plant_a_long_file(home)
    script = dedent("""
        from workspace import WorkspaceConfig, index_workspace
        if __name__ == "__main__":
            print(index_workspace(WorkspaceConfig.load()).files_indexed)
        """)
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "1\n"
    assert len(done.stderr.splitlines()) == 1
    assert "the worker processes do not run" in done.stderr
