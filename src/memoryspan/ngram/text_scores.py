"""What a model says of each word of a text, and in all."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memoryspan.language_model import Floats
from memoryspan.ngram.trie import Ints
from memoryspan.ngram.words import WordTable

LOG_10 = float(np.log(10))


@dataclass(frozen=True)
class TextScores:
    """The scores of a text: its words and one ``</s>`` per line.

    Out of vocabulary (OOV) is every word that is ``<unk>`` to the model, as in KenLM, be it in
    its place or written as ``<unk>`` in the text.

    Attributes:
        ids: int32 [N], of the words of ``table``.
        log_probs: float64 [N], nats.
        matched: int8 [N], the order of the longest n-gram ending in each token that the model
            has.
        unknown: bool [N], whether a token is out of vocabulary.
        table: the words of the model, then those of the text that it does not know.
    """

    ids: Ints
    log_probs: Floats = field(repr=False)
    matched: NDArray[np.int8] = field(repr=False)
    unknown: NDArray[np.bool_] = field(repr=False)
    table: WordTable = field(repr=False)

    @property
    def tokens(self) -> int:
        """Predicted tokens, N."""
        return len(self.log_probs)

    @property
    def oov(self) -> int:
        """How many of them are out of vocabulary."""
        return int(np.count_nonzero(self.unknown))

    @property
    def perplexity_including_oov(self) -> float:
        """exp(−Σ log P / N)."""
        return _perplexity(self.log_probs)

    @property
    def perplexity_excluding_oov(self) -> float:
        """The same without the tokens that are out of vocabulary; NaN if none is left."""
        return _perplexity(self.log_probs[~self.unknown])

    def rows(self) -> Iterator[tuple[str, int, float]]:
        """Word, matched order and log10 P of each token."""
        words = self.table.words()
        log10_probs = self.log_probs / LOG_10
        for index, matched, log10_prob in zip(self.ids, self.matched, log10_probs, strict=True):
            yield words[index], int(matched), float(log10_prob)


def _perplexity(log_probs: Floats) -> float:
    """Of so many tokens; infinite if one of them was impossible, or if it is beyond all doubles."""
    if not len(log_probs):
        return float("nan")
    with np.errstate(over="ignore"):
        return float(np.exp(-log_probs.mean()))
