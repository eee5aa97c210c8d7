"""Words of a question that say how it is put, not what it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_TELLING: Final = frozenset(
    word
    for line in (
        "how what why when where which who whom whose whether the an of its it that these those there",
        "are was were be been being am does did has have had can could should would will shall may might must",
        "my our your their his her me us you we they he she them him",
        "isn aren wasn weren doesn don didn hasn haven couldn shouldn wouldn",
    )
    for word in line.split()
)
"""Words that a sentence holds, and neither a list of key words nor a line of code does."""

STOP_WORDS: Final = _TELLING | frozenset(
    word
    for line in (
        "is do this and or not no nor but if then else than so as at by for from in into on onto to with without",
        "within about between through during before after above below over under again also any both each few more",
        "most other some such only own same too very just while because until against out off up down here all one",
        "get gets use uses using used",
    )
    for word in line.split()
)
"""Words that are in nearly every text; many are key words of a programming language or of a query of their own."""


def without_stop_words(clauses: Sequence[list[str]]) -> Sequence[list[str]]:
    """Return `clauses`, each the tokens of a word, without stop words if they seem to be a sentence.

    Where no word tells that, as in "while loop" or "not in", all are what is looked for; likewise where nothing would
    be left. The tokens of a compound stay together.
    """
    if not any(len(clause) == 1 and clause[0].lower() in _TELLING for clause in clauses):
        return clauses
    return [clause for clause in clauses if len(clause) > 1 or clause[0].lower() not in STOP_WORDS] or clauses
