"""Ask all questions in one run, and write what was measured to `results/`: JSON, Markdown, charts.

    python benchmarks/run.py                    # generated files; some minutes
    python benchmarks/run.py --quick            # a tenth of them; under a minute
    python benchmarks/run.py --corpus DIR       # the files of any directory, which is only read

Each question is a file that can be asked alone, with the same options: `python benchmarks/bench_cold.py --quick`.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import bench_changed
import bench_cold
import bench_growth
import bench_ignored
import bench_large_file
import bench_peers
import bench_prune
import bench_rechunk
import bench_search
import bench_shell
import bench_unchanged
import bench_workers
import charts
import report
from command_line import open_lab, options
from processes import processors

if TYPE_CHECKING:
    from types import ModuleType

    from lab import Lab

QUESTIONS = (
    bench_cold,
    bench_unchanged,
    bench_changed,
    bench_rechunk,
    bench_prune,
    bench_workers,
    bench_search,
    bench_shell,
    bench_growth,
    bench_large_file,
    bench_ignored,
    bench_peers,
)
RESULTS = Path(__file__).with_name("results")
LATEST = RESULTS / "latest.json"

BUSY = 0.3
"""Load average per processor above which others use so much of the machine that it shows."""


def machine() -> dict[str, Any]:
    """Return what the figures depend on besides the code."""
    names = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    models = [line.partition(":")[2].strip() for line in names.splitlines() if line.startswith("model name")]
    return {
        "cores": processors(),
        "load": os.getloadavg()[0],
        "processor": models[0] if models else platform.machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        **{name: version(name) for name in ("apsw", "hermes-workspace", "chonkie", "tree-sitter")},
    }


def ask(lab: Lab, question: ModuleType) -> dict[str, Any]:
    """Return the answer to one question; where there is none, the reason."""
    start = time.perf_counter()
    try:
        figures = question.measure(lab)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        figures = {"error": f"{type(error).__name__}: {error}"}
    decision = (question.__doc__ or "").partition("\n")[0]
    return {"decision": decision, "figures": figures, "took_s": round(time.perf_counter() - start, 1)}


def save(results: dict[str, Any]) -> None:
    """Write the results in all forms, and show the targets."""
    RESULTS.mkdir(exist_ok=True)
    LATEST.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    LATEST.with_suffix(".md").write_text(report.markdown(results), encoding="utf-8")
    if charts.available():
        charts.draw(results["questions"], RESULTS)
    else:
        print("no charts: matplotlib is not installed (pip install 'hermes-workspace[bench]')", file=sys.stderr)
    print(f"\n{report.conditions(results)}\n\n{report.targets_table(results)}\n\nall figures: {RESULTS}")


def main() -> int:
    """Measure everything; return 1 if a question has no answer."""
    arguments = options(__doc__)
    questions: dict[str, Any] = {}
    conditions = machine()
    if conditions["load"] > BUSY * conditions["cores"]:
        print(f"the machine is busy (load average {conditions['load']:.1f}): wall clock times are not to be trusted")
    with open_lab(arguments) as lab:
        name = lab.base().name
        for question in QUESTIONS:
            short = question.__name__.removeprefix("bench_")
            print(f"{short} ...", end=" ", file=sys.stderr, flush=True)
            questions[short] = ask(lab, question)
            print(questions[short]["figures"].get("error", f"{questions[short]['took_s']} s"), file=sys.stderr)
    save(
        {
            "date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
            "corpus": name,
            "quick": arguments.quick,
            "machine": conditions,
            "questions": questions,
        }
    )
    return int(any("error" in answer["figures"] for answer in questions.values()))


if __name__ == "__main__":
    sys.exit(main())
