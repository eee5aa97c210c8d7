"""The database: what is stored is found, whole or not at all, and the file is never left unsound."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workspace.storage import schema, writer
from workspace.storage.connection import open_reader, open_writer, private_file_ids
from workspace.storage.reader import get_meta, known_files
from workspace.storage.transaction import transaction
from workspace.storage.writer import Writer, finish, set_meta
from workspace.types import ChunkRecord, FileRecord, FileStat, Known, WorkspaceError

STAT = FileStat(size_bytes=5, mtime_ns=1_700_000_000_000_000_000, ctime_ns=2, inode=3)


def document(path: str, *texts: str, stat: FileStat = STAT, **odd: object) -> tuple[FileRecord, list[ChunkRecord]]:
    """A file with one chunk per text; `odd` replaces fields of its chunks."""
    file = FileRecord(
        abs_path=path,
        root_path="/root",
        content_hash=f"hash of {texts}",
        config_signature="signature",
        stat=stat,
        verified_ns=4,
        modified_at="2023-11-14T22:13:20Z",
        indexed_at="2026-01-01T00:00:00Z",
        encoding="utf-8",
        chunk_count=len(texts),
    )
    usual = {
        "token_count": 1, "start_line": 1, "end_line": 2, "start_char": 0, "end_char": 9, "section": None,
        "kind": "text", "headings": "", "path_terms": "", "symbols": "",
    }  # fmt: skip
    chunks = [
        ChunkRecord(**{"chunk_id": f"{path} {i}", "abs_path": path, "chunk_index": i, "content": text, **usual, **odd})
        for i, text in enumerate(texts)
    ]
    return file, chunks


def contents(connection: apsw.Connection) -> dict[str, list[str]]:
    """Every stored file with the texts of its chunks."""
    rows = connection.execute(
        "SELECT files.abs_path, content FROM files LEFT JOIN chunks USING (abs_path) ORDER BY 1, chunk_index"
    )
    found: dict[str, list[str]] = {}
    for path, text in rows:
        found.setdefault(path, [])
        if text is not None:
            found[path].append(text)
    return found


def found_by(connection: apsw.Connection, expression: str) -> set[str]:
    """The paths that a full-text search finds."""
    rows = connection.execute(
        "SELECT abs_path FROM chunks_fts JOIN chunks ON chunks.id = chunks_fts.rowid WHERE chunks_fts MATCH ?",
        (expression,),
    )
    return {path for (path,) in rows}


def assert_sound(connection: apsw.Connection) -> None:
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    assert connection.execute("PRAGMA foreign_key_check").get is None
    connection.execute("INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('integrity-check', 1)").fetchall()


def listing(directory: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in directory.iterdir()}


class Statements:
    """A connection that notes what it is asked to do, and fails at the n-th statement (and all later) if told to."""

    def __init__(self, connection: apsw.Connection, *, fail_at: int = 1_000_000, for_good: bool = False) -> None:
        self._connection = connection
        self._fail_at = fail_at
        self._for_good = for_good
        self.seen: list[str] = []

    def execute(self, statement: str, *arguments: object) -> apsw.Cursor:
        self._note(statement)
        return self._connection.execute(statement, *arguments)

    def executemany(self, statement: str, *arguments: object) -> apsw.Cursor:
        self._note(statement)
        return self._connection.executemany(statement, *arguments)

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def _note(self, statement: str) -> None:
        number = len(self.seen)
        self.seen.append(" ".join(statement.split()[:2]))
        if number == self._fail_at or (self._for_good and number > self._fail_at):
            raise apsw.IOError(f"injected at {number}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workspace.sqlite"


@pytest.fixture
def connection(path: Path):
    """A new index; when the test is over it must be sound, whatever happened."""
    opened = open_writer(path)
    yield opened
    opened.pragma("max_page_count", 1_000_000)
    assert not opened.in_transaction
    assert_sound(opened)
    opened.close()


@pytest.fixture
def private_tmp():
    """A directory that every user can look into, whereas pytest's own are closed to others."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    directory.chmod(0o755)
    shutil.rmtree(directory)


@contextlib.contextmanager
def read_only(directory: Path):
    """Within the block, nobody writes in the directory: not even root, who becomes someone else for it."""
    if not hasattr(os, "geteuid"):
        pytest.skip("needs users and modes")
    user, group = os.geteuid(), os.getegid()
    for entry in directory.iterdir():
        entry.chmod(0o444)
    directory.chmod(0o555)
    if user == 0:
        os.setegid(65534)
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        os.setegid(group)


# --- Storing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM files; DROP TABLE chunks; --\"'`",
        'AND OR NOT NEAR(a b) content:x "quoted" prefix*',
        "line\r\nline\rline\n\v\f\x1c\x85\u2028\u2029",
        "before\0after",
        "Ω ≈ 🦊 \u202eltr\u202c e\u0301 Việt 한국어 \ufeff",
        "",
        " " * 10_000,
        "x" * 3_000_000,
    ],
)
def test_any_text_comes_back_as_it_was(connection, text):
    store = Writer(connection)
    store.store(*document("/a", text, headings=text, path_terms=text, symbols=text, section=text))
    assert [file.abs_path for file in store.flush().stored] == ["/a"]
    row = connection.execute("SELECT content, headings, path_terms, symbols, section FROM chunks").get
    assert row == (text,) * 5


def test_every_field_of_a_record_has_its_column(connection):
    file, (chunk,) = document(
        "/a", "text", token_count=11, start_line=12, end_line=13, start_char=14, end_char=15,
        section="s", kind="code", headings="h", path_terms="p", symbols="y",
    )  # fmt: skip
    store = Writer(connection)
    store.store(file, [chunk])
    store.flush()
    names, row = _row(connection, "SELECT * FROM chunks")
    assert row == {name: getattr(chunk, name) for name in names if name != "id"} | {"id": 1}
    names, row = _row(connection, "SELECT * FROM files")
    values = {name: getattr(file.stat if hasattr(STAT, name) else file, name) for name in names}
    assert row == values


def _row(connection, statement):
    cursor = connection.execute(statement)
    names = [name for name, _ in cursor.get_description()]
    return names, dict(zip(names, cursor.fetchone(), strict=True))


def test_all_four_columns_are_searched(connection):
    store = Writer(connection)
    store.store(*document("/a", "alpha", headings="beta", path_terms="gamma", symbols="delta"))
    store.flush()
    for word in ("alpha", "beta", "gamma", "delta", "content : alpha", "headings : beta", "symbols : delta"):
        assert found_by(connection, word) == {"/a"}
    assert found_by(connection, "headings : alpha") == set()


def test_words_are_found_by_stem_and_without_diacritics(connection):
    store = Writer(connection)
    store.store(*document("/a", "rolling Crème Việt"))
    store.flush()
    for word in ("rolled", "creme", "viet"):
        assert found_by(connection, word) == {"/a"}


def test_a_changed_file_is_found_by_its_new_words_only(connection):
    store = Writer(connection)
    store.store(*document("/a", "apple", "avocado", "apricot"))
    store.store(*document("/b", "banana"))
    store.flush()
    store.store(*document("/a", "cherry"))
    store.flush()
    assert contents(connection) == {"/a": ["cherry"], "/b": ["banana"]}
    assert found_by(connection, "apple OR avocado OR apricot") == set()
    assert found_by(connection, "cherry") == {"/a"}


def test_removed_files_are_gone_with_their_words(connection):
    store = Writer(connection)
    for i in range(300):
        store.store(*document(f"/{i}", f"common word{i}", "second"))
    store.flush()
    for i in range(299):
        store.remove(f"/{i}")
    store.remove("/never stored")
    store.flush()
    assert contents(connection) == {"/299": ["common word299", "second"]}
    assert found_by(connection, "common") == {"/299"}
    assert found_by(connection, "word7") == set()


def test_an_update_of_a_chunk_keeps_the_full_text_index_in_step(connection):
    """Nothing of ours updates chunks, but what does is no danger: the triggers see to it."""
    store = Writer(connection)
    store.store(*document("/a", "old"))
    store.flush()
    connection.execute("UPDATE chunks SET content = 'new'").fetchall()
    assert found_by(connection, "old") == set()
    assert found_by(connection, "new") == {"/a"}


def test_refreshing_changes_the_stat_and_nothing_else(connection):
    store = Writer(connection)
    store.store(*document("/a", "text"))
    store.flush()
    store.refresh("/a", FileStat(6, 1_776_249_120_999_999_999, 8, 9), 10)
    store.refresh("/unknown", STAT, 10)
    store.flush()
    known = Known(FileStat(6, 1_776_249_120_999_999_999, 8, 9), "hash of ('text',)", "signature", "/root", 10)
    assert known_files(connection) == {"/a": known}
    modified = "SELECT modified_at, indexed_at FROM files"
    assert connection.execute(modified).get == ("2026-04-15T10:32:00Z", "2026-01-01T00:00:00Z")
    assert contents(connection) == {"/a": ["text"]}


@pytest.mark.parametrize("inode", [0, 2**63 - 1, 2**63, 2**64 - 1])
def test_unsigned_inodes_come_back_as_they_were(connection, inode):
    store = Writer(connection)
    store.store(*document("/a", "text", stat=FileStat(1, 2, 3, inode)))
    store.flush()
    assert known_files(connection)["/a"].stat.inode == inode


def test_a_stat_beyond_64_bits_is_stored_and_only_looks_changed(connection):
    odd = FileStat(1, 2**70 + 5, -(2**70), 2**127)
    store = Writer(connection)
    store.store(*document("/a", "text", stat=odd))
    assert store.flush().failed == ()
    store.refresh("/a", odd, 1)
    assert store.flush().failed == ()
    assert known_files(connection)["/a"].stat != odd


def test_a_file_without_chunks_is_known(connection):
    store = Writer(connection)
    store.store(*document("/a"))
    assert len(store.flush().stored) == 1
    assert contents(connection) == {"/a": []}
    assert list(known_files(connection)) == ["/a"]


# --- Batches ----------------------------------------------------------------------------------------------------


def test_a_batch_is_one_transaction_with_one_insert_per_table(connection):
    watched = Statements(connection)
    store = Writer(watched)
    for i in range(600):
        store.store(*document(f"/{i}", "text"))
    store.remove("/gone")
    store.refresh("/other", STAT, 1)
    store.flush()
    assert watched.seen == [
        "BEGIN IMMEDIATE", "UPDATE files", "DELETE FROM", "INSERT INTO", "INSERT INTO", "COMMIT",
    ]  # fmt: skip


def test_a_batch_is_written_when_the_next_file_does_not_fit(connection):
    store = Writer(connection)
    assert store.store(*document("/a", "a" * 3_000_000)).stored == ()
    assert [file.abs_path for file in store.store(*document("/b", "b" * 3_000_000)).stored] == ["/a"]
    assert list(contents(connection)) == ["/a"]


def test_a_thousand_rows_fill_a_batch(connection):
    store = Writer(connection)
    for i in range(1_000):
        assert store.remove(f"/{i}") == writer.Outcome()
    assert store.due() == 0
    assert store.store(*document("/a", "x")) == writer.Outcome()
    assert store.due() > 0


def test_a_file_larger_than_a_batch_is_one_transaction_of_its_own(connection):
    watched = Statements(connection)
    store = Writer(watched)
    store.store(*document("/small", "text"))
    store.store(*document("/large", *(f"row {i}" for i in range(2_500))))
    assert list(contents(connection)) == ["/small"]
    assert store.due() == 0
    watched.seen.clear()
    store.store(*document("/next", "text"))
    assert watched.seen.count("BEGIN IMMEDIATE") == watched.seen.count("COMMIT") == 1
    store.flush()
    assert {path: len(texts) for path, texts in contents(connection).items()} == {
        "/small": 1,
        "/large": 2_500,
        "/next": 1,
    }


def test_a_batch_is_due_one_second_after_its_first_entry(connection):
    now = [100.0]
    store = Writer(connection, clock=lambda: now[0])
    assert store.due() is None
    store.store(*document("/a", "text"))
    assert store.due() == 1.0
    now[0] += 0.75
    store.store(*document("/b", "text"))
    assert store.due() == 0.25
    now[0] += 0.5
    assert store.due() == 0.0
    assert [file.abs_path for file in store.remove("/c").stored] == ["/a", "/b"]
    assert store.due() == 1.0
    store.flush()
    assert store.due() is None


def test_the_last_word_on_a_path_counts(connection):
    store = Writer(connection)
    store.store(*document("/a", "first"))
    store.store(*document("/a", "second"))
    store.remove("/b")
    store.store(*document("/b", "kept"))
    store.store(*document("/c", "dropped"))
    store.remove("/c")
    store.flush()
    assert contents(connection) == {"/a": ["second"], "/b": ["kept"]}


def test_flushing_nothing_touches_nothing(connection):
    watched = Statements(connection)
    assert Writer(watched).flush() == writer.Outcome()
    assert watched.seen == []


# --- What one file is to blame for ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("odd", "error"),
    [
        ({"chunk_id": "/a 0"}, apsw.ConstraintError),
        ({"content": "lone \ud800 surrogate"}, UnicodeEncodeError),
        ({"token_count": 2**64}, OverflowError),
        ({"kind": None}, apsw.ConstraintError),
    ],
)
def test_a_file_that_cannot_be_stored_costs_only_itself(connection, odd, error):
    """And its old rows, since they are known to be outdated."""
    store = Writer(connection)
    store.store(*document("/bad", "old"))
    store.store(*document("/gone", "old"))
    store.flush()
    store.store(*document("/a", "good"))
    store.store(*document("/bad", "new", **odd))
    store.store(*document("/z", "good"))
    store.remove("/gone")
    outcome = store.flush()
    assert [file.abs_path for file in outcome.stored] == ["/a", "/z"]
    ((failed, reason),) = outcome.failed
    assert failed.abs_path == "/bad"
    assert isinstance(reason, error)
    assert contents(connection) == {"/a": ["good"], "/z": ["good"]}
    assert found_by(connection, "old OR new") == set()


def test_a_text_too_large_for_sqlite_costs_only_its_file(connection):
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, 100_000)
    store = Writer(connection)
    store.store(*document("/large", "x" * 200_000))
    store.store(*document("/small", "text"))
    outcome = store.flush()
    assert [type(error) for _, error in outcome.failed] == [apsw.TooBigError]
    assert contents(connection) == {"/small": ["text"]}


# --- What ends a run --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", range(6))
def test_a_failing_statement_leaves_nothing_half_done(connection, statement):
    """Whichever statement of a transaction fails, COMMIT included."""
    store = Writer(connection)
    store.store(*document("/changed", "old one", "old two"))
    store.store(*document("/removed", "old"))
    store.flush()
    before = contents(connection), known_files(connection)
    watched = Statements(connection, fail_at=statement)
    store = Writer(watched)
    store.store(*document("/changed", "new"))
    store.store(*document("/added", "new"))
    store.remove("/removed")
    with pytest.raises(apsw.IOError, match="injected"):
        store.flush()
    assert (contents(connection), known_files(connection)) == before
    assert found_by(connection, "new") == set()
    assert len(watched.seen) <= statement + 2, "all that follows is one ROLLBACK"


@pytest.mark.parametrize("pages", [0, 1, 2, 5, 20, 60, 150, 400])
def test_a_full_disk_is_reported_as_such_and_keeps_what_was_committed(connection, pages):
    store = Writer(connection)
    store.store(*document("/first", "committed"))
    store.flush()
    connection.pragma("max_page_count", connection.pragma("page_count") + pages)
    kept = ["/first"]
    with pytest.raises(apsw.FullError):
        _store_until_full(store, kept)
    assert sorted(contents(connection)) == sorted(kept)
    assert found_by(connection, "committed") == {"/first"}


def _store_until_full(store, kept):
    for i in range(1_000):
        store.store(*document(f"/{i}", " ".join(f"word{i * 1000 + j}" for j in range(1_000))))
        kept += [file.abs_path for file in store.flush().stored]


def test_after_a_full_disk_the_same_connection_goes_on(connection):
    store = Writer(connection)
    connection.pragma("max_page_count", connection.pragma("page_count"))
    store.store(*document("/a", "text " * 100_000))
    with pytest.raises(apsw.FullError):
        store.flush()
    connection.pragma("max_page_count", 1_000_000)
    store.store(*document("/b", "text"))
    store.flush()
    assert contents(connection) == {"/b": ["text"]}


def test_a_foreign_writer_that_does_not_end_is_an_error(connection, path):
    connection.set_busy_timeout(0)
    other = open_writer(path)
    with contextlib.closing(other), transaction(other):
        store = Writer(connection)
        store.remove("/a")
        with pytest.raises(apsw.BusyError):
            store.flush()


def test_the_first_cause_survives_when_sqlite_has_ended_the_transaction(connection):
    def block():
        with transaction(connection):
            connection.execute("ROLLBACK").fetchall()
            raise RuntimeError("the cause")

    with pytest.raises(RuntimeError, match="the cause"):
        block()


def test_the_first_cause_survives_a_rollback_that_fails_too(connection):
    store = Writer(Statements(connection, fail_at=2, for_good=True))
    store.store(*document("/a", "text"))
    with pytest.raises(apsw.IOError, match="injected at 2"):
        store.flush()
    connection.execute("ROLLBACK").fetchall()


def test_an_interrupted_transaction_is_rolled_back(connection):
    def block():
        with transaction(connection):
            connection.execute("INSERT INTO meta VALUES ('a', 'b')").fetchall()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        block()
    assert get_meta(connection, "a") is None


PATHS = st.sampled_from(["/a", "/b", "/ü", "/d/e"])
TEXTS = st.lists(st.sampled_from(["apple", "apple banana", "", "cherry " * 9, "ß \0 İ"]), max_size=5)
OPERATIONS = st.one_of(
    st.tuples(st.just("store"), PATHS, TEXTS),
    st.tuples(st.just("refresh"), PATHS, st.integers(0, 9)),
    st.tuples(st.just("remove"), PATHS, st.none()),
    st.tuples(st.just("flush"), st.none(), st.none()),
)


@settings(max_examples=80)
@given(operations=st.lists(OPERATIONS, max_size=25))
def test_any_sequence_of_operations_ends_as_in_a_dictionary(connection, operations):
    connection.execute("DELETE FROM files").fetchall()
    texts: dict[str, list[str]] = {}
    verified: dict[str, int] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "_BATCH_ROWS", 6)
        patch.setattr(writer, "_BATCH_CHARS", 60)
        store = Writer(connection)
        stored = sum(len(_apply(operation, store, texts, verified)) for operation in operations)
        stored += len(store.flush().stored)
    assert stored == sum(name == "store" for name, _, _ in operations), "every file is reported, once"
    assert contents(connection) == texts
    assert {path: known.verified_ns for path, known in known_files(connection).items()} == verified
    for word in ("apple", "banana", "cherry", "ß"):
        with_word = {path for path, rows in texts.items() if any(word in row for row in rows)}
        assert found_by(connection, f'"{word}"') == with_word
    assert_sound(connection)


def _apply(operation, store, texts, verified):
    """Do the same to the store and to its model; return what was committed meanwhile."""
    name, path, value = operation
    match name:
        case "store":
            texts[path], verified[path] = value, 4
            return store.store(*document(path, *value)).stored
        case "refresh":
            verified |= {path: value} if path in texts else {}
            return store.refresh(path, STAT, value).stored
        case "remove":
            texts.pop(path, None)
            verified.pop(path, None)
            return store.remove(path).stored
    return store.flush().stored


# --- Meta, and the end of a run ---------------------------------------------------------------------------------


def test_meta_values_are_kept_and_replaced(connection):
    assert get_meta(connection, "a") is None
    set_meta(connection, {"a": "1", "b": "2"})
    set_meta(connection, {"a": "3"})
    assert (get_meta(connection, "a"), get_meta(connection, "b")) == ("3", "2")


def test_finishing_leaves_everything_in_the_database_itself(connection, path, monkeypatch):
    monkeypatch.setattr(writer, "_MERGE_AFTER", 1)
    store = Writer(connection)
    for i in range(60):
        store.store(*document(f"/{i}", f"common word{i}"))
        store.flush()
    finish(connection)
    assert path.with_name(path.name + "-wal").stat().st_size == 0
    assert len(found_by(connection, "common")) == 60


def test_finishing_does_not_mind_a_reader(connection, path):
    store = Writer(connection)
    store.store(*document("/a", "first"))
    store.flush()
    reader = open_reader(path)
    with contextlib.closing(reader):
        rows = reader.execute("SELECT abs_path FROM files UNION ALL SELECT 'more'")
        assert next(rows) == ("/a",)
        store.store(*document("/b", "second"))
        store.flush()
        finish(connection)
        assert next(rows) == ("more",)
    assert set(contents(connection)) == {"/a", "/b"}


def test_finishing_a_run_that_wrote_nothing_writes_nothing(path):
    open_writer(path).close()
    before = listing(path.parent)
    connection = open_writer(path)
    watched = Statements(connection)
    watched.total_changes = connection.total_changes
    finish(watched)
    assert watched.seen == []
    connection.close()
    assert listing(path.parent) == before


# --- Opening ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes")
@pytest.mark.parametrize("umask", [0o000, 0o077, 0o277])
def test_the_files_are_readable_by_their_owner_alone(path, umask):
    previous = os.umask(umask)
    try:
        connection = open_writer(path)
        Writer(connection).remove("/a")
        modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
        connection.close()
    finally:
        os.umask(previous)
    assert modes == {path.name + suffix: 0o600 for suffix in ("", "-wal", "-shm")}


def test_a_writer_is_set_up_as_promised(connection):
    wanted = {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "application_id": schema.APPLICATION_ID}
    assert {name: connection.pragma(name) for name in wanted} == wanted
    assert connection.pragma("user_version") == schema.SCHEMA_VERSION


def test_an_index_is_opened_again_as_it_was(path):
    for word in ("first", "second"):
        connection = open_writer(path)
        store = Writer(connection)
        store.store(*document(f"/{word}", word))
        store.flush()
        connection.close()
    reader = open_reader(path)
    with contextlib.closing(reader):
        assert contents(reader) == {"/first": ["first"], "/second": ["second"]}


@pytest.mark.parametrize("make", [Path.touch, lambda path: sqlite3.connect(path).execute("VACUUM").connection.close()])
def test_an_empty_file_becomes_an_index(path, make):
    make(path)
    assert open_reader(path) is None
    connection = open_writer(path)
    assert_sound(connection)
    assert contents(connection) == {}
    connection.close()


def test_where_there_is_no_index_a_reader_says_so_and_makes_none(path):
    assert open_reader(path) is None
    assert open_reader(path.parent / "nowhere" / "x.sqlite") is None
    assert listing(path.parent) == {}


def test_an_index_that_could_not_be_made_is_no_obstacle_later(path, monkeypatch):
    monkeypatch.setattr(schema, "_DDL", (*schema._DDL[:3], "CREATE nonsense"))
    with pytest.raises(WorkspaceError, match="nonsense"):
        open_writer(path)
    assert open_reader(path) is None
    monkeypatch.undo()
    connection = open_writer(path)
    assert_sound(connection)
    connection.close()


@pytest.mark.parametrize("name", ["w s?mode=memory&x#%20%.sqlite", "ümläut ｘ.sqlite", "file:x", b"not \xff utf-8"])
@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
def test_any_file_name_will_do(tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    connection = open_writer(path)
    store = Writer(connection)
    store.store(*document("/a", "text"))
    store.flush()
    reader = open_reader(path)
    assert contents(reader) == {"/a": ["text"]}
    reader.close()
    connection.close()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def foreign(journal_mode, application_id=0):
    def make(path):
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA journal_mode = {journal_mode}")
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()
        connection.close()

    return make


def newer(path):
    open_writer(path).close()
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 99").fetchall()
    connection.close()


def text(content):
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (newer, "newer version of hermes-workspace"),
        (foreign("delete"), "another program"),
        (foreign("wal", application_id=77), "another program"),
        (text(b"hello\n"), "is not a database; move it away"),
        (text(b"A long letter.\n" * 1_000), "is not a database; move it away"),
        (text(b"\0" * 8192), "is not a database; move it away"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(path, make, message):
    make(path)
    before = listing(path.parent)
    for refuse in (open_writer, open_reader):
        with pytest.raises(WorkspaceError, match=message) as caught:
            refuse(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert listing(path.parent)[path.name] == before[path.name]


def test_a_directory_in_its_place_is_refused(path):
    path.mkdir()
    for refuse in (open_writer, open_reader):
        with pytest.raises(WorkspaceError, match=r"workspace\.sqlite"):
            refuse(path)


def test_a_damaged_index_is_refused_when_it_is_opened(path):
    open_writer(path).close()
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 4000)
    for refuse in (open_writer, open_reader):
        with pytest.raises(WorkspaceError, match="malformed"):
            refuse(path)


def test_readers_see_what_was_committed_and_do_not_wait_for_a_writer(connection, path):
    store = Writer(connection)
    store.store(*document("/a", "committed"))
    store.flush()
    with transaction(connection):
        connection.execute("DELETE FROM files").fetchall()
        reader = open_reader(path)
        reader.set_busy_timeout(0)
        assert contents(reader) == {"/a": ["committed"]}
        assert found_by(reader, "committed") == {"/a"}
        reader.close()
    assert contents(connection) == {}


@pytest.mark.usefixtures("connection")
def test_a_reader_cannot_write(path):
    reader = open_reader(path)
    with contextlib.closing(reader), pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM files").fetchall()


def test_an_index_in_a_read_only_directory_can_be_read(private_tmp):
    path = private_tmp / "x.sqlite"
    connection = open_writer(path)
    store = Writer(connection)
    store.store(*document("/a", "text"))
    store.flush()
    connection.close()
    before = listing(private_tmp)
    with read_only(private_tmp):
        reader = open_reader(path)
        assert contents(reader) == {"/a": ["text"]}
        assert found_by(reader, "text") == {"/a"}
        reader.close()
        with pytest.raises(WorkspaceError, match=r"cannot write the index .*: it is read-only; check"):
            open_writer(path)
    assert listing(private_tmp) == before


@pytest.mark.parametrize("live", [True, False], ids=["writer at work", "writer killed"])
def test_rows_that_only_a_wal_holds_are_shown_or_refused_but_never_left_out(private_tmp, live):
    """In a read-only directory; beside a writer at work they can be read, beside a dead one they cannot."""
    connection = open_writer(private_tmp / "x.sqlite")
    store = Writer(connection)
    store.store(*document("/a", "only in the wal"))
    store.flush()
    path = private_tmp / "x.sqlite"
    if not live:
        for suffix in ("", "-wal"):
            shutil.copy(private_tmp / f"x.sqlite{suffix}", private_tmp / f"y.sqlite{suffix}")
        path = private_tmp / "y.sqlite"
    with read_only(private_tmp):
        if live:
            reader = open_reader(path)
            assert contents(reader) == {"/a": ["only in the wal"]}
            reader.close()
        else:
            with pytest.raises(WorkspaceError, match="directory is writable"):
                open_reader(path)
    private_tmp.chmod(0o755)
    for entry in private_tmp.iterdir():
        entry.chmod(0o600)
    connection.close()


def test_the_files_of_an_index_are_known_by_their_numbers(path):
    (path.parent / "unrelated").touch()
    (path.parent / "workspace.lock").touch()
    connection = open_writer(path)
    wanted = {entry.name: entry.stat() for entry in path.parent.iterdir() if entry.name != "unrelated"}
    assert set(wanted) == {path.name, path.name + "-wal", path.name + "-shm", "workspace.lock"}
    assert private_file_ids(path) == {(status.st_dev, status.st_ino) for status in wanted.values()}
    link = path.parent / "link.sqlite"
    link.symlink_to(path)
    assert private_file_ids(link) == private_file_ids(path)
    connection.close()
    assert private_file_ids(path.parent / "none") <= private_file_ids(path)
