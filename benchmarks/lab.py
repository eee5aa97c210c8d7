"""What every question works with: corpora, homes, and measurements."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus as generator
import processes
from processes import Cost

from workspace import WorkspaceConfig
from workspace.storage.connection import open_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Figure = float | int | str | list[dict[str, float | int | str]]
    Figures = dict[str, Figure]

ACTIONS = Path(__file__).with_name("actions.py")


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured: files of each corpus, bytes of the large file, queries, and how often.

    The same thing is measured `times` times at most, and not again after `enough_s` seconds: what takes longer is not
    much disturbed by other programs.
    """

    small: int = 150
    base: int = 8_000
    searched: int = 20_000
    large: int = 80_000
    ignored: int = 50_000
    large_file: int = 10_000_000
    queries: int = 200
    times: int = 4
    enough_s: float = 6.0


QUICK = Scale(base=400, searched=400, large=1_200, ignored=5_000, large_file=2_000_000, queries=40, times=2)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A directory to index, and how to call it."""

    name: str
    directory: Path


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in an index. Text is what the indexed files hold, in bytes."""

    files: int
    rows: int
    text: int
    database: int


@dataclass(frozen=True, slots=True)
class Home:
    """A home, and where its index is."""

    path: Path
    database: Path

    def facts(self) -> Facts:
        """Count what is in its index."""
        with self._reader() as connection:
            files, text = connection.execute("SELECT count(*), coalesce(sum(size_bytes), 0) FROM files").fetchall()[0]
            rows = connection.execute("SELECT count(*) FROM chunks").get
        return Facts(files, rows, text, self.database.stat().st_size)

    def texts(self, count: int) -> list[str]:
        """Return the contents of `count` rows, spread over the whole index."""
        with self._reader() as connection:
            step = max(1, connection.execute("SELECT max(id) FROM chunks").get // count)
            found = connection.execute("SELECT content FROM chunks WHERE id % ? = 0 LIMIT ?", (step, count))
            return [content for (content,) in found]

    def configure(self, *corpora: Corpus, **chunking: int) -> None:
        """Write its settings: the roots, and how long files are chunked."""
        roots = [{"path": str(corpus.directory), "recursive": True} for corpus in corpora]
        settings = {"knowledgebase": {"roots": roots, "chunking": chunking}}
        (self.path / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")

    @contextlib.contextmanager
    def _reader(self) -> Iterator[Any]:
        connection = open_reader(self.database)
        if connection is None:
            raise ValueError(f"there is no index at {self.database}")
        with contextlib.closing(connection):
            yield connection


@dataclass(frozen=True, slots=True)
class FirstRun:
    """What a first index run cost, and what came of it."""

    cost: Cost
    home: Home
    facts: Facts


class Lab:
    """Makes corpora and homes below `scratch`, and measures. `tree` takes the place of the generated corpora."""

    def __init__(self, scratch: Path, *, scale: Scale, tree: Path | None = None) -> None:
        self.scale = scale
        self.tree = tree and Corpus(tree.name or str(tree), tree)
        self._scratch = scratch
        self._made = 0
        self._generated: dict[int, Corpus] = {}
        self._first_runs: dict[Corpus, FirstRun] = {}

    def base(self) -> Corpus:
        """Return the corpus that most questions are about."""
        return self.tree or self.generated(self.scale.base)

    def searched(self) -> Corpus:
        """Return the corpus that is searched."""
        return self.tree or self.generated(self.scale.searched)

    def sizes(self) -> list[Corpus]:
        """Return corpora of the same kind, the smallest one first."""
        if self.tree:
            return [self.copy(self.tree, every=10), self.tree]
        return [self.generated(files) for files in (self.scale.small, self.scale.base, self.scale.large)]

    def generated(self, files: int) -> Corpus:
        """Return the generated corpus of that many files, which nobody may change."""
        if files not in self._generated:
            directory = self.new_directory("corpus")
            generator.generate(directory, files)
            self._generated[files] = Corpus(f"{files:,} generated files", directory)
        return self._generated[files]

    def copy(self, corpus: Corpus, *, every: int = 1) -> Corpus:
        """Return a copy that may be changed, of all files or of every so manieth."""
        directory = self.new_directory("copy")
        for number, path in enumerate(files_below(corpus.directory)):
            if number % every == 0:
                target = directory / path.relative_to(corpus.directory)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)
        return Corpus(corpus.name if every == 1 else f"1/{every} of {corpus.name}", directory)

    def home(self, *corpora: Corpus, **chunking: int) -> Home:
        """Return a home without an index."""
        path = self.new_directory("home")
        home = Home(path, WorkspaceConfig.from_dict({}, home=path).database_path)
        home.configure(*corpora, **chunking)
        return home

    @contextlib.contextmanager
    def copy_of(self, home: Home) -> Iterator[Home]:
        """Yield a home with the same settings and the same index, and delete it afterwards."""
        path = self.new_directory("home")
        shutil.copytree(home.path, path, dirs_exist_ok=True)
        yield Home(path, path / home.database.relative_to(home.path))
        shutil.rmtree(path)

    def first_run(self, corpus: Corpus) -> FirstRun:
        """Return a first run with default settings, made once for all questions. Its index is not to be changed."""
        if corpus not in self._first_runs:
            home = self.home(corpus)
            costs = [self.index(home)]
            if not home.facts().files:
                raise ValueError(f"nothing in {corpus.directory} can be indexed")
            while self._goes_on(costs):
                costs.append(self.cold(corpus))
            self._first_runs[corpus] = FirstRun(best_of(costs), home, home.facts())
        return self._first_runs[corpus]

    def alternate(self, **attempts: Callable[[], Cost]) -> dict[str, Cost]:
        """Measure things that are to be compared, in turns, so that other programs disturb all of them alike."""
        costs: list[dict[str, Cost]] = []
        while self._goes_on([max(turn.values(), key=attrgetter("wall_s")) for turn in costs]):
            costs.append({name: attempt() for name, attempt in attempts.items()})
        return {name: best_of([turn[name] for turn in costs]) for name in attempts}

    def beside_cold(self, corpus: Corpus, attempt: Callable[[], Cost]) -> Figures:
        """Return what `attempt` costs, and what a first run does."""
        costs = self.alternate(cold=lambda: self.cold(corpus), attempt=attempt)
        cold, cost = costs["cold"], costs["attempt"]
        return {
            "wall_s": cost.wall_s,
            "cpu_s": cost.cpu_s,
            "cold_wall_s": cold.wall_s,
            "wall_over_cold": cost.wall_s / cold.wall_s,
        }

    def cold(self, *corpora: Corpus, jobs: int | None = None, **chunking: int) -> Cost:
        """Return the cost of a first run."""
        home = self.home(*corpora, **chunking)
        cost = self.index(home, jobs=jobs)
        shutil.rmtree(home.path)
        return cost

    def index(self, home: Home, *, jobs: int | None = None) -> Cost:
        """Return the cost of an index run."""
        os.sync()  # what was written before must not be waited for now
        return self._costs("index", home=str(home.path), jobs=jobs)[0]

    def unchanged(self, home: Home) -> Cost:
        """Return the cost of an index run that finds nothing to do."""
        return best_of(self._costs("index", home=str(home.path), repeats=6)[1:])

    def write_alone(self, home: Home) -> Cost:
        """Return what the writer alone needs for the rows of an index."""
        directory = self.new_directory("floor")
        os.sync()
        cost = self._costs("write", source=str(home.database), database=str(directory / "index.sqlite"))[0]
        shutil.rmtree(directory)
        return cost

    def walk(self, directory: Path) -> Cost:
        """Return the cost of a bare walk."""
        return best_of(self._costs("walk", directory=str(directory), repeats=6)[1:])

    def latencies(self, home: Home, queries: Sequence[str]) -> list[float]:
        """Return the least of three latencies of each query, in milliseconds."""
        return list(self._act("search", home=str(home.path), queries=queries, repeats=3)[0])

    def _costs(self, action: str, **arguments: object) -> list[Cost]:
        answer, peak_mb = self._act(action, **arguments)
        return [Cost(cost["wall_s"], cost["cpu_s"], peak_mb) for cost in answer["costs"]]

    def _act(self, action: str, **arguments: object) -> tuple[Any, float]:
        finished = processes.run([sys.executable, str(ACTIONS), action, json.dumps(arguments)])
        return json.loads(finished.output), finished.cost.peak_mb

    def _goes_on(self, costs: Sequence[Cost]) -> bool:
        return len(costs) < self.scale.times and sum(cost.wall_s for cost in costs) < self.scale.enough_s

    def new_directory(self, kind: str) -> Path:
        """Return an empty directory."""
        self._made += 1
        path = self._scratch / f"{kind}{self._made}"
        path.mkdir(parents=True)
        return path


def shell(home: Home, *arguments: str) -> Cost:
    """Run our command as a shell does."""
    command = [sys.executable, "-m", "workspace", *arguments]
    return processes.run(command, {"HERMES_HOME": str(home.path)}).cost


def python(source: str) -> Cost:
    """Run a piece of Python as a shell does."""
    return processes.run([sys.executable, "-c", source]).cost


def files_below(directory: Path) -> list[Path]:
    """Return all regular files, sorted, symlinks left out."""
    found = [Path(folder, name) for folder, _, names in os.walk(directory) for name in names]
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def best_of(costs: Sequence[Cost]) -> Cost:
    """Return the least of both times, since other programs only ever add to them, and the most memory."""
    return Cost(
        min(cost.wall_s for cost in costs), min(cost.cpu_s for cost in costs), max(cost.peak_mb for cost in costs)
    )
