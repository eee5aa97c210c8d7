"""Questions made from files themselves: who asks wants one file, and words it as that file does somewhere.

Drawn with a fixed seed: the same tree gives the same questions.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from typing import TYPE_CHECKING

from collection import Collection, Question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 1
QUESTIONS = 300
DOCUMENTATION = (".md", ".rst", ".txt", ".markdown")
DOCUMENTATION_GOAL = 0.80
CODE_GOAL = 0.65

_TESTS = re.compile(r"(^|/)(tests?|idle_test)/|(^|/)test_")
_UNDERLINED = re.compile(r"^(\w[^\n]{3,80})\n([=~^\"'#*+-])\2{3,}$", re.MULTILINE)
_ATX = re.compile(r"^#{1,6} +(\w[^\n]{3,80}?)[ #]*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[a-z][.!?]) (?=[A-Z])")
_PROSE = re.compile(r"^[A-Z][\w ,.;:'()`*-]{60,240}[.]$")
_WORD = re.compile(r"[^\W\d_]{4,}")


def documentation(name: str, tree: Path, *, count: int = QUESTIONS) -> Collection:
    """Return the documents below `tree`; half of the questions are headings, half key words of a sentence."""
    files = read_tree(tree, DOCUMENTATION)
    rng = random.Random(SEED)  # noqa: S311 - a sample, not a secret
    questions = _drawn(rng, _headings(files), count // 2) + _drawn(rng, _key_words(files), count - count // 2)
    return Collection(name, files, questions, DOCUMENTATION_GOAL)


def code(name: str, tree: Path, *, count: int = QUESTIONS) -> Collection:
    """Return the Python modules below `tree` without any docstring; questions are first sentences of docstrings.

    Tests are left out: they say what the module that they test says, and only one of the two would count as right.
    """
    files, asked = {}, []
    for path, text in read_tree(tree, (".py",)).items():
        if _TESTS.search(path):
            continue
        stripped, sentences = _without_docstrings(text)
        if len(stripped.split()) > 1:
            files[path] = stripped
            asked += [(sentence, path) for sentence in sentences]
    rng = random.Random(SEED)  # noqa: S311 - see above
    return Collection(name, files, _drawn(rng, asked, count), CODE_GOAL)


def read_tree(tree: Path, suffixes: tuple[str, ...]) -> dict[str, str]:
    """Return the texts in UTF-8 below `tree`, by relative path, in order."""
    files = {}
    for path in sorted(tree.rglob("*")):
        if path.suffix in suffixes and path.is_file():
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            if text.strip():
                files[path.relative_to(tree).as_posix()] = text
    return files


def _drawn(rng: random.Random, asked: list[tuple[str, str]], count: int) -> list[Question]:
    """Return `count` of the pairs of query and file, none whose query leads to more than two files."""
    homes: dict[str, set[str]] = {}
    for text, path in asked:
        homes.setdefault(text, set()).add(path)
    clear = [text for text, paths in homes.items() if len(paths) <= 2]
    return [
        Question(text, dict.fromkeys(sorted(homes[text]), 1.0)) for text in rng.sample(clear, min(count, len(clear)))
    ]


def _headings(files: dict[str, str]) -> list[tuple[str, str]]:
    """Return the headings of at least two words, each with its file."""
    return [
        (" ".join(found[1].split()), path)
        for path, text in files.items()
        for pattern in (_UNDERLINED, _ATX)
        for found in pattern.finditer(text)
        if len(found[1].split()) > 1
    ]


def _key_words(files: dict[str, str]) -> list[tuple[str, str]]:
    """Return of each sentence of prose its four rarest words, in their order, with the file."""
    frequency = Counter(word for text in files.values() for word in set(_WORD.findall(text.lower())))
    asked = []
    for path, text in files.items():
        for sentence in _sentences(text):
            words = list(dict.fromkeys(_WORD.findall(sentence.lower())))
            if len(words) > 5:
                rare = set(sorted(words, key=lambda word: (frequency[word], word))[:4])
                asked.append((" ".join(word for word in words if word in rare), path))
    return asked


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in _SENTENCE.split(" ".join(paragraph.split())):
            if _PROSE.match(sentence):
                yield sentence


def _without_docstrings(text: str) -> tuple[str, list[str]]:
    """Return a module without its docstrings, and their first sentences of at least five words."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError):
        return "", []
    lines = text.splitlines(keepends=True)
    sentences = []
    for node in ast.walk(module):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        docstring = ast.get_docstring(node)
        if docstring:
            place = node.body[0]
            lines[place.lineno - 1 : place.end_lineno] = ["\n"] * ((place.end_lineno or 0) - place.lineno + 1)
            sentences.append(_first_sentence(docstring))
    return "".join(lines), [sentence for sentence in sentences if len(sentence.split()) >= 5]


def _first_sentence(docstring: str) -> str:
    paragraph = " ".join(docstring.strip().split("\n\n")[0].split())
    return re.split(r"(?<=\w[.!?]) ", paragraph)[0][:200]
