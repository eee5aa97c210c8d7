"""The generated corpora: documents and code in six languages and several encodings, always the same for the same size.

Words follow Zipf's law, and sizes of files a log-normal distribution, as in real trees. Every directory of a hundred
files has a seed of its own, so that directories can be written in any order and by several processes.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING

import code_forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

VOCABULARY = 30_000
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "on", "us")]
COMMON = 50
"""The words that every file uses."""

OCCURRENCES = 5
"""How often a file uses one of its other words, on average."""

FILES_PER_DIRECTORY = 100
MEDIAN_WORDS = 300
OLD = 1_704_067_200
"""Modification time of all files (2024-01-01): a file as young as the index run would be read again by the next."""


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Return all words, the most common one first, and their cumulated weights."""
    rng = random.Random("vocabulary")  # noqa: S311 - a corpus, not a secret
    return ["".join(rng.choices(SYLLABLES, k=1 + n % 4)) for n in range(VOCABULARY)], weights(VOCABULARY)


@cache
def weights(count: int) -> list[float]:
    """Return the cumulated weights of `count` words by Zipf's law, with Mandelbrot's shift for the first few."""
    return list(itertools.accumulate(1 / (rank + 2.7) for rank in range(1, count + 1)))


class Words:
    """Draws words by Zipf's law, so that an inverted index behaves as on real text.

    Each file has words of its own besides the most common ones: what occurs once in a text tends to occur again.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - see above
        self.begin()

    def begin(self) -> int:
        """Choose the words of the next file; return how many it should have."""
        words, cumulated = vocabulary()
        size = max(5, int(self._random.lognormvariate(0, 1) * MEDIAN_WORDS))
        own = self._random.choices(words, cum_weights=cumulated, k=COMMON + size // OCCURRENCES)
        self._words = words[:COMMON] + own
        self._weights = weights(len(self._words))
        return size

    def draw(self, count: int) -> list[str]:
        """Return `count` words."""
        return self._random.choices(self._words, cum_weights=self._weights, k=count)


def plain(words: Words, count: int) -> str:
    """Return prose of about `count` words."""
    drawn = words.draw(count)
    return "\n".join(" ".join(drawn[at : at + 12]).capitalize() + "." for at in range(0, count, 12)) + "\n"


def markdown(words: Words, count: int) -> str:
    """Return a document with a heading every 120 words."""
    parts = [f"## {' '.join(words.draw(3)).title()}\n\n{plain(words, 120)}" for _ in range(count // 120)]
    return f"# {' '.join(words.draw(4)).title()}\n\n{plain(words, 1 + count % 120)}\n" + "\n".join(parts)


def restructured(words: Words, count: int) -> str:
    """Return a document with an underlined heading every 150 words."""
    parts = []
    for at in range(0, count, 150):
        title = " ".join(words.draw(3)).capitalize()
        parts.append(f"{title}\n{'=' * len(title)}\n\n{plain(words, min(150, count - at))}")
    return "\n".join(parts)


def html(words: Words, count: int) -> str:
    """Return a page with a heading every 100 words."""
    sections = [
        f"<h2>{' '.join(words.draw(3))}</h2>\n<p>{plain(words, min(100, count - at))}</p>"
        for at in range(0, count, 100)
    ]
    return "<!DOCTYPE html>\n<html><body>\n" + "\n".join(sections) + "\n</body></html>\n"


def code(language: str, words: Words, count: int) -> str:
    """Return a source file of about `count` words."""
    form = code_forms.FORMS[language]
    functions = [form.format(*words.draw(code_forms.SLOTS)) for _ in range(1 + count // code_forms.WORDS)]
    return "\n".join([code_forms.HEADS[language], *functions])


Form = tuple[str, "Callable[[Words, int], str]"]

DOCUMENTS: tuple[Form, ...] = (
    *(("md", markdown) for _ in range(8)),
    *(("rst", restructured) for _ in range(3)),
    *(("txt", plain) for _ in range(2)),
    ("html", html),
)
CODE: tuple[Form, ...] = tuple((suffix, partial(code, suffix)) for suffix in code_forms.FORMS)
FORMS = DOCUMENTS + CODE
"""Twenty; a file's number decides which one it has."""

CYRILLIC = str.maketrans("abdefgiklmnoprstuvz", "абдефгиклмнопрстувз")
ACCENTS = str.maketrans("aou", "äöü")

ENCODINGS_REPEAT = 400
ENCODINGS = {
    **dict.fromkeys((20, 40, 120, 140, 220, 240, 320, 340), "utf-8-sig"),
    **dict.fromkeys((60, 160, 260, 360), "cp1252"),
    **dict.fromkeys((80, 280), "utf-16"),
    180: "cp1251",
}
"""Of so many files, those that are not UTF-8; all are Markdown. What has to be guessed is rare, as in real trees: one
guess costs as much as indexing twenty files."""


def encoded(number: int, text: str) -> bytes:
    """Return `text` in the encoding that file `number` has."""
    encoding = ENCODINGS.get(number % ENCODINGS_REPEAT, "utf-8")
    if encoding == "cp1251":
        text = text.translate(CYRILLIC)
    elif encoding == "cp1252":
        text = " ".join(word.translate(ACCENTS) if len(word) == 5 else word for word in text.split(" "))
    return text.encode(encoding)


def write_directory(directory: Path, first: int, files: int) -> None:
    """Write the files from number `first` on that belong into one directory."""
    words = Words(f"directory {first}")
    folder = directory / f"part{first // FILES_PER_DIRECTORY:03}"
    folder.mkdir(parents=True)
    for number in range(first, min(first + FILES_PER_DIRECTORY, files)):
        suffix, form = FORMS[number % len(FORMS)]
        size = words.begin()
        path = folder / f"{'-'.join(words.draw(2))}-{number}.{suffix}"
        path.write_bytes(encoded(number, form(words, size)))
        os.utime(path, (OLD, OLD))


def generate(directory: Path, files: int) -> None:
    """Write `files` files below `directory`."""
    starts = range(0, files, FILES_PER_DIRECTORY)
    with ProcessPoolExecutor() as pool:
        list(pool.map(partial(write_directory, directory, files=files), starts, chunksize=8))


def generate_large_file(path: Path, size: int) -> None:
    """Write one Markdown document of about `size` bytes."""
    words = Words("large file")
    text = ""
    while len(text) < size:
        words.begin()
        text += markdown(words, 5_000)
    path.write_text(text[:size], encoding="utf-8")
    os.utime(path, (OLD, OLD))


def queries(texts: Iterable[str], count: int) -> tuple[list[str], str]:
    """Return `count` queries of words that occur in `texts`, and one of the three most common words.

    The queries are one to three words long. From the rarest to the most common word, each order of magnitude of
    frequency is asked for equally often.
    """
    rng = random.Random("queries")  # noqa: S311 - see above
    found = Counter(word for text in texts for word in text.lower().split() if len(word) > 1 and word.isalpha())
    ranked = [word for word, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))]
    if not ranked:
        raise ValueError("there are no words to search for in this corpus")

    def draw() -> str:
        return ranked[int(len(ranked) ** rng.random()) - 1]

    return [" ".join(draw() for _ in range(rng.randint(1, 3))) for _ in range(count)], " ".join(ranked[:3])
