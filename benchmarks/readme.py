"""Show the last results in the README: ``python benchmarks/readme.py`` after a full run of all benchmarks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import report

README = Path(__file__).resolve().parents[1] / "README.md"
LATEST = Path(__file__).with_name("results") / "latest.json"
SECTION = re.compile(r"(<!-- benchmarks: begin[^\n]*-->\n).*?(<!-- benchmarks: end -->)", re.DOTALL)


def main() -> int:
    """Replace what stands between the two marks; return 1 where that cannot be done."""
    results = json.loads(LATEST.read_text(encoding="utf-8"))
    if results["quick"]:
        print("the last run was a quick one, which says little about speed", file=sys.stderr)
        return 1
    shown = (
        f"{report.conditions(results)}\n\n{report.targets_table(results)}\n\n"
        "![Measured, as a part of what is allowed](benchmarks/results/targets.svg)\n"
    )
    before = README.read_text(encoding="utf-8")
    after, count = SECTION.subn(lambda marks: f"{marks[1]}\n{shown}\n{marks[2]}", before)
    if count != 1:
        print(f"{README} has no section for benchmarks", file=sys.stderr)
        return 1
    README.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
