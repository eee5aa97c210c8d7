"""What a set of questions is, and the measures of an answer to one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEPTH = 10
"""Ranks that nDCG and MRR look at."""

RECALL_DEPTH = 20
"""Ranks that recall looks at: the hits of a search that names no limit."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, and the files that answer it, each with its gain (1 where there are no grades)."""

    text: str
    gains: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Collection:
    """Files by relative path, and questions about them. `goal` is the nDCG@10 that the product promises, 0 for none."""

    name: str
    files: Mapping[str, str]
    questions: Sequence[Question]
    goal: float = 0.0


def ndcg(ranked: Sequence[str], gains: Mapping[str, float]) -> float:
    """Return the discounted cumulative gain of the first 10, as a share of the best possible (Järvelin 2002)."""
    best = _discounted(sorted(gains.values(), reverse=True))
    return _discounted([gains.get(name, 0.0) for name in ranked]) / best if best else 0.0


def reciprocal_rank(ranked: Sequence[str], gains: Mapping[str, float]) -> float:
    """Return one over the rank of the first right file among the first 10, 0 if there is none."""
    return next((1 / rank for rank, name in enumerate(ranked[:DEPTH], 1) if name in gains), 0.0)


def recall(ranked: Sequence[str], gains: Mapping[str, float]) -> float:
    """Return the share of the right files that is among the first 20."""
    return len(set(ranked[:RECALL_DEPTH]) & gains.keys()) / len(gains)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:DEPTH], 1))
