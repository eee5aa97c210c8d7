"""Could overturn the ranking: if another engine, or FTS5's own ``bm25()``, answers better, ours is in the way.

Each set of questions is indexed by the real pipeline and asked through the public API; the others are asked in the
same run where they are installed (``pip install bm25s PyStemmer tantivy``). Prints a table and the goals missed.

    python benchmarks/quality/evaluate.py
    python benchmarks/quality/evaluate.py --docs ~/django/docs --code ~/django/django --code /usr/lib/python3.11
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import engines
from collection import Collection, ndcg, recall, reciprocal_rank
from cranfield import cranfield
from known_item import code, documentation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

REPOSITORY = Path(__file__).resolve().parents[2]
P95_GOAL = 1.2
"""Times the baseline's 95th percentile that ours may take."""

REPEATS = 3
"""Times that each question is asked."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What an engine has reached: means over all questions, and milliseconds."""

    ndcg: float
    mrr: float
    recall: float
    median_ms: float
    p95_ms: float


def measured(found: dict[str, engines.Engine], collection: Collection) -> dict[str, Figures]:
    """Ask every engine every question, turn by turn, so that what else the machine does falls on all of them alike."""
    rows: dict[str, list[list[float]]] = {name: [] for name in found}
    for question in collection.questions:
        for name, engine in found.items():
            ranked, milliseconds = timed(engine, question.text)
            qualities = [measure(ranked, question.gains) for measure in (ndcg, reciprocal_rank, recall)]
            rows[name].append([*qualities, milliseconds])
    return {name: figures(answers) for name, answers in rows.items()}


def timed(engine: engines.Engine, query: str) -> tuple[Sequence[str], float]:
    """Return the answer of an engine and the milliseconds it took, the best of a few times."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        ranked = engine(query)
        times.append(1000 * (time.perf_counter() - start))
    return ranked, min(times)


def figures(rows: list[list[float]]) -> Figures:
    """Return the means of the qualities, and median and 95th percentile of the times, of one engine's answers."""
    *qualities, times = zip(*rows, strict=True)
    return Figures(*map(statistics.fmean, qualities), statistics.median(times), statistics.quantiles(times, n=20)[-1])


def compared(collection: Collection, home: Path) -> dict[str, Figures]:
    """Return the figures of every engine at hand."""
    config = engines.index(collection, home)
    found = {
        "hermes-workspace": engines.product(config),
        "OR + bm25()": engines.baseline(config),
        "bm25s": engines.bm25s(collection),
        "tantivy": engines.tantivy(collection),
    }
    return measured({name: engine for name, engine in found.items() if engine}, collection)


def collections(arguments: argparse.Namespace) -> Iterator[Collection]:
    """Yield the sets that the command line asks for, as far as they are there."""
    if (arguments.cranfield / "cran.all.1400").is_file():
        yield cranfield(arguments.cranfield)
    else:
        print(f"Cranfield is left out: {arguments.cranfield} does not hold it (--cranfield DIR)", file=sys.stderr)
    trees = [(documentation, tree) for tree in arguments.docs] + [(code, tree) for tree in arguments.code]
    if not trees:
        trees = [(code, Path(sysconfig.get_path("stdlib")))]
    names = Counter(tree.resolve().name for _, tree in trees)
    for make, tree in trees:
        path = tree.resolve()
        name = path.name if names[path.name] == 1 else f"{path.parent.name}/{path.name}"
        yield make(f"{make.__name__}: {name}", path)


def report(collection: Collection, figures: dict[str, Figures]) -> list[str]:
    """Print the rows of one set; return what falls short of the goals."""
    for name, row in figures.items():
        print(
            f"| {collection.name} | {name} | {row.ndcg:.3f} | {row.mrr:.3f} | {row.recall:.3f}"
            f" | {row.median_ms:.1f} | {row.p95_ms:.1f} |",
            flush=True,
        )
    ours, plain = figures["hermes-workspace"], figures["OR + bm25()"]
    missed = []
    if ours.ndcg < collection.goal:
        missed.append(f"{collection.name}: nDCG@10 is {ours.ndcg:.3f}, the goal {collection.goal}")
    if ours.p95_ms > P95_GOAL * plain.p95_ms:
        missed.append(f"{collection.name}: p95 is {ours.p95_ms / plain.p95_ms:.2f} times the baseline's")
    return missed


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cranfield", type=Path, default=REPOSITORY.parent / "shared/data/cranfield", metavar="DIR")
    parser.add_argument("--docs", type=Path, action="append", default=[], metavar="DIR", help="a tree of documentation")
    parser.add_argument(
        "--code", type=Path, action="append", default=[], metavar="DIR", help="a tree of Python modules"
    )
    arguments = parser.parse_args()
    logging.getLogger("workspace").setLevel(logging.ERROR)  # which words were corrected is no figure
    print("| set | engine | nDCG@10 | MRR@10 | recall@20 | median ms | p95 ms |\n|---|---|---|---|---|---|---|")
    missed = []
    for collection in collections(arguments):
        with tempfile.TemporaryDirectory(prefix="quality-") as home:
            missed += report(collection, compared(collection, Path(home)))
    for line in missed:
        print(f"below the goal: {line}", file=sys.stderr)


if __name__ == "__main__":
    main()
