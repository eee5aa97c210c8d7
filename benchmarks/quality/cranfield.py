"""The Cranfield collection (Cleverdon 1967): 1,400 abstracts on aerodynamics, 225 questions, judged by people.

It is read from the three files in which it is passed on: ``cran.all.1400``, ``cran.qry`` and ``cranqrel``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from collection import Collection, Question

if TYPE_CHECKING:
    from pathlib import Path

GOAL = 0.405
_FIELD = re.compile(r"^\.([TABW])\n", re.MULTILINE)


def cranfield(directory: Path) -> Collection:
    """Return the collection: a file for each abstract, with its title above it.

    Grades 1 to 4 count as right alike, from "a complete answer" to "of minimum interest"; -1 is what they came from.
    """
    abstracts = _records(directory / "cran.all.1400")
    files = {_name(number): f"# {' '.join(fields['T'].split())}\n\n{fields['W']}" for number, fields in abstracts}
    texts = [" ".join(fields["W"].split()) for _, fields in _records(directory / "cran.qry")]
    gains: dict[int, dict[str, float]] = {}
    for line in (directory / "cranqrel").read_text().splitlines():
        question, document, grade = line.split()
        if int(grade) > 0:
            gains.setdefault(int(question), {})[_name(document)] = 1.0
    # Judgements name questions by their place, not by the number that they carry.
    questions = [Question(text, gains[place]) for place, text in enumerate(texts, 1) if place in gains]
    return Collection("Cranfield", files, questions, GOAL)


def _name(number: str) -> str:
    return f"{int(number):04}.md"


def _records(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Return the numbered records of a file, with their fields by letter."""
    records = []
    for part in path.read_text().split(".I ")[1:]:
        number, _, body = part.partition("\n")
        pieces = _FIELD.split(body)
        records.append((number.strip(), dict(zip(pieces[1::2], pieces[2::2], strict=True))))
    return records
