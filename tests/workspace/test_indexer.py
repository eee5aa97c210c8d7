"""What an index run promises, through the public API, on real files in real directories."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from support import SMALL, check, dump, index, lines_of, plant, settings, stored

from workspace import WorkspaceConfig, WorkspaceError, index_workspace, search_workspace
from workspace.pipeline import runner
from workspace.pipeline.chunking import chunker as chunker_module

PROSE = "\n\n".join(f"Paragraph {n} tells of rivers and of bridges number {n}." for n in range(40)) + "\n"
MARKDOWN = "\n".join(f"## Part {n}\n\nIt tells of rivers and of bridges, {n} of them.\n" for n in range(30))
CODE = "\n\n".join(
    f"def function_{n}(left, right):\n    total = left + right + {n}\n    return total" for n in range(30)
)
TREE = {"long.txt": PROSE, "long.md": MARKDOWN, "long.py": CODE + "\n", "short.md": "# Short\n\nA short note.\n"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    directory = tmp_path / "tree"
    directory.mkdir()
    return directory


def age(path: Path, seconds: float = 3600) -> None:
    """Let a file look as if it had been written some time ago, so that its stat alone can be trusted."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def refuse_to_open(patch: pytest.MonkeyPatch, directory: Path, error: OSError) -> None:
    """Let every attempt to open a file directly in `directory` fail, and nothing else."""
    real = os.open

    def refuse(path, *args, **options):
        if isinstance(path, str | os.PathLike) and Path(path).parent == directory:
            raise error
        return real(path, *args, **options)

    patch.setattr(os, "open", refuse)


def test_a_first_run_indexes_everything_and_a_second_skips_everything(home, tree):
    plant(tree, {**TREE, "empty.txt": "", "blank.txt": " \n\t\n", "image.png": b"\x89PNG"})
    config = settings(home, tree)
    first = index(config)
    assert (first.files_indexed, first.files_skipped, first.files_errored) == (4, 3, 0)
    assert first.chunks_created == 4
    second = index(config)
    assert (second.files_indexed, second.files_skipped, second.chunks_created) == (0, 7, 0)


def test_the_same_stages_inline_give_the_same_database(home, tree, tmp_path):
    plant(tree, TREE)
    threaded = settings(home, tree, **SMALL)
    index(threaded)
    inline = settings(tmp_path / "other", tree, **SMALL)
    index(inline, inline=True)
    assert dump(inline) == dump(threaded)


WORDS = st.lists(
    st.sampled_from(["alpha", "beta", "# Head", "\n", "\r\n", "\r", "def f():", "  ", "\f", "𝒳", "é", "```"])
)


@hypothesis_settings(max_examples=6)
@given(contents=st.lists(WORDS, min_size=1, max_size=5), suffix=st.sampled_from(["md", "py", "txt", "js"]))
def test_threads_and_processes_change_nothing(tmp_path_factory, contents, suffix):
    """The database of a threaded run with a pool equals that of the same stages run one after the other."""
    base = tmp_path_factory.mktemp("same")
    plant(base / "tree", {f"{n}.{suffix}": " ".join(words) for n, words in enumerate(contents)})
    options = {"chunking": {"chunk_size": 6, "overlap": 2, "threshold": 4}}
    threaded = settings(base / "threaded", base / "tree", **options)
    inline = settings(base / "inline", base / "tree", **options)
    index(threaded)
    index(inline, inline=True)
    assert dump(inline) == dump(threaded)


@pytest.mark.parametrize("name", ["long.txt", "long.md", "long.py"])
def test_overlap_reaches_every_chunker_and_a_changed_one_changes_the_chunks(home, tree, name):
    plant(tree, {name: TREE[name]})
    path = str(tree / name)
    index(settings(home, tree, chunking={"chunk_size": 20, "overlap": 0, "threshold": 0}))
    apart = stored(settings(home, tree))[path]
    assert all(a["end_char"] == b["start_char"] for a, b in pairwise(apart))
    summary = index(settings(home, tree, chunking={"chunk_size": 20, "overlap": 6, "threshold": 0}))
    assert summary.files_indexed == 1
    overlapping = stored(settings(home, tree))[path]
    assert overlapping != apart
    for before, after in pairwise(overlapping):
        shared = TREE[name][after["start_char"] : before["end_char"]]
        assert len(shared.split()) == 6
    assert max(row["token_count"] for row in overlapping) <= 20


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("threshold", [0, 100_000])
def test_lines_and_offsets_are_those_of_the_file(home, tree, line_end, threshold):
    """A 142-line file with a final newline ends at 142, whole or in chunks."""
    text = "".join(f"line {n} \x0b of \x0c the \u2028 file 𝒳{line_end}" for n in range(1, 143))
    plant(tree, {"file.txt": text})
    config = settings(home, tree, chunking={"chunk_size": 50, "overlap": 10, "threshold": threshold})
    index(config)
    rows = stored(config)[str(tree / "file.txt")]
    assert rows[0]["start_line"] == 1
    assert rows[-1]["end_line"] == 142
    lines = lines_of(text)
    for row in rows:
        assert row["content"] == text[row["start_char"] : row["end_char"]]
        covered = "".join(lines[row["start_line"] - 1 : row["end_line"]])
        assert row["content"].strip("\r\n") in covered


def test_a_file_in_an_old_encoding_is_found_by_its_words(home, tree):
    plant(
        tree,
        {
            "latin.txt": "Das Café an der Straße schließt früh.\n".encode("latin-1"),
            "japanese.txt": "検索エンジンは文書を索引に登録し、質問に答えます。\n".encode("shift_jis"),
            "wide.txt": "Ein Satz über Brücken.\n".encode("utf-16"),
        },
    )
    config = settings(home, tree)
    assert index(config).files_indexed == 3
    assert [Path(hit.path).name for hit in search_workspace(config, "Straße")] == ["latin.txt"]
    assert [Path(hit.path).name for hit in search_workspace(config, "Brücken")] == ["wide.txt"]
    assert "検索エンジン" in stored(config)[str(tree / "japanese.txt")][0]["content"]


def test_one_file_that_fails_does_not_abort_the_run(home, tree, monkeypatch):
    plant(tree, {"good.txt": "fine words\n", "closed/bad.txt": "other words\n"})
    refuse_to_open(monkeypatch, tree / "closed", PermissionError(13, "Permission denied"))
    summary = index(settings(home, tree))
    assert (summary.files_indexed, summary.files_errored) == (1, 1)
    [error] = summary.errors
    assert (error.path, error.stage, error.error_type) == (str(tree / "closed/bad.txt"), "read", "PermissionError")


def test_a_transient_failure_keeps_the_last_good_rows(home, tree, monkeypatch):
    plant(tree, {"note.txt": "precious words\n"})
    config = settings(home, tree)
    index(config)
    plant(tree, {"note.txt": "changed words\n"})
    with monkeypatch.context() as patch:
        refuse_to_open(patch, tree, OSError(5, "Input/output error"))
        assert index(config).files_errored == 1
    assert [hit.stale for hit in search_workspace(config, "precious")] == [True]
    index(config)
    assert search_workspace(config, "precious") == []


def test_content_that_is_known_to_be_gone_is_not_served(home, tree):
    plant(tree, {"note.txt": "precious words\n"})
    config = settings(home, tree)
    index(config)
    plant(tree, {"note.txt": b"precious \x00\x01\x02 binary\n"})
    index(config)
    assert search_workspace(config, "precious") == []


@pytest.mark.parametrize("name", ["long.md", "long.py"])
def test_a_failing_chunker_is_replaced_by_the_default_one(home, tree, monkeypatch, name):
    plant(tree, {name: TREE[name]})
    real = chunker_module.chunk_text
    tried = []

    def brittle(text, path, options, *, fallback=False):
        tried.append(fallback)
        if not fallback:
            raise RuntimeError("the parser gave up")
        return real(text, path, options, fallback=True)

    monkeypatch.setattr(chunker_module, "chunk_text", brittle)
    config = settings(home, tree, **SMALL)
    summary = index(config, inline=True)
    assert tried == [False, True]
    assert (summary.files_indexed, summary.files_errored) == (1, 0)
    assert len(stored(config)[str(tree / name)]) > 1


def test_a_file_that_no_chunker_can_cut_is_reported_and_its_old_rows_go(home, tree, monkeypatch):
    plant(tree, {"long.txt": PROSE, "other.txt": "small\n"})
    config = settings(home, tree, **SMALL)
    index(config)

    def broken(*_, **__):
        raise ValueError("no")

    monkeypatch.setattr(chunker_module, "chunk_text", broken)
    plant(tree, {"long.txt": PROSE + "More of it.\n"})
    summary = index(config, inline=True)
    [error] = summary.errors
    assert (error.stage, error.error_type, error.message) == ("chunk", "ValueError", "no")
    assert list(stored(config)) == [str(tree / "other.txt")]


def test_what_is_gone_is_pruned(home, tree):
    plant(tree, {"stays.txt": "a b\n", "deleted.txt": "c d\n", "ignored.txt": "e f\n", "empty.txt": "g h\n"})
    config = settings(home, tree)
    index(config)
    (tree / "deleted.txt").unlink()
    plant(tree, {".hermesignore": "ignored.txt\n", "empty.txt": ""})
    assert index(config).files_pruned == 3
    assert list(stored(config)) == [str(tree / "stays.txt")]


def test_a_root_that_is_away_loses_nothing_and_stops_nothing(home, tree, tmp_path):
    """An unmounted disk must not empty the index; other roots are pruned all the same."""
    away = tmp_path / "away"
    plant(away, {"kept.txt": "kept words\n"})
    plant(tree, {"deleted.txt": "other words\n"})
    config = settings(home, away, tree)
    index(config)
    away.rename(tmp_path / "elsewhere")
    (tree / "deleted.txt").unlink()
    summary = index(config)
    assert (summary.files_pruned, summary.files_errored) == (1, 1)
    assert list(stored(config)) == [str(away / "kept.txt")]


def test_an_unreadable_root_keeps_only_what_it_covers(home, tree, monkeypatch):
    """A root that is not recursive says nothing of the directories in it."""
    plant(tree, {"own.txt": "a b\n", "inner/other.txt": "c d\n"})
    inner = {"path": str(tree / "inner"), "recursive": True}
    outer = {"path": str(tree), "recursive": False}
    index(WorkspaceConfig.from_dict({"knowledgebase": {"roots": [outer, inner]}}, home=home))
    real = os.scandir

    def refuse(path):
        if os.fsdecode(path).rstrip("/") == str(tree):
            raise PermissionError(13, "Permission denied")
        return real(path)

    config = WorkspaceConfig.from_dict({"knowledgebase": {"roots": [outer]}}, home=home)
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse)
        assert index(config).files_pruned == 1
    assert list(stored(config)) == [str(tree / "own.txt")]


@pytest.mark.parametrize("jobs", [0, -1])
def test_a_run_without_workers_is_refused(home, tree, jobs):
    with pytest.raises(ValueError, match="at least 1"):
        index_workspace(settings(home, tree), jobs=jobs)


def test_a_root_taken_out_of_the_configuration_is_pruned_but_for_what_another_covers(home, tree):
    plant(tree, {"a.txt": "one two\n", "inner/b.txt": "three four\n"})
    index(settings(home, tree, tree / "inner"))
    after = settings(home, tree / "inner")
    index(after)
    assert dump(after)[0][0][:2] == (str(tree / "inner/b.txt"), str(tree / "inner"))
    assert len(dump(after)[0]) == 1


def test_an_incremental_index_equals_a_fresh_one(home, tree, tmp_path):
    """After a seeded history of writes, edits, renames and deletions."""
    rng = random.Random(7)  # noqa: S311 - a history, not a secret
    config = settings(home, tree, **SMALL)
    names = [f"d{n % 3}/f{n}.{suffix}" for n, suffix in enumerate(["md", "txt", "py", "html"] * 3)]
    for step in range(6):
        for name in rng.sample(names, 5):
            path = tree / name
            if path.exists() and rng.random() < 0.3:
                path.unlink()
            else:
                words = rng.choices(["river", "bridge", "# Head", "def f(): pass", "\n"], k=rng.randrange(1, 80))
                plant(tree, {name: " ".join(words) + f" {step}"})
        index(config)
    fresh = settings(tmp_path / "fresh", tree, **SMALL)
    index(fresh)
    assert dump(config) == dump(fresh)


def test_an_edit_that_keeps_size_and_mtime_is_seen_by_verify_at_the_latest(home, tree):
    plant(tree, {"note.txt": "old words\n"})
    age(tree / "note.txt")
    config = settings(home, tree)
    index(config)
    stat = (tree / "note.txt").stat()
    plant(tree, {"note.txt": "new words\n"})
    os.utime(tree / "note.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    index(config, verify=True)
    assert [hit.content for hit in search_workspace(config, "new")] == ["new words\n"]


def test_a_file_as_young_as_the_run_is_not_trusted_by_its_stat(home, tree):
    """An edit within the same clock tick, of the same size, is still found."""
    plant(tree, {"note.txt": "old words\n"})
    config = settings(home, tree)
    index(config)
    stat = (tree / "note.txt").stat()
    plant(tree, {"note.txt": "new words\n"})
    os.utime(tree / "note.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    index(config)
    assert len(search_workspace(config, "new")) == 1


def test_a_touched_file_is_hashed_and_skipped(home, tree):
    plant(tree, {"note.txt": "same words\n"})
    config = settings(home, tree)
    index(config)
    age(tree / "note.txt", 60)
    summary = index(config)
    assert (summary.files_indexed, summary.files_skipped) == (0, 1)
    assert [hit.stale for hit in search_workspace(config, "same")] == [False]


def test_errors_are_listed_up_to_fifty_and_counted_beyond(home, tree, monkeypatch):
    plant(tree, {f"{n}.txt": "words\n" for n in range(60)})
    refuse_to_open(monkeypatch, tree, OSError(5, "Input/output error"))
    summary = index(settings(home, tree))
    assert (summary.files_errored, len(summary.errors), summary.errors_truncated) == (60, 50, True)


def test_progress_counts_every_file_once_and_ends_complete(home, tree):
    plant(tree, TREE)
    seen = []
    index(settings(home, tree), progress=seen.append)
    assert [step.done for step in seen] == sorted(step.done for step in seen)
    assert (seen[-1].done, seen[-1].found, seen[-1].discovering) == (4, 4, False)
    assert all(step.done <= step.found for step in seen)


@pytest.mark.parametrize("stage", ["discover", "read_all", "chunk", "store"])
def test_a_stage_that_dies_is_the_error_that_the_caller_sees(home, tree, monkeypatch, stage):
    plant(tree, TREE)
    config = settings(home, tree)

    def dying(*_, **__):
        raise RuntimeError(f"{stage} is broken")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(runner, stage, dying)
        with pytest.raises(RuntimeError, match=f"{stage} is broken"):
            index_workspace(config)
    check(config)
    assert index(config).files_indexed == 4


def test_an_error_in_the_progress_callback_ends_the_run_cleanly(home, tree):
    plant(tree, {f"{n}.txt": "words\n" for n in range(500)})
    config = settings(home, tree)

    def fail(_):
        raise KeyError("callback")

    with pytest.raises(KeyError):
        index_workspace(config, progress=fail)
    check(config)


def test_ctrl_c_keeps_what_is_whole_and_leaves_nothing_running(home, tree):
    """A real signal to a real process group, while a real run is under way."""
    plant(tree, {f"{n}.txt": f"file number {n}\n" * 200 for n in range(3000)})
    config = settings(home, tree)
    script = dedent(f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from support import settings
        from workspace import index_workspace
        from workspace.pipeline import runner
        runner.IN_FLIGHT_BYTES = 1_000_000
        def interrupt(progress):
            if progress.done > 300:
                os.killpg(0, signal.SIGINT)
        if __name__ == "__main__":
            try:
                index_workspace(settings(Path({str(home)!r}), Path({str(tree)!r})), progress=interrupt)
            except KeyboardInterrupt:
                sys.exit(130)
    """)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60, start_new_session=True
    )
    assert (done.returncode, done.stderr) == (130, "")
    check(config)
    interrupted = len(dump(config)[0])
    assert 0 < interrupted < 3000
    summary = index(config)
    assert summary.files_indexed == 3000 - interrupted


def test_an_interrupt_at_any_moment_ends_the_run_in_good_order(home, tree):
    """Seeded moments from the first file to the last. What was committed is whole; the next run completes it."""
    plant(tree, {f"{n}.md": f"# Part {n}\n\n" + "some words of it\n" * 60 for n in range(400)})
    config = settings(home, tree, **SMALL)
    script = dedent(f"""
        import random, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from support import SMALL, check, holds_tables, settings
        from workspace import index_workspace, search_workspace
        if __name__ == "__main__":
            rng, ends = random.Random(3), set()
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            for moment in [rng.uniform(0.001, 0.6) for _ in range(12)]:
                home = Path({str(home)!r}) / f"{{moment}}"
                signal.setitimer(signal.ITIMER_REAL, moment)
                try:
                    index_workspace(settings(home, Path({str(tree)!r}), **SMALL))
                    ends.add("whole")
                except KeyboardInterrupt:
                    ends.add("interrupted")
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                search_workspace(settings(home), "words")
                if holds_tables(settings(home)):
                    check(settings(home))
            assert "interrupted" in ends
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert index(config).files_indexed == 400


def test_a_killed_run_leaves_whole_files_and_no_lock(home, tree):
    plant(tree, {f"{n}.txt": f"file number {n}\n" * 200 for n in range(3000)})
    config = settings(home, tree)
    script = dedent(f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from support import settings
        from workspace import index_workspace
        def die(progress):
            if progress.done > 300:
                os.kill(os.getpid(), signal.SIGKILL)
        if __name__ == "__main__":
            index_workspace(settings(Path({str(home)!r}), Path({str(tree)!r})), progress=die)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    check(config)
    index(config)
    assert len(dump(config)[0]) == 3000


def test_a_second_run_says_who_indexes(home, tree):
    plant(tree, TREE)
    config = settings(home, tree)

    def second(_):
        with pytest.raises(WorkspaceError, match=str(os.getpid())):
            index_workspace(config)

    index(config, progress=second)


def test_a_large_document_and_small_ones_all_land(home, tree, monkeypatch):
    """Even when the budget of bytes in flight is smaller than each of them."""
    monkeypatch.setattr("workspace.pipeline.runner.IN_FLIGHT_BYTES", 1000)
    plant(tree, {"large.txt": "word " * 40_000, **{f"{n}.txt": "words\n" * 300 for n in range(4)}})
    assert index(settings(home, tree)).files_indexed == 5


def test_the_database_is_never_indexed_itself(home, tree):
    """Wherever it lies, and under whatever name."""
    plant(tree, {"note.txt": "words\n"})
    config = settings(home, home)
    index(config)
    os.link(config.database_path, home / "copy.txt")
    assert index(config).files_errored == 0
    assert str(home / "copy.txt") not in stored(config)
