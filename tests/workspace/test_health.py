"""Damage of every kind: what each command says of it, and that one more run makes the index whole again."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

import apsw
import pytest
from support import check, dump, plant, settings

from workspace import (
    Condition,
    IndexLocked,
    IndexUnusable,
    WorkspaceError,
    index_workspace,
    repair_index,
    reset_index,
    search_workspace,
    workspace_status,
)
from workspace.storage.connection import open_writer
from workspace.storage.lock import index_lock
from workspace.storage.transaction import transaction

PAGE = 4096
WORDS = ["river", "bridge", "lamp", "stone", "cloud", "train", "apple", "letter"]


def sentence(number: int) -> str:
    rng = random.Random(number)  # noqa: S311 - words, not secrets
    return " ".join(rng.choices(WORDS, k=120)) + f" number{number}\n"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tree, and a sound database of it."""
    base = tmp_path_factory.mktemp("sample")
    plant(base / "tree", {f"{n}.txt": sentence(n) for n in range(150)})
    config = settings(base / "home", base / "tree")
    index_workspace(config)
    return base / "tree", config.database_path


@pytest.fixture
def config(home: Path, sample: tuple[Path, Path]):
    """A home with a copy of that database."""
    tree, database = sample
    config = settings(home, tree)
    config.index_directory.mkdir(parents=True, mode=0o700)
    shutil.copy(database, config.database_path)
    return config


# --- Damage -----------------------------------------------------------------------------------------------------


def cut_to(size):
    """Truncate to `size` bytes; of a negative one, so many are missing at the end."""
    return lambda path: os.truncate(path, size if size > 0 else path.stat().st_size + size)


def half(path):
    os.truncate(path, path.stat().st_size // 2)


def garbage_in(pattern, pages=3):
    """Overwrite pages of the tables and indexes whose names fit with noise."""

    def damage(path):
        connection = apsw.Connection(str(path))
        found = connection.execute("SELECT pageno FROM dbstat WHERE name GLOB ? ORDER BY pageno", (pattern,)).fetchall()
        connection.close()
        rng = random.Random(5)  # noqa: S311
        with path.open("r+b") as file:
            for (page,) in rng.sample(found, min(pages, len(found))):
                file.seek((page - 1) * PAGE)
                file.write(rng.randbytes(PAGE))

    return damage


def sql(*statements):
    def damage(path):
        connection = apsw.Connection(str(path))
        for statement in statements:
            connection.execute(statement).fetchall()
        connection.close()

    return damage


def foreign(path):
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()


def text(path):
    path.write_text("Dear Ada,\n" * 1000)


def wal_of_another_moment(path):
    """Lay beside the database a -wal of an earlier one, of which other rows have come and gone since."""
    earlier = open_writer(path)
    with transaction(earlier):
        earlier.execute("DELETE FROM files WHERE abs_path GLOB '*[13579].txt'").fetchall()
    wal = path.with_name(path.name + "-wal").read_bytes()
    earlier.close()
    later = open_writer(path)
    with transaction(later):
        later.execute("DELETE FROM files WHERE abs_path GLOB '*2?.txt'").fetchall()
    later.close()
    path.with_name(path.name + "-wal").write_bytes(wal)


TEXT_INDEX = {
    "full-text index: pages of noise": garbage_in("chunks_fts_data"),
    "full-text index: all pages noise": garbage_in("chunks_fts*", 1000),
    "full-text index: overwritten rows": sql("UPDATE chunks_fts_data SET block = zeroblob(9) WHERE id > 10"),
    "full-text index: no configuration": sql("DELETE FROM chunks_fts_config"),
    "full-text index: missing": sql("DROP TABLE chunks_fts"),
    "full-text index: out of step": sql("INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')"),
}
STRUCTURE = {
    "cut to 50 bytes": cut_to(50),
    "cut to 90 bytes": cut_to(90),
    "cut in half": half,
    "noise in files": garbage_in("files"),
    "noise in chunks": garbage_in("chunks", 2),
    "noise in an index of chunks": garbage_in("sqlite_autoindex_chunks_1", 1),
    "noise in the schema": lambda path: path.write_bytes(path.read_bytes()[:120] + b"\xff" * 3000 + b"\0" * 9000),
    "a table is missing": sql("DROP TABLE meta"),
    "rows without their file": sql("PRAGMA foreign_keys = OFF", "DELETE FROM files WHERE rowid < 5"),
    "half a file": sql("DELETE FROM chunks WHERE id = 7"),
}
UNKNOWN = {"cut by 100 bytes": cut_to(-100), "a -wal of another moment": wal_of_another_moment}
"""What is hit depends on what happens to lie there."""

REFUSED = {
    "foreign": (foreign, Condition.FOREIGN, "another program"),
    "foreign and damaged": (
        lambda path: [foreign(path), path.write_bytes(path.read_bytes()[:200] + b"\xff" * 3000)],
        Condition.FOREIGN,
        "may be another program's",
    ),
    "text": (text, Condition.NOT_A_DATABASE, "is not a database; move it away"),
    "newer": (sql("PRAGMA user_version = 99"), Condition.NEWER, "newer version"),
}

DAMAGE = TEXT_INDEX | STRUCTURE | UNKNOWN


def until_whole(config) -> None:
    """Index, once more if a run has ended with damage it came across; then everything is as in a fresh index."""
    try:
        index_workspace(config)
    except IndexUnusable as error:
        assert "index again" in str(error)  # noqa: PT017
        index_workspace(config)
    check(config)
    assert workspace_status(config).healthy


def set_aside(config) -> list[Path]:
    return sorted(path for path in config.index_directory.iterdir() if ".damaged-" in path.name)


@pytest.mark.parametrize("kind", DAMAGE)
def test_status_tells_what_is_wrong_and_the_next_index_makes_it_good(config, sample, kind):
    expected = dump(settings(sample[1].parents[2], sample[0]))
    DAMAGE[kind](config.database_path)
    before = config.database_path.read_bytes()
    status = workspace_status(config)
    if kind in TEXT_INDEX:
        assert status.condition is Condition.TEXT_INDEX_DAMAGED
    elif kind in STRUCTURE:
        assert status.condition is Condition.DAMAGED
    assert status.healthy or "run the command" in status.message
    assert config.database_path.read_bytes() == before
    until_whole(config)
    assert dump(config) == expected
    if kind in STRUCTURE:
        assert before in [path.read_bytes() for path in set_aside(config)]
    elif kind in TEXT_INDEX:
        assert set_aside(config) == []


@pytest.mark.parametrize("kind", TEXT_INDEX)
def test_search_does_without_a_damaged_full_text_index_and_says_so(config, kind, caplog):
    if kind.endswith("overwritten rows") and apsw.SQLITE_VERSION_NUMBER < 3_054_000:
        pytest.skip("older versions of FTS5 take them for empty ones, which only status and repair notice")
    sound = search_workspace(config, "river number7 lamp", limit=40)
    TEXT_INDEX[kind](config.database_path)
    before = config.database_path.read_bytes()
    assert search_workspace(config, "river number7 lamp", limit=40) == sound
    assert config.database_path.read_bytes() == before
    (warning,) = [record.message for record in caplog.records]
    assert "run the command index, or repair" in warning
    index_workspace(config)  # has been told
    check(config)
    assert search_workspace(config, "river number7 lamp", limit=40) == sound
    assert set_aside(config) == []


def test_a_misspelled_word_is_corrected_without_the_full_text_index_too(config):
    sound = search_workspace(config, "brigde")
    assert sound
    TEXT_INDEX["full-text index: missing"](config.database_path)
    assert search_workspace(config, "brigde") == sound


@pytest.mark.parametrize("kind", STRUCTURE | UNKNOWN)
def test_search_in_a_damaged_database_is_whole_or_an_error(config, kind):
    DAMAGE[kind](config.database_path)
    try:
        hits = search_workspace(config, "river lamp bridge", limit=1000)
    except WorkspaceError as error:
        assert "run the command repair" in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert all(hit.content in Path(hit.path).read_text() for hit in hits)
        assert len(hits) == 150 or kind in {"rows without their file", "half a file", "a -wal of another moment"}


@pytest.mark.parametrize("kind", TEXT_INDEX)
def test_repair_builds_the_full_text_index_from_the_text(config, kind):
    rows = dump(config)
    TEXT_INDEX[kind](config.database_path)
    found = repair_index(config, check_only=True)
    assert (found.condition, found.action) == (Condition.TEXT_INDEX_DAMAGED, "none")
    report = repair_index(config)
    assert (report.condition, report.action) == (Condition.TEXT_INDEX_DAMAGED, "rebuilt")
    check(config)
    assert dump(config) == rows
    assert repair_index(config).condition is Condition.HEALTHY


@pytest.mark.parametrize("kind", STRUCTURE)
def test_repair_sets_a_damaged_database_aside(config, kind):
    STRUCTURE[kind](config.database_path)
    damaged = config.database_path.read_bytes()
    found = repair_index(config, check_only=True)
    assert (found.condition, found.action) == (Condition.DAMAGED, "none")
    assert config.database_path.read_bytes() == damaged
    report = repair_index(config)
    assert (report.condition, report.action) == (Condition.DAMAGED, "set-aside")
    assert "run the command index" in report.message
    assert list(map(str, set_aside(config))) == list(report.set_aside)
    assert damaged in [path.read_bytes() for path in set_aside(config)]
    assert not config.database_path.exists()
    assert index_workspace(config).files_indexed == 150
    check(config)


@pytest.mark.parametrize("kind", UNKNOWN)
def test_repair_leaves_something_that_the_next_index_completes(config, sample, kind):
    UNKNOWN[kind](config.database_path)
    repair_index(config)
    index_workspace(config)
    check(config)
    assert dump(config) == dump(settings(sample[1].parents[2], sample[0]))


def test_words_that_the_index_has_for_another_text_are_found_by_repair_only(config):
    """The counts agree; only the comparison of every row can tell."""
    sql(
        "DROP TRIGGER chunks_updated",
        "UPDATE chunks SET content = 'other words' WHERE id = 1",
    )(config.database_path)
    assert workspace_status(config).healthy
    assert repair_index(config, check_only=True).condition is Condition.TEXT_INDEX_DAMAGED


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_ours_is_never_touched(config, kind):
    damage, condition, message = REFUSED[kind]
    damage(config.database_path)
    before = config.database_path.read_bytes()
    status = workspace_status(config)
    assert (status.condition, status.healthy) == (condition, False)
    assert message in status.message
    assert repair_index(config, check_only=True).condition is condition
    for act in (index_workspace, repair_index, reset_index, lambda config: search_workspace(config, "river")):
        with pytest.raises(IndexUnusable, match=message) as caught:
            act(config)
        assert caught.value.condition is condition
        assert "\n" not in str(caught.value)
    assert config.database_path.read_bytes() == before
    assert set_aside(config) == []


def test_an_empty_file_is_no_index_yet(config):
    config.database_path.write_bytes(b"")
    assert search_workspace(config, "river") == []
    assert workspace_status(config).condition is Condition.MISSING
    assert repair_index(config).condition is Condition.MISSING
    assert index_workspace(config).files_indexed == 150
    check(config)


def test_a_wal_without_its_database_is_set_aside_and_not_deleted(config):
    wal = config.database_path.with_name("workspace.sqlite-wal")
    writer = open_writer(config.database_path)
    with transaction(writer):
        writer.execute("DELETE FROM files").fetchall()
    content = wal.read_bytes()
    writer.close()
    config.database_path.unlink()
    wal.write_bytes(content)
    assert index_workspace(config).files_indexed == 150
    check(config)
    assert [path.read_bytes() for path in set_aside(config)] == [content]


def test_damage_that_a_run_comes_across_ends_it_and_not_the_next_one(config, sample, monkeypatch):
    """The writer stops at the first structural error; nothing of the damaged file is lost."""
    expected = dump(settings(sample[1].parents[2], sample[0]))
    garbage_in("chunks", 1000)(config.database_path)
    monkeypatch.setattr("workspace.pipeline.runner.config_signature", lambda _: "another")
    with pytest.raises(IndexUnusable, match=r"is set aside as .*; index again to build a new one") as caught:
        index_workspace(config)
    assert caught.value.condition is Condition.DAMAGED
    assert len(set_aside(config)) == 1
    assert not config.database_path.exists()
    monkeypatch.undo()
    monkeypatch.setenv("HERMES_HOME", str(config.home))
    index_workspace(config)
    check(config)
    assert dump(config) == expected


def test_a_damaged_full_text_index_that_a_run_comes_across_is_built_anew(config, monkeypatch):
    rows = dump(config)
    sql("UPDATE chunks_fts_data SET block = zeroblob(9) WHERE id = 10")(config.database_path)
    with monkeypatch.context() as patch:
        patch.setattr("workspace.pipeline.runner.config_signature", lambda _: "another")
        with pytest.raises(IndexUnusable, match="has been built anew; index again"):
            index_workspace(config)
    check(config)
    assert dump(config) == rows


def test_two_databases_set_aside_in_one_second_do_not_meet(config):
    for _ in range(3):
        config.database_path.write_bytes(b"SQLite format 3\0" + b"x" * 30)
        assert repair_index(config).action == "set-aside"
    assert len(set_aside(config)) == 3


def test_a_linked_database_is_set_aside_by_its_link(config, tmp_path):
    real = tmp_path / "elsewhere.sqlite"
    config.database_path.rename(real)
    config.database_path.symlink_to(real)
    half(real)
    content = real.read_bytes()
    (name,) = repair_index(config).set_aside
    assert Path(name).is_symlink()
    assert real.read_bytes() == content
    assert index_workspace(config).files_indexed == 150


def test_reset_deletes_the_index_and_nothing_else(config, sample):
    index_workspace(config)
    keep = config.index_directory / "workspace.sqlite.damaged-20260101T000000Z"
    keep.write_text("kept")
    assert reset_index(config) == [config.database_path]
    assert reset_index(config) == []
    assert keep.read_text() == "kept"
    assert len(list(sample[0].iterdir())) == 150
    assert index_workspace(config).files_indexed == 150


@pytest.mark.parametrize("kind", ["cut in half", "noise in files"])
def test_reset_deletes_a_damaged_index(config, kind):
    STRUCTURE[kind](config.database_path)
    assert config.database_path in reset_index(config)
    assert not config.database_path.exists()


def test_neither_repair_nor_reset_disturbs_a_run(config):
    before = config.database_path.read_bytes()
    with index_lock(config.index_directory):
        for act in (repair_index, reset_index):
            with pytest.raises(IndexLocked, match=f"process {os.getpid()}"):
                act(config)
    assert config.database_path.read_bytes() == before


def test_without_an_index_directory_there_is_nothing_to_do_and_none_is_made(home):
    config = settings(home)
    assert repair_index(config).condition is Condition.MISSING
    assert reset_index(config) == []
    assert workspace_status(config).condition is Condition.MISSING
    assert list(home.iterdir()) == []


def test_status_counts_files_rows_and_errors_of_each_root(home, tmp_path):
    plant(
        tmp_path / "a", {"one.txt": "one\n", "two.txt": "two\n", "bad.txt": bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D]) * 99}
    )
    plant(tmp_path / "b", {"three.txt": "three\n"})
    index_workspace(settings(home, tmp_path / "a"))
    status = workspace_status(settings(home, tmp_path / "a", tmp_path / "b"))
    workspace, first, second = status.roots
    assert (workspace.files, workspace.rows, workspace.errors) == (0, 0, 0)
    assert (first.path, first.files, first.rows, first.errors) == (str(tmp_path / "a"), 2, 2, 1)
    assert first.last_run == workspace.last_run is not None
    assert (second.files, second.errors, second.last_run) == (0, None, None)
    assert status.database_bytes == settings(home).database_path.stat().st_size
    assert status.message == "the index is sound"
