"""Could overturn sending whole files through the stages: if one large file holds up the others, it must be cut first.

The large file comes first. All together must take no longer than the large file and the others one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import answer
from corpus import generate_large_file
from lab import Corpus

if TYPE_CHECKING:
    from lab import Figures, Lab


def measure(lab: Lab) -> Figures:
    """Compare first runs with, without and of only a large file."""
    large = Corpus("a large file", lab.new_directory("large"))
    generate_large_file(large.directory / "large.md", lab.scale.large_file)
    corpus = lab.base()
    costs = lab.alternate(
        without=lambda: lab.cold(corpus), alone=lambda: lab.cold(large), together=lambda: lab.cold(large, corpus)
    )
    without, alone, together = costs["without"], costs["alone"], costs["together"]
    return {
        "files": lab.first_run(corpus).facts.files,
        "large_file_mb": lab.scale.large_file // 1_000_000,
        "without_wall_s": without.wall_s,
        "alone_wall_s": alone.wall_s,
        "together_wall_s": together.wall_s,
        "together_over_parts": together.wall_s / (without.wall_s + alone.wall_s),
        "without_peak_mb": without.peak_mb,
        "together_peak_mb": together.peak_mb,
    }


if __name__ == "__main__":
    answer(measure, __doc__)
