"""The read stage: what became of a candidate, and what is stored about it."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.pipeline import read as reading
from workspace.pipeline.budget import ByteBudget
from workspace.pipeline.items import Candidate, Document, Failed, Refreshed, Skipped, SkipReason
from workspace.pipeline.read import RACY_NS, ReadOptions, read, read_all, unchanged
from workspace.types import FileStat, Known

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ReadOptions(max_file_bytes=1000, signature="signature", verify=False)


def candidate_at(path: Path) -> Candidate:
    """What discovery says of a file."""
    status = path.lstat()
    identity = FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return Candidate(str(path), str(path.parent), identity, status.st_mtime_ns + 1)


def known_of(outcome: Document) -> Known:
    """What the database knows after a document was stored."""
    found = outcome.candidate
    return Known(found.stat, outcome.content_hash, OPTIONS.signature, found.root, found.verified_ns)


def read_at(path: Path, known: Known | None = None, options: ReadOptions = OPTIONS):
    return read(candidate_at(path), known, options)


@pytest.fixture
def note(tmp_path) -> Path:
    path = tmp_path / "note.txt"
    path.write_bytes("Grüße\r\n".encode())
    return path


@pytest.fixture
def known(note) -> Known:
    """The note as it is known when it was indexed long after it was written."""
    os.utime(note, ns=(10**18, 10**18))
    outcome = read_at(note)
    assert isinstance(outcome, Document)
    return known_of(outcome)


# --- Documents ------------------------------------------------------------------------------------------------


def test_a_document_has_text_hash_encoding_and_a_fresh_stat(note):
    listed = candidate_at(note)
    os.utime(note, ns=(5, 5))
    outcome = read(listed, None, OPTIONS)
    assert outcome == Document(
        candidate_at(note)._replace(verified_ns=outcome.candidate.verified_ns),
        hashlib.sha256(note.read_bytes()).hexdigest(),
        "Grüße\r\n",
        "utf-8",
    )


def test_old_encodings_are_decoded(note):
    note.write_bytes("Grüße\n".encode("cp1252"))
    assert (read_at(note).text, read_at(note).encoding) == ("Grüße\n", "windows-1252")


@given(st.integers(min_value=0, max_value=3), st.integers(min_value=1, max_value=5))
def test_the_whole_file_is_read_however_the_system_slices_it(excess, slice_size):
    """A read may return less than was asked for, as on a network."""
    content = b"words and " * 2 + b"x" * excess
    position = 0

    def slow_read(_, size):
        nonlocal position
        part = content[position : position + min(size, slice_size)]
        position += len(part)
        return part

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "read", slow_read)
        assert reading._bytes(3, 20, 22) == content[:22]


# --- Skipped ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", SkipReason.EMPTY),
        (b" \t\r\n\f", SkipReason.BLANK),
        ("\u3000\n".encode("utf-16"), SkipReason.BLANK),
        (b"\xef\xbb\xbf", SkipReason.BLANK),
        (b"words\0\0\0", SkipReason.BINARY_CONTENT),
        (b"x" * 1001, SkipReason.OVERSIZED),
    ],
)
def test_what_has_no_text_is_skipped_with_a_reason(note, content, reason):
    note.write_bytes(content)
    assert read_at(note) == Skipped(str(note), reason)


def test_the_size_limit_itself_is_allowed(note):
    note.write_bytes(b"x" * 1000)
    assert read_at(note).text == "x" * 1000


def test_nothing_is_read_of_a_file_that_is_too_large(note, monkeypatch):
    note.write_bytes(b"x" * 1001)
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("it was read"))
    assert read_at(note) == Skipped(str(note), SkipReason.OVERSIZED)


def test_a_file_that_grows_while_it_is_read_is_never_read_beyond_the_limit(note, monkeypatch):
    real = os.read
    asked = []

    def growing(descriptor, size):
        asked.append(size)
        with note.open("ab") as file:
            file.write(b"y" * 600)
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", growing)
    assert read_at(note) == Skipped(str(note), SkipReason.OVERSIZED)
    assert max(asked) <= 1001


# --- Unchanged and refreshed ----------------------------------------------------------------------------------


def test_an_old_stat_that_is_equal_proves_that_nothing_changed(note, known):
    assert unchanged(candidate_at(note), known, OPTIONS)


@pytest.mark.parametrize(
    "change",
    [
        lambda candidate, _: (candidate, None),
        lambda candidate, known: (candidate._replace(root="/elsewhere"), known),
        lambda candidate, known: (candidate, known._replace(config_signature="other")),
        lambda candidate, known: (candidate, known._replace(verified_ns=known.stat.mtime_ns + RACY_NS)),
        lambda candidate, known: (candidate, known._replace(verified_ns=known.stat.mtime_ns - RACY_NS)),
        *(
            lambda candidate, known, name=name: (
                candidate,
                known._replace(stat=known.stat._replace(**{name: getattr(known.stat, name) + 1})),
            )
            for name in ("size_bytes", "mtime_ns", "ctime_ns", "inode")
        ),
    ],
)
def test_any_difference_or_too_young_a_file_proves_nothing(note, known, change):
    assert not unchanged(*change(candidate_at(note), known), OPTIONS)


def test_verifying_trusts_no_stat(note, known):
    assert not unchanged(candidate_at(note), known, replace(OPTIONS, verify=True))


def test_a_file_two_seconds_and_a_tick_old_is_trusted(note, known):
    assert unchanged(candidate_at(note), known._replace(verified_ns=known.stat.mtime_ns + RACY_NS + 1), OPTIONS)


def test_the_same_bytes_are_only_refreshed(note, known):
    os.utime(note, ns=(2 * 10**18, 2 * 10**18))
    outcome = read_at(note, known)
    assert isinstance(outcome, Refreshed)
    assert outcome.stat == candidate_at(note).stat
    assert outcome.verified_ns > known.verified_ns


def test_the_same_bytes_under_another_configuration_or_root_are_a_document(note, known):
    assert isinstance(read_at(note, known._replace(config_signature="other")), Document)
    assert isinstance(read_at(note, known._replace(root="/elsewhere")), Document)


def test_an_edit_that_keeps_size_and_time_is_seen_when_verifying(note, known):
    note.write_bytes("Grütze\n".encode().ljust(known.stat.size_bytes)[: known.stat.size_bytes])
    os.utime(note, ns=(10**18, 10**18))
    assert isinstance(read_at(note, known, replace(OPTIONS, verify=True)), Document)


@pytest.mark.parametrize("born", [10**18, -(10**17)])
def test_a_file_that_changes_while_it_is_read_is_read_again(note, monkeypatch, born):
    """Even if its old stat is restored afterwards: what is stored proves nothing."""
    os.utime(note, ns=(born, born))
    listed = candidate_at(note)
    real = os.read

    def touching(descriptor, size):
        os.utime(note, ns=(3, 3))
        return real(descriptor, size)

    with monkeypatch.context() as patch:
        patch.setattr(os, "read", touching)
        outcome = read(listed, None, OPTIONS)
    assert outcome.candidate.stat == listed.stat
    assert not unchanged(listed, known_of(outcome), OPTIONS)


# --- Failures ---------------------------------------------------------------------------------------------------


def failure(outcome: object) -> tuple[str, str, bool]:
    assert isinstance(outcome, Failed)
    assert outcome.stage == "read"
    return outcome.error_type, outcome.message, outcome.rows_are_gone


def test_no_permission_keeps_the_rows(note, known, monkeypatch):
    def refuse(path, *_, **__):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    assert failure(read_at(note, known)) == ("PermissionError", "cannot open the file: Permission denied", False)


def test_a_disk_error_keeps_the_rows_and_closes_the_file(note, known, monkeypatch):
    closed = []
    real = os.close
    monkeypatch.setattr(os, "close", lambda descriptor: (closed.append(descriptor), real(descriptor)))
    monkeypatch.setattr(os, "read", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    assert failure(read_at(note, known)) == ("OSError", "cannot read the file: Input/output error", False)
    assert len(closed) == 1


def test_a_vanished_file_is_gone(note, known, tmp_path):
    listed = candidate_at(note)
    (tmp_path / "other.txt").touch()
    note.unlink()
    assert failure(read(listed, known, OPTIONS)) == (
        "FileNotFoundError",
        "cannot open the file: No such file or directory",
        True,
    )


def test_a_whole_directory_that_vanished_may_be_an_unmounted_disk(note, known, tmp_path):
    listed = candidate_at(note)
    note.unlink()
    assert failure(read(listed, known, OPTIONS))[2] is False
    tmp_path.rmdir()
    assert failure(read(listed, known, OPTIONS))[2] is False


def test_a_directory_that_became_a_file_holds_nothing(note, known, tmp_path):
    listed = candidate_at(note)
    note.unlink()
    tmp_path.rmdir()
    tmp_path.write_text("no directory")
    assert failure(read(listed, known, OPTIONS))[::2] == ("NotADirectoryError", True)
    tmp_path.unlink()
    tmp_path.mkdir()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX file types")
@pytest.mark.parametrize("kind", ["link", "directory", "fifo", "socket"])
def test_what_took_the_place_of_a_file_is_never_read(note, known, kind, tmp_path, monkeypatch):
    listed = candidate_at(note)
    note.rename(tmp_path / "moved.txt")
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        make = {
            "link": lambda: note.symlink_to("moved.txt"),
            "directory": note.mkdir,
            "fifo": lambda: os.mkfifo(note),
            "socket": lambda: listener.bind(note.name),
        }
        make[kind]()
        error_type, message, is_gone = failure(read(listed, known, OPTIONS))
    assert (error_type, is_gone) == ("OSError", True)
    assert message.endswith("it has become a symbolic link" if kind == "link" else "it is no regular file any more")


def test_changed_content_that_cannot_be_decoded_takes_its_rows_along(note, known):
    junk = bytes(range(0x80, 0x100)) * 2
    note.write_bytes(junk)
    error_type, message, is_gone = failure(read_at(note, known))
    assert (error_type, is_gone) == ("EncodingError", True)
    assert message.startswith("cannot decode the file: it is not Unicode")
    same = known._replace(content_hash=hashlib.sha256(junk).hexdigest(), config_signature="other")
    assert failure(read_at(note, same))[2] is False
    assert failure(read_at(note, None))[2] is False


def test_a_bug_in_a_decoder_costs_one_file(note, known, monkeypatch):
    def broken(_):
        raise RuntimeError("surprise")

    monkeypatch.setattr(reading, "decode", broken)
    note.write_text("changed")
    assert failure(read_at(note, known)) == ("RuntimeError", "cannot decode the file: surprise", True)


@given(st.binary(max_size=1100))
def test_reading_never_raises(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(content)
    assert isinstance(read_at(path), Document | Skipped | Failed)


def test_no_descriptor_is_left_open_or_inherited(note, monkeypatch):
    opened = []
    real = os.open

    def watch(path, flags):
        opened.append(real(path, flags))
        assert not os.get_inheritable(opened[-1])
        return opened[-1]

    monkeypatch.setattr(os, "open", watch)
    read_at(note)
    [descriptor] = opened
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


# --- The stage ------------------------------------------------------------------------------------------------


def test_the_stage_passes_on_what_is_not_its_own(note, known, tmp_path):
    failed = Failed("/x", "discover", "OSError", "it is away")
    blank = tmp_path / "blank.txt"
    blank.write_text("\n")
    batches = [[failed, candidate_at(note)], [], [candidate_at(blank)]]
    found = list(read_all(batches, {str(note): known}, OPTIONS, ByteBudget(1000)))
    unchanged_note, blank_file = Skipped(str(note), SkipReason.UNCHANGED), Skipped(str(blank), SkipReason.BLANK)
    assert found == [[failed, unchanged_note], [blank_file]]


def test_what_remains_known_is_what_is_to_be_pruned(known, tmp_path):
    paths = {name: tmp_path / name for name in ("unchanged", "edited", "binary", "unlisted")}
    for name, path in paths.items():
        path.write_bytes(b"\0" if name == "binary" else name.encode())
        os.utime(path, ns=(10**18, 10**18))
    listed = [candidate_at(path) for name, path in paths.items() if name != "unlisted"]
    remembered = {str(path): known._replace(stat=candidate_at(path).stat) for path in paths.values()}
    for name in ("edited", "binary"):
        remembered[str(paths[name])] = known
    list(read_all([listed], remembered, OPTIONS, ByteBudget(1000)))
    assert sorted(remembered) == [str(paths["binary"]), str(paths["unlisted"])]


def test_the_stage_hands_over_what_it_has_before_it_waits_for_room(tmp_path):
    """Only the stages behind it can make room, so it must not sit on documents they have not seen."""
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("word " * 100)
    budget = ByteBudget(1200)
    batch = [candidate_at(path) for path in sorted(tmp_path.iterdir())]
    sizes = []
    for items in read_all([batch], {}, OPTIONS, budget):
        sizes.append(len(items))
        for item in items:
            budget.settle(item.candidate.path)
    assert sum(sizes) == 4
    assert len(sizes) > 1


def test_what_is_no_document_frees_its_room_at_once(tmp_path):
    for number in range(10):
        (tmp_path / f"{number}.bin").write_bytes(b"\0" * 900)
    batch = [candidate_at(path) for path in sorted(tmp_path.iterdir())]
    done = []
    worker = threading.Thread(target=lambda: done.extend(read_all([batch], {}, OPTIONS, ByteBudget(1000))), daemon=True)
    worker.start()
    worker.join(10)
    assert [len(items) for items in done] == [10]


def test_special_files_are_recognised_by_their_descriptor(tmp_path):
    assert stat.S_ISDIR(tmp_path.lstat().st_mode)
    assert failure(read_at(tmp_path))[0] == "OSError"
