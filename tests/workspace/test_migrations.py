"""Databases of older versions: brought up to date in place, whole or not at all, with nothing read again."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest
from support import check, dump, plant, settings
from test_store import contents, document, found_by

from workspace import Condition, WorkspaceError, index_workspace, search_workspace, workspace_status
from workspace.storage import migrations, schema
from workspace.storage.connection import open_reader, open_writer
from workspace.storage.writer import Writer

OLDER = {1: (Path(__file__).parent / "schema_1.sql").read_text()}


def older_database(path: Path, version: int, source: Path) -> None:
    """Make a database from the schema text of `version`, with the rows of a present one."""
    connection = apsw.Connection(str(path))
    for _ in connection.execute(OLDER[version]):
        pass
    connection.execute("ATTACH ? AS source", (str(source),)).fetchall()
    for table in schema.tables_of(version):
        columns = ", ".join(name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))
        connection.execute(f"INSERT INTO {table}({columns}) SELECT {columns} FROM source.{table}").fetchall()
    connection.execute("DETACH source").fetchall()
    assert connection.pragma("user_version") == version
    connection.close()


def shape(path: Path) -> set[tuple[str, str]]:
    """Everything in the schema, however it is spaced."""
    connection = apsw.Connection(str(path))
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {(name, " ".join(sql.split())) for name, sql in rows if not name.startswith("sqlite_stat")}


@pytest.fixture(params=OLDER)
def older(request, home: Path, tmp_path: Path):
    """A home whose index was made by an older version, and its present equal."""
    plant(tmp_path / "tree", {f"{n}.md": f"# Part {n}\n\nIt tells of rivers.\n" for n in range(20)})
    present = settings(tmp_path / "present", tmp_path / "tree")
    index_workspace(present)
    config = settings(home, tmp_path / "tree")
    config.index_directory.mkdir(parents=True)
    older_database(config.database_path, request.param, present.database_path)
    return config, present, request.param


def test_there_is_a_stored_schema_and_a_step_for_every_version():
    assert set(OLDER) == set(range(1, schema.SCHEMA_VERSION))
    assert set(migrations.STEPS) == set(range(2, schema.SCHEMA_VERSION + 1))


def test_an_older_index_is_migrated_by_the_next_run_and_read_until_then(older):
    config, present, version = older
    before = config.database_path.read_bytes()
    status = workspace_status(config)
    assert (status.schema_version, status.condition) == (version, Condition.HEALTHY)
    assert len(search_workspace(config, "rivers")) == 20
    assert config.database_path.read_bytes() == before
    assert index_workspace(config).files_indexed == 0
    check(config)
    assert workspace_status(config).schema_version == schema.SCHEMA_VERSION
    assert shape(config.database_path) == shape(present.database_path)
    assert dump(config) == dump(present)


def test_a_migration_that_fails_leaves_the_older_version_whole(older, monkeypatch):
    config, _, version = older
    steps = dict.fromkeys(migrations.STEPS, ("CREATE TABLE half (done)", "CREATE nonsense"))
    before = shape(config.database_path)
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", steps)
        with pytest.raises(WorkspaceError, match="nonsense"):
            index_workspace(config)
    assert shape(config.database_path) == before
    assert workspace_status(config).schema_version == version
    index_workspace(config)
    check(config)


def test_a_column_that_the_schema_text_has_gained_is_added_with_its_default(tmp_path, monkeypatch):
    path = tmp_path / "index.sqlite"
    connection = open_writer(path)
    writer = Writer(connection)
    writer.store(*document("/a", "text"))
    writer.flush()
    connection.close()
    gained = schema.TABLES["files"].replace(
        "chunk_count      INTEGER NOT NULL",
        """chunk_count INTEGER NOT NULL,
        language TEXT NOT NULL DEFAULT 'none', note TEXT""",
    )
    monkeypatch.setitem(schema.TABLES, "files", gained)
    for _ in range(2):
        connection = open_writer(path)
        assert connection.execute("SELECT language, note FROM files").get == ("none", None)
        assert migrations.reconcile(connection) == []
        connection.close()
    reader = open_reader(path)
    assert (contents(reader), found_by(reader, "text")) == ({"/a": ["text"]}, {"/a"})
    reader.close()


def test_a_fresh_index_needs_no_reconciling(tmp_path):
    connection = open_writer(tmp_path / "index.sqlite")
    assert migrations.reconcile(connection) == []
    connection.close()


def test_what_the_last_run_left_survives_a_migration(older):
    config, present, _ = older
    connection = apsw.Connection(str(present.database_path))
    stored = json.loads(connection.execute("SELECT value FROM meta WHERE key = 'last_run'").get)
    connection.close()
    assert workspace_status(config).roots[1].last_run == stored["ended_at"]
