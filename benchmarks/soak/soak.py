"""Could overturn any sentence of docs/reliability.md: crashes, rivals and long histories, as long as you like.

    python benchmarks/soak/soak.py kills --rounds 200      # kill -9 at random moments
    python benchmarks/soak/soak.py signals --rounds 100    # Ctrl-C and SIGTERM, once and twice
    python benchmarks/soak/soak.py rivals --seconds 60     # one indexer, several searchers; then indexers at once
    python benchmarks/soak/soak.py history --seconds 600   # incremental = fresh

Prints one JSON line for each; the first thing that does not hold ends it with a traceback and the seed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

TESTS = Path(__file__).resolve().parents[2] / "tests" / "workspace"
sys.path.insert(0, str(TESTS))

from soaking import Home, Tree, completes, end_at, history, living  # noqa: E402 - after the path is set
from test_migrations import older_database  # noqa: E402

from workspace import index_workspace, search_workspace  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

GRACE_SECONDS = 10.0
"""Within which the workers of a killed run must have noticed."""


@contextlib.contextmanager
def place(seed: int) -> Iterator[tuple[Path, random.Random]]:
    """Give a scratch directory and a seeded generator; name the seed if anything fails."""
    with tempfile.TemporaryDirectory(prefix="soak-") as scratch:
        try:
            yield Path(scratch), random.Random(seed)  # noqa: S311 - no secret
        except BaseException:
            print(f"seed {seed}", file=sys.stderr)
            raise


def orphans(group: int) -> int:
    """Return how many processes of a run outlive it by more than the grace."""
    deadline = time.monotonic() + GRACE_SECONDS
    while living(group) and time.monotonic() < deadline:
        time.sleep(0.05)
    return len(living(group))


def prepared(home: Home, tree: Tree, rng: random.Random, scratch: Path) -> str:
    """Bring about what the next run has to deal with: a cold start, changes, many deletions, or an older database."""
    kind = rng.choice(["cold", "incremental", "pruning", "migrating"])
    if kind == "cold":
        shutil.rmtree(home.config.index_directory, ignore_errors=True)
        return kind
    index_workspace(home.config)
    if kind == "pruning":
        shutil.rmtree(tree.root / f"f{rng.randrange(7)}", ignore_errors=True)
    elif kind == "migrating":
        older = scratch / "older.sqlite"
        older.unlink(missing_ok=True)
        older_database(older, 1, home.config.database_path)
        older.replace(home.config.database_path)
    for _ in range(30):
        tree.step()
    return kind


def kills(rounds: int, seed: int, signals: tuple[tuple[int, ...], ...] = ((signal.SIGKILL,),)) -> dict[str, Any]:
    """End a run at a random moment, `rounds` times; each time all must be sound, and the next run complete it."""
    ends: Counter[str] = Counter()
    with place(seed) as (scratch, rng):
        tree = Tree(scratch / "tree", rng)
        home = Home(scratch / "home", tree.root)
        for number in range(rounds):
            tree.fill(400, 150)
            kind = prepared(home, tree, rng, scratch)
            sent = rng.choice(signals)
            group, code, errors = end_at(home, rng.random() ** 3, sent, whole_group=rng.random() < 0.5)
            # A worker that was only just starting may complain; the run itself must not.
            ends["complaints of starting workers"] += "Traceback" in errors
            assert code in {0, 130, 143, *(-number for number in sent)}, (code, errors)
            assert code in {0, -signal.SIGKILL, -signal.SIGTERM} or '{"error":{"type":' in errors, errors
            assert orphans(group) == 0
            completes(home, scratch / f"fresh-{number}")
            ends[f"{kind}: {'ended before' if code == 0 else code}"] += 1
            if number % 20 == 19:
                print(number + 1, dict(ends), file=sys.stderr, flush=True)
    return {"rounds": rounds, **ends}


def signals(rounds: int, seed: int) -> dict[str, Any]:
    """Interrupt and terminate, once and twice."""
    both = (signal.SIGINT, signal.SIGTERM)
    return kills(rounds, seed, (*((one,) for one in both), *((one, two) for one in both for two in both)))


def rivals(seconds: float, seed: int) -> dict[str, Any]:
    """Search while another process indexes, then let four index at once where there is no database yet."""
    counts: Counter[str] = Counter()
    with place(seed) as (scratch, rng):
        tree = Tree(scratch / "tree", rng)
        tree.fill(200)
        home = Home(scratch / "home", tree.root)
        index_workspace(home.config)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for number in range(0, 200, 3):
                path = tree.root / f"f{number % 7}" / f"{number}.log"
                path.write_text(f"generation{counts['runs']} lamp bridge\n" * 40)
            indexer = home.start("index")
            searchers = [home.start("search", "lamp bridge", "--limit", "50") for _ in range(3)]
            while indexer.poll() is None:
                for hit in search_workspace(home.config, "lamp bridge generation", limit=50):
                    generations = set(hit.content.split()) & {f"generation{n}" for n in range(counts["runs"] + 1)}
                    assert len(generations) <= 1, "half a file was shown"
                    counts["hits"] += 1
                counts["searches"] += 1
            for searcher in searchers:
                out, errors = searcher.communicate()
                assert (searcher.returncode, errors) == (0, b""), errors
                assert len(json.loads(out)) > 0
            assert indexer.wait() == 0, indexer.stderr.read() if indexer.stderr else ""
            counts["runs"] += 1
        for number in range(20):
            shutil.rmtree(home.config.index_directory, ignore_errors=True)
            started = [home.start("index", *(["--wait", "60"] if number % 2 else [])) for _ in range(4)]
            codes = []
            for process in started:
                _, errors = process.communicate()
                codes.append(process.returncode)
                assert process.returncode == 0 or b"IndexLocked" in errors, errors
            assert 0 in codes
            assert not number % 2 or codes == [0] * 4
            completes(home, scratch / "fresh")
            counts["starts of four"] += 1
    return dict(counts)


def histories(seconds: float, seed: int) -> dict[str, Any]:
    """Compare incremental indexes with fresh ones, history after history."""
    counts: Counter[str] = Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with place(seed + counts["histories"]) as (scratch, rng):
            counts["comparisons"] += history(scratch, rng, steps=25)
        counts["histories"] += 1
    return dict(counts)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kills", "signals", "rivals", "history", "all"])
    parser.add_argument("--rounds", type=int, default=200, help="of kills and signals (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="of rivals and history (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chosen = {
        "kills": lambda: kills(arguments.rounds, arguments.seed),
        "signals": lambda: signals(arguments.rounds, arguments.seed),
        "rivals": lambda: rivals(arguments.seconds, arguments.seed),
        "history": lambda: histories(arguments.seconds, arguments.seed),
    }
    for name, act in chosen.items():
        if arguments.what in {name, "all"}:
            print(json.dumps({name: act()}), flush=True)


if __name__ == "__main__":
    main()
