"""What is promised, each as a ratio of two measurements of the same run where that is possible."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Target:
    """A promise about one figure of one question: the most it may be, or the least.

    `says` may name whole numbers among the question's other figures in braces.
    """

    question: str
    figure: str
    says: str
    limit: float
    unit: str = ""
    at_least: bool = False

    def label(self, answers: Mapping[str, Mapping[str, Any]]) -> str:
        """Return what is promised, as people would say it."""
        figures = answers.get(self.question, {})
        sizes = {name: f"{value:,}" for name, value in figures.items() if isinstance(value, int)}
        return self.says.format_map(defaultdict(lambda: "?", sizes))

    def measured(self, answers: Mapping[str, Mapping[str, Any]]) -> float | None:
        """Return what was measured, if it was."""
        value: float | None = answers.get(self.question, {}).get(self.figure)
        return value

    def burden(self, measured: float) -> float:
        """Return how much of the limit is used up: above 1 it is broken."""
        return self.limit / measured if self.at_least else measured / self.limit


TARGETS = (
    Target("cold", "wall_over_floor", "first run: wall / writer alone", 1.2),
    Target("cold", "cpu_over_floor", "first run: CPU / writer alone", 1.8),
    Target("workers", "wall_over_default", "first run, everything chunked / default", 1.6),
    Target("cold", "database_over_text", "database size / text size", 1.75),
    Target("unchanged", "wall_over_floor", "nothing changed / walk and stat", 3),
    Target("growth", "unchanged_80000_from_shell_s", "nothing changed, 80,000 files, from the shell", 2.5, "s"),
    Target("changed", "wall_over_cold", "1 % of the files changed / first run", 0.12),
    Target("rechunk", "wall_over_cold", "another chunk_size / first run", 1.6),
    Target("prune", "wall_over_cold", "all files dropped at once / first run", 0.8),
    Target("shell", "cpu_over_floor", "search from the shell / bare imports, CPU", 1.4),
    Target("search", "p95_ms", "search in process, {rows} rows: 95th percentile", 25, "ms"),
    Target("search", "three_very_common_words_ms", "search in process, {rows} rows: three very common words", 60, "ms"),
    Target("growth", "latency_over_rows", "growth of search latency / growth of rows", 1),
    Target("growth", "peak_mb", "peak memory, {largest_text_mb} MB of text", 350, "MB"),
    Target(
        "growth",
        "throughput_over_smaller",
        "MB/s of {largest_text_mb} MB of text / of a tenth of it",
        0.6,
        at_least=True,
    ),
    Target("large_file", "together_over_parts", "a {large_file_mb} MB file and small ones / one after the other", 1),
    Target("ignored", "together_over_without", "first run with {ignored_files} ignored files / without", 1.1),
)
