"""Long runs against everything that can happen to an index; the tests take a sample, ``make soak`` goes on for hours.

Each function takes a seeded generator, so that what it finds can be found again.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from support import check, dump, holds_tables, settings

from workspace.api import _run_options
from workspace.config import prepare_workspace
from workspace.pipeline.runner import run
from workspace.storage.lock import HOLDER_NAME, index_lock

if TYPE_CHECKING:
    import random

WORDS = ["river", "bridge", "lamp", "stone", "#", "Head\n", "def", "f():", "pass\n", "letter", "cloud", "train"]
SUFFIXES = ("md", "txt", "py", "html", "log")
SETTINGS = {"chunk_size": 20, "overlap": 5, "threshold": 60}
OPTIONS = {"search": {"default_limit": 100}}


def text(rng: random.Random, most: int = 90) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randrange(1, most))) + f" {rng.random()}\n"


class Tree:
    """A directory that lives: files come, change in every way that files change, and go."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self._rng = rng
        root.mkdir(parents=True, exist_ok=True)

    def step(self) -> str:
        """Do one thing to one file, and return what it was."""
        acts = (
            self.write, self.write, self.edit, self.edit_unseen, self.touch, self.rename, self.delete,
            self.replace_by_folder, self.ignore, self.recase, self.empty, self.in_the_past,
        )  # fmt: skip
        act = self._rng.choice(acts)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError, FileExistsError):
            act()
        return act.__name__

    def fill(self, files: int, most: int = 90) -> None:
        for number in range(files):
            path = self.root / f"f{number % 7}" / f"{number}.{self._rng.choice(SUFFIXES)}"
            path.parent.mkdir(exist_ok=True)
            if not path.is_dir():
                path.write_text(text(self._rng, most))

    def write(self) -> None:
        path = self.root / f"d{self._rng.randrange(4)}" / f"{self._rng.randrange(12)}.{self._rng.choice(SUFFIXES)}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(self._rng))

    def edit(self) -> None:
        path = self._some()
        path.write_text(path.read_text() + text(self._rng))

    def edit_unseen(self) -> None:
        """Same size, same mtime."""
        path = self._some()
        status, old = path.stat(), path.read_text()
        path.write_text(old.swapcase())
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def touch(self) -> None:
        self._some().touch()

    def in_the_past(self) -> None:
        year = 365 * 86_400
        moment = self._rng.choice([-5 * year, 0, 10 * year, 200 * year])
        os.utime(self._some(), (moment, moment))

    def rename(self) -> None:
        path = self._some()
        path.rename(path.with_name(f"r{self._rng.randrange(12)}.{self._rng.choice(SUFFIXES)}"))

    def recase(self) -> None:
        path = self._some()
        path.rename(path.with_name(path.name.swapcase()))

    def delete(self) -> None:
        self._some().unlink()

    def empty(self) -> None:
        self._some().write_text("")

    def replace_by_folder(self) -> None:
        path = self._some()
        path.unlink()
        path.mkdir()
        (path / "within.md").write_text(text(self._rng))

    def ignore(self) -> None:
        folder = self._rng.choice([self.root, self.root / f"d{self._rng.randrange(4)}"])
        lines = self._rng.choices(["*.log", "d1/", "!*.log", "3.*", "r*", ""], k=2)
        (folder / self._rng.choice([".gitignore", ".hermesignore"])).write_text("\n".join(lines) + "\n")

    def _some(self) -> Path:
        files = sorted(path for path in self.root.rglob("*") if path.is_file() and not path.name.startswith("."))
        if not files:
            raise FileNotFoundError
        return self._rng.choice(files)


# --- Incremental = fresh ----------------------------------------------------------------------------------------


def history(base: Path, rng: random.Random, *, steps: int) -> int:
    """Let a tree live and index it now and then, to the end or not; return how often the outcome was compared.

    After a complete run the index must equal a fresh one, after any other it must be sound.
    """
    tree, compared = Tree(base / "tree", rng), 0
    chunking = dict(SETTINGS)
    for number in range(steps):
        for _ in range(rng.randrange(1, 6)):
            tree.step()
        if rng.random() < 0.1:
            chunking["chunk_size"] = rng.choice([15, 20, 30])
        config = settings(base / "home", tree.root, chunking=chunking)
        if rng.random() < 0.3:
            _index_until(config, rng.randrange(1, 12))
            continue
        _index_until(config, None)
        fresh = settings(base / f"fresh-{number}", tree.root, chunking=chunking)
        _index_until(fresh, None)
        assert dump(config) == dump(fresh)
        shutil.rmtree(fresh.home)
        compared += 1
    return compared


def _index_until(config, outcomes: int | None) -> None:
    """Index in this thread, and stop like Ctrl-C after so many outcomes; check what is there then."""
    prepare_workspace(config)
    seen = 0

    def count(_: object) -> None:
        nonlocal seen
        seen += 1
        if outcomes is not None and seen >= outcomes:
            raise KeyboardInterrupt

    options = replace(_run_options(config, verify=False, retry_failed=False, wait=0, jobs=None), inline=True)
    with contextlib.suppress(KeyboardInterrupt):
        run(options, progress=count)
    if holds_tables(config):
        check(config)


# --- Kills ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Home:
    """A home on disk, as a process of its own sees it."""

    path: Path
    tree: Path

    def __post_init__(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        sections = {"roots": [{"path": str(self.tree), "recursive": True}], "chunking": SETTINGS, **OPTIONS}
        (self.path / "config.yaml").write_text(json.dumps({"knowledgebase": sections}))

    @property
    def config(self):
        return settings(self.path, self.tree, chunking=SETTINGS, **OPTIONS)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command at the head of a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "workspace", *arguments],
            env=os.environ | {"HERMES_HOME": str(self.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


def end_at(home: Home, seconds: float, signals: tuple[int, ...], *, whole_group: bool) -> tuple[int, int, str]:
    """Start an index run, let signals come some time after it has the lock; return its group and how it ended.

    Then the database must be sound, and the lock free.
    """
    process = home.start("index")
    while process.poll() is None and not (home.config.index_directory / HOLDER_NAME).exists():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.005)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    for number in signals:
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if whole_group else os.kill)(process.pid, number)
    _, errors = process.communicate(timeout=60)
    if home.config.index_directory.is_dir():
        with index_lock(home.config.index_directory):
            pass
    if home.config.database_path.exists() and holds_tables(home.config):
        check(home.config)
    return process.pid, process.returncode, errors.decode()


def completes(home: Home, scratch: Path) -> None:
    """One more run leaves the index as a fresh one."""
    _index_until(home.config, None)
    fresh = settings(scratch, home.tree, chunking=SETTINGS, **OPTIONS)
    _index_until(fresh, None)
    assert dump(home.config) == dump(fresh)
    shutil.rmtree(scratch)


def living(group: int) -> list[str]:
    """Return the processes of a group that run, as Linux lists them."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, pgrp, *_ = entry.read_text().rpartition(")")[2].split()
            if int(pgrp) == group and state != "Z":
                found.append(entry.parent.name)
    return found
