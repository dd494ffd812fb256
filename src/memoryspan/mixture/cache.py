"""The unigram cache (Kuhn & De Mori 1990): a word that came a moment ago comes again.

    P(w|h) = (c(w) + 1/V) / (m + 1)

with c(w) the count of w among the last m = min(K, |h|) tokens of h. The one observation that is
spread over the vocabulary makes it a distribution before anything was read, and no word
impossible.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.language_model import Family, Floats, Ids
from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.streams import checked_ids
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID


class UnigramCache:
    """A ``LanguageModel`` that counts the last tokens and nothing else.

    Args:
        tokens: K ≥ 1, how many.
        vocabulary_size: V.
    """

    name = "cache"
    family: Family = "n-gram"
    parameter_count = 0

    def __init__(self, tokens: int, vocabulary_size: int) -> None:
        if tokens < 1:
            raise ValueError(f"a cache of {tokens} tokens remembers nothing")
        self.vocabulary_size = vocabulary_size
        self.context_order: int | None = tokens

    @property
    def tokens(self) -> int:
        """K, how many tokens it remembers."""
        return self.context_order or 0

    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """See ``LanguageModel``: float64 [N], nats.

        Raises:
            MemoryspanError: an id is outside the vocabulary.
        """
        size = self.tokens if window is None else min(window, self.tokens)
        ids = checked_ids(stream.ids, self.vocabulary_size)
        read = np.empty(len(ids) + 1, np.int32)
        read[0] = END_ID  # what stands before the first token
        read[1:] = ids
        probs = np.empty(len(ids))
        follow(read, size, np.zeros(self.vocabulary_size, np.int32), probs)
        return np.log(probs)

    def next_log_probs(self, contexts: Ids) -> Floats:
        """See ``LanguageModel``: float64 [B, V], nats.

        Raises:
            MemoryspanError: an id is outside the vocabulary.
        """
        ids = checked_ids(contexts, self.vocabulary_size)
        last = ids[:, max(0, ids.shape[1] - self.tokens) :]
        counts = np.full((len(ids), self.vocabulary_size), 1 / self.vocabulary_size)
        np.add.at(counts, (np.arange(len(ids))[:, None], last), 1)
        log_probs: Floats = np.log(counts / (last.shape[1] + 1))
        return log_probs


@compiled
def follow(read: Ids, size: int, count: NDArray[np.int32], probs: NDArray[np.float64]) -> None:
    """P of every token but the first from up to ``size`` tokens before it.

    Args:
        read: all tokens, [N+1].
        size: of the cache, ≥ 0.
        count: zeros, [V].
        probs: receives P(read[p + 1]), [N].
    """
    for p in range(len(probs)):
        if size > 0:
            count[read[p]] += 1
            if p >= size:
                count[read[p - size]] -= 1
        cached = min(p + 1, size)
        probs[p] = (count[read[p + 1]] + 1 / len(count)) / (cached + 1)
