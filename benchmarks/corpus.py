"""Corpora for the benchmarks: a seeded generator, or the files of any real directory."""

from __future__ import annotations

import bisect
import itertools
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VOCABULARY = 30_000
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "on", "us")]


class Words:
    """Draws words by Zipf's law (frequency ~ 1/rank), so that an inverted index behaves as on real text."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a corpus, not a secret
        self._words = ["".join(self._random.choices(SYLLABLES, k=1 + n % 4)) for n in range(VOCABULARY)]
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def draw(self, count: int) -> list[str]:
        """Return `count` words."""
        total = self._weights[-1]
        return [self._words[bisect.bisect(self._weights, self._random.random() * total)] for _ in range(count)]

    def size(self, median: int) -> int:
        """Return a number of words, log-normally distributed as file sizes are."""
        return max(5, int(self._random.lognormvariate(0, 0.9) * median))


def sentences(words: Words, count: int) -> str:
    """Return prose of about `count` words."""
    drawn = words.draw(count)
    return "\n".join(" ".join(drawn[at : at + 12]).capitalize() + "." for at in range(0, len(drawn), 12))


def markdown(words: Words, count: int) -> str:
    """Return a document with a heading every 120 words."""
    parts = [f"## {' '.join(words.draw(3)).title()}\n\n{sentences(words, 120)}\n" for _ in range(1 + count // 120)]
    return f"# {' '.join(words.draw(4)).title()}\n\n" + "\n".join(parts)


def python(words: Words, count: int) -> str:
    """Return a module with a function every 30 words."""
    functions = []
    for _ in range(1 + count // 30):
        name, one, two, *rest = words.draw(20)
        functions.append(
            f'def {name}_{one}({one}, {two}):\n    """{" ".join(rest[:10]).capitalize()}."""\n'
            f"    {rest[10]} = {one} + {two}\n    return {rest[10]}.{rest[11]}({rest[12]!r})\n"
        )
    return "\n\n".join(functions)


FORMS = (("md", markdown, "utf-8"), ("txt", sentences, "utf-8"), ("py", python, "utf-8"), ("rst", sentences, "latin-1"))


def generate(directory: Path, files: int, *, seed: int = 7, median_words: int = 500) -> None:
    """Write `files` files below `directory`, always the same ones for the same arguments."""
    words = Words(seed)
    for number in range(files):
        suffix, form, encoding = FORMS[number % len(FORMS)]
        path = directory / f"part{number // 100:03}" / f"{'-'.join(words.draw(2))}-{number}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = form(words, words.size(median_words)) + "\n"
        path.write_bytes(text.replace("sus", "süs" if encoding == "latin-1" else "sus").encode(encoding))


def queries(texts: Iterator[str], count: int, *, seed: int = 7) -> list[str]:
    """Return `count` queries of one to three words, from rare to very common ones, that occur in `texts`."""
    rng = random.Random(seed)  # noqa: S311 - see above
    words = [word for text in texts for word in text.split() if word.isalpha()]
    return [" ".join(rng.choices(words, k=rng.randint(1, 3))) for _ in range(count)]
