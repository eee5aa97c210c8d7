"""Could overturn ranking in Python: if common words take too long, it must go into SQLite, or look at fewer rows.

The queries are one to three words, from rare to very common ones; of each, the best of three latencies counts.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import corpus as generator
from command_line import answer

if TYPE_CHECKING:
    from lab import Figures, Home, Lab

SAMPLE = 4_000
"""Rows from which the words of the queries are taken."""


def percentiles(lab: Lab, home: Home) -> tuple[float, float, float]:
    """Return median and 95th percentile of all queries, and the latency of the most common words, in milliseconds."""
    asked, common = generator.queries(home.texts(SAMPLE), lab.scale.queries)
    *latencies, of_common = lab.latencies(home, [*asked, common])
    return statistics.median(latencies), statistics.quantiles(latencies, n=20)[-1], of_common


def measure(lab: Lab) -> Figures:
    """Search in process."""
    first = lab.first_run(lab.searched())
    p50, p95, common = percentiles(lab, first.home)
    return {
        "rows": first.facts.rows,
        "queries": lab.scale.queries,
        "p50_ms": p50,
        "p95_ms": p95,
        "three_very_common_words_ms": common,
    }


if __name__ == "__main__":
    answer(measure, __doc__)
