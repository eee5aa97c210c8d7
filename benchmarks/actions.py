"""What is measured, each time in a fresh process: ``python actions.py ACTION '{"argument": …}'`` answers in JSON.

A process of its own has no memory of earlier measurements, and its peak is its own. What an action needs is imported
before its stopwatch starts.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def index(*, home: str, jobs: int | None = None, repeats: int = 1) -> dict[str, Any]:
    """Run the index `repeats` times, and return the cost of each and the last summary."""
    from processes import Stopwatch

    import workspace.pipeline.runner  # noqa: F401 - what the first run would import
    from workspace import WorkspaceConfig, index_workspace

    config = WorkspaceConfig.load(Path(home))
    costs = []
    for _ in range(repeats):
        with Stopwatch() as watch:
            summary = index_workspace(config, jobs=jobs)
        costs.append(asdict(watch.cost))
    return {"costs": costs, "summary": asdict(summary)}


def write(*, source: str, database: str) -> dict[str, Any]:
    """Write all rows of the index at `source` into a new one, and return the cost of the writer alone."""
    import gc

    from floors import rows_of, write_alone
    from processes import Stopwatch

    rows = rows_of(Path(source))
    gc.collect()
    gc.freeze()  # the floor must not pay for so many objects in memory, which a pipeline never has
    with Stopwatch() as watch:
        write_alone(Path(database), rows)
    return {"costs": [asdict(watch.cost)]}


def walk(*, directory: str, repeats: int) -> dict[str, Any]:
    """Walk the tree at `directory` `repeats` times, and return the cost of each."""
    import floors
    from processes import Stopwatch

    costs = []
    for _ in range(repeats):
        with Stopwatch() as watch:
            files = floors.walk(directory)
        costs.append(asdict(watch.cost))
    return {"costs": costs, "files": files}


def search(*, home: str, queries: list[str], repeats: int) -> list[float]:
    """Return for each query the least of `repeats` latencies, in milliseconds."""
    from workspace import WorkspaceConfig, search_workspace

    config = WorkspaceConfig.load(Path(home))
    search_workspace(config, queries[0])
    best = [float("inf")] * len(queries)
    for _ in range(repeats):
        for number, query in enumerate(queries):
            start = time.perf_counter()
            search_workspace(config, query)
            best[number] = min(best[number], 1000 * (time.perf_counter() - start))
    return best


ACTIONS: dict[str, Callable[..., Any]] = {"index": index, "write": write, "walk": walk, "search": search}

if __name__ == "__main__":
    print(json.dumps(ACTIONS[sys.argv[1]](**json.loads(sys.argv[2]))))
