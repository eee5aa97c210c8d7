"""Files that no chunker can cut: remembered by content and configuration, and not tried again in vain."""

from __future__ import annotations

import pytest
from support import SMALL, check, index, plant, settings, stored

from workspace import search_workspace
from workspace.pipeline import pool as pool_module
from workspace.pipeline.chunking import chunker as chunker_module

TEXT = "A long story of rivers and bridges. " * 30


@pytest.fixture
def tried(monkeypatch) -> list[str]:
    """The paths that a chunker was asked to cut; it fails on all that say "poison"."""
    paths: list[str] = []
    real = chunker_module.chunk_text

    def brittle(text, path, options, *, fallback=False):
        paths.append(path)
        if "poison" in text:
            raise ValueError("it cannot be cut")
        return real(text, path, options, fallback=fallback)

    monkeypatch.setattr(chunker_module, "chunk_text", brittle)
    return paths


def run(config, **options):
    summary = index(config, inline=True, **options)
    check(config)
    return summary


def test_a_failure_is_reported_by_every_run_and_tried_by_the_first_only(home, tmp_path, tried):
    plant(tmp_path / "tree", {"bad.txt": TEXT + "poison", "good.txt": TEXT})
    config = settings(home, tmp_path / "tree", **SMALL)
    first = run(config)
    assert len(tried) == 3
    tried.clear()
    for _ in range(2):
        again = run(config)
        assert tried == []
        assert (again.files_errored, again.files_skipped) == (1, 1)
        [error], [before] = again.errors, first.errors
        assert (error.path, error.stage, error.error_type) == (before.path, "chunk", "ValueError")
        assert error.message == "it cannot be cut (not tried again until the file changes, or with --retry-failed)"


def test_it_is_tried_again_when_asked_for(home, tmp_path, tried, monkeypatch):
    plant(tmp_path / "tree", {"bad.txt": TEXT + "poison"})
    config = settings(home, tmp_path / "tree", **SMALL)
    run(config)
    tried.clear()
    assert run(config, retry_failed=True).files_errored == 1
    assert len(tried) == 2
    monkeypatch.undo()  # whatever was the matter has been mended
    monkeypatch.setenv("HERMES_HOME", str(home))
    assert run(config).files_errored == 1
    assert run(config, retry_failed=True).files_indexed == 1
    assert run(config).files_errored == 0
    assert len(search_workspace(config, "poison")) > 0


def test_it_is_tried_again_when_the_file_or_the_configuration_changes(home, tmp_path, tried):
    plant(tmp_path / "tree", {"bad.txt": TEXT + "poison"})
    config = settings(home, tmp_path / "tree", **SMALL)
    run(config)
    tried.clear()
    plant(tmp_path / "tree", {"bad.txt": TEXT + "poison still"})
    assert run(config).files_errored == 1
    assert len(tried) == 2
    other = settings(home, tmp_path / "tree", chunking={"chunk_size": 21, "overlap": 5, "threshold": 30})
    assert run(other).files_errored == 1
    assert len(tried) == 4
    plant(tmp_path / "tree", {"bad.txt": TEXT})
    assert (run(other).files_indexed, len(tried)) == (1, 5)


def test_another_file_of_the_same_content_is_not_tried_either(home, tmp_path, tried):
    plant(tmp_path / "tree", {"bad.txt": TEXT + "poison"})
    config = settings(home, tmp_path / "tree", **SMALL)
    run(config)
    tried.clear()
    (tmp_path / "tree" / "bad.txt").rename(tmp_path / "tree" / "renamed.txt")
    assert run(config).errors[0].path == str(tmp_path / "tree" / "renamed.txt")
    assert tried == []


@pytest.mark.parametrize("harm", ["segfault", "exit"])
def test_what_kills_its_worker_is_remembered_through_the_pool_too(home, tmp_path, monkeypatch, harm):
    import poison

    plant(tmp_path / "tree", {f"{harm}.txt": TEXT, "innocent.txt": TEXT + "innocent"})
    config = settings(home, tmp_path / "tree", **SMALL)
    with monkeypatch.context() as patch:
        patch.setattr(pool_module, "chunk_group", poison.chunk_group)
        first = index(config)
        assert (first.files_indexed, first.files_errored) == (1, 1)
        patch.setattr(pool_module, "_new_pool", lambda *_: pytest.fail("there is nothing to chunk"))
        again = index(config)
    assert (again.files_skipped, again.files_errored) == (1, 1)
    assert again.errors[0].error_type == first.errors[0].error_type == "ProcessExpired"
    assert list(stored(config)) == [str(tmp_path / "tree" / "innocent.txt")]


def test_a_run_that_is_being_ended_blames_no_file(home, tmp_path, tried):
    """Its workers may have been killed with it."""
    plant(tmp_path / "tree", {"bad.txt": TEXT + "poison"})
    config = settings(home, tmp_path / "tree", **SMALL)
    from workspace.pipeline import runner

    real = runner._Run._poison

    def cancelled(self, failure):
        self._crew.cancelled.set()
        return real(self, failure)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner._Run, "_poison", cancelled)
        run(config)
    tried.clear()
    run(config)
    assert len(tried) == 2
