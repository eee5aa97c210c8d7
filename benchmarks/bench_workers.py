"""Could overturn the process pool: if more workers do not make a run with much to chunk faster, one would do.

With a threshold of 0 every file is chunked. The default configuration, in which only long files are, is the measure.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import processes
from command_line import answer

from workspace.api import MAX_JOBS

if TYPE_CHECKING:
    from lab import Figures, Lab


def measure(lab: Lab) -> Figures:
    """Chunk everything with 1, 2 and as many workers as there are processors."""
    corpus = lab.base()
    most = min(processes.processors(), MAX_JOBS)
    workers = {str(jobs): partial(lab.cold, corpus, jobs=jobs, threshold=0) for jobs in sorted({1, 2, most})}
    costs = lab.alternate(default=lambda: lab.cold(corpus), **workers)
    default = costs.pop("default")
    return {
        "files": lab.first_run(corpus).facts.files,
        "default_wall_s": default.wall_s,
        "default_peak_mb": default.peak_mb,
        "wall_over_default": costs[str(most)].wall_s / default.wall_s,
        "runs": [{"workers": int(jobs), **asdict(cost)} for jobs, cost in costs.items()],
    }


if __name__ == "__main__":
    answer(measure, __doc__)
