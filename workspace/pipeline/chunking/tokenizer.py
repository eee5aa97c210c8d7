"""The tokenizer of `workspace.text.words` in the form that chonkie's chunkers take."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - chonkie's signatures, resolved by whoever inspects ours

from chonkie import Tokenizer

from workspace.text.words import count_words, tokens_of


class WordTokenizer(Tokenizer):
    """A lossless tokenizer: ``decode(encode(text)) == text`` for every text.

    Its vocabulary holds every token it has encoded, so an instance is to live no longer than the file it is for.
    """

    def __repr__(self) -> str:
        return "WordTokenizer()"

    def tokenize(self, text: str) -> Sequence[str]:
        """Return the tokens of `text`, which joined give it back."""
        return tokens_of(text)

    def encode(self, text: str) -> Sequence[int]:
        """Return the numbers of the tokens of `text`, by which `decode` of this instance knows them."""
        return [self._number(token) for token in tokens_of(text)]

    def _number(self, token: str) -> int:
        number = self.token2id[token]
        if number == len(self.vocab):
            self.vocab.append(token)
        return number

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of `tokens`, numbers that `encode` of this instance gave."""
        return "".join([self.vocab[number] for number in tokens])

    def count_tokens(self, text: str) -> int:
        """Return the number of words in `text`."""
        return count_words(text)
