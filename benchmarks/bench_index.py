"""Could overturn the staged pipeline: if an index run is far slower than its writer alone, the stages are in the way.

Indexes a corpus three times over (cold, without changes, and the same rows through the writer alone), searches it, and
prints one JSON object. Times are seconds of wall clock and of CPU (all processes); memory is the peak of the tree.

    python benchmarks/bench_index.py                        # 150 generated files
    python benchmarks/bench_index.py --files 8000
    python benchmarks/bench_index.py --corpus /usr/share/doc
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
from corpus import generate, queries
from processes import Watch

from workspace import WorkspaceConfig, index_workspace, search_workspace
from workspace.storage.connection import open_writer
from workspace.storage.writer import Writer
from workspace.types import ChunkRecord, FileRecord, FileStat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def timed(results: dict[str, Any], name: str) -> Iterator[None]:
    """Put wall and CPU seconds of the body, and the peak memory of the process tree, into `results`."""
    start = time.perf_counter()
    with Watch() as watch:
        yield
    results[name] = {
        "wall_s": round(time.perf_counter() - start, 3),
        "cpu_s": round(watch.cpu_seconds, 3),
        "peak_mb": round(watch.peak_mb, 1),
    }


def rows_of(database: Path) -> list[tuple[FileRecord, list[ChunkRecord]]]:
    """Read everything stored back into memory, as the writer takes it."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    chunks: dict[str, list[ChunkRecord]] = {}
    names = ", ".join(ChunkRecord.__dataclass_fields__)
    for row in connection.execute(f"SELECT {names} FROM chunks ORDER BY id"):
        chunks.setdefault(row[1], []).append(ChunkRecord(*row))
    files = connection.execute(
        "SELECT abs_path, root_path, content_hash, config_signature, size_bytes, mtime_ns, ctime_ns, inode,"
        " verified_ns, modified_at, indexed_at, encoding, chunk_count FROM files"
    )
    found = [(FileRecord(*row[:4], FileStat(*row[4:8]), *row[8:]), chunks[row[0]]) for row in files]
    connection.close()
    return found


def write_alone(database: Path, rows: list[tuple[FileRecord, list[ChunkRecord]]]) -> None:
    """Feed the rows to the writer as fast as it takes them: the floor below which no pipeline can get."""
    with contextlib.closing(open_writer(database)) as connection:
        writer = Writer(connection)
        for file, chunks in rows:
            writer.store(file, chunks)
        writer.flush()


def latencies(search: Callable[[str], object], asked: list[str]) -> dict[str, float]:
    """Return median and 95th percentile, in milliseconds."""
    times = []
    for query in asked:
        start = time.perf_counter()
        search(query)
        times.append(1000 * (time.perf_counter() - start))
    return {"median_ms": round(statistics.median(times), 2), "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2)}


def shell_search(home: Path, query: str) -> None:
    """Search as a shell would, interpreter start included."""
    subprocess.run(
        [sys.executable, "-m", "workspace", "search", query],
        env={**os.environ, "HERMES_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def measure(corpus: Path, home: Path) -> dict[str, Any]:
    """Return all figures for one corpus."""
    results: dict[str, Any] = {}
    config = WorkspaceConfig.from_dict(
        {"knowledgebase": {"roots": [{"path": str(corpus), "recursive": True}]}}, home=home
    )
    with timed(results, "cold"):
        summary = index_workspace(config)
    index_workspace(config)  # what is too young to be trusted is hashed once more
    with timed(results, "unchanged"):
        index_workspace(config)
    rows = rows_of(config.database_path)
    with timed(results, "writer_alone"):
        write_alone(home / "floor.sqlite", rows)
    text = sum(file.stat.size_bytes for file, _ in rows)
    results["corpus"] = {
        "files": summary.files_indexed,
        "errors": summary.files_errored,
        "rows": summary.chunks_created,
        "text_mb": round(text / 1e6, 2),
        "database_over_text": round(config.database_path.stat().st_size / max(1, text), 3),
    }
    asked = queries((chunk.content for _, chunks in rows[:2000] for chunk in chunks), 200)
    results["search"] = latencies(lambda query: search_workspace(config, query), asked)
    results["search_from_shell"] = latencies(lambda query: shell_search(home, query), asked[:20])
    results["ratios"] = {
        "cold_wall_over_writer_alone": round(results["cold"]["wall_s"] / results["writer_alone"]["wall_s"], 2),
        "cold_cpu_over_writer_alone": round(results["cold"]["cpu_s"] / results["writer_alone"]["cpu_s"], 2),
        "mb_per_s": round(text / 1e6 / results["cold"]["wall_s"], 1),
    }
    return results


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="index this directory instead of generated files")
    parser.add_argument("--files", type=int, default=150, help="generated files (default: %(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-index-") as scratch:
        corpus = arguments.corpus or Path(scratch, "corpus")
        if arguments.corpus is None:
            generate(corpus, arguments.files)
        results = measure(corpus.resolve(), Path(scratch, "home"))
    results["machine"] = {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "apsw": apsw.apsw_version(),
        "sqlite": apsw.sqlite_lib_version(),
    }
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
