"""Maximum likelihood: Count(w₁…w_n) / Count(w₁…w_{n−1}), as in the lecture.

An n-gram that was not seen has probability zero (−inf nats). After a context that was not seen
the ratio is 0/0; it is counted as zero too, so there, and only there, a row sums to zero instead
of one. In a context of fewer than n−1 tokens (a fragment, or the start of a sentence) the ratio
of the shorter n-grams is taken.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.model import NgramModel, empty_tables, in_logarithms
from memoryspan.ngram.trie import Ints


def estimate_maximum_likelihood(counts: NgramCounts, order: int) -> NgramModel:
    """The unsmoothed model of one order from counts up to at least that order.

    Raises:
        MemoryspanError: the order was not counted.
    """
    trie = counts.trie_up_to(order)
    probability, weight = empty_tables(trie, "double")
    probability[0] = 0.0
    for n in range(1, order + 1):
        contexts, level = trie.level(n - 1), trie.level(n)
        child = trie.child[contexts.start : contexts.stop + 1]
        divide_by_context(counts.raw[level], child, probability[level])
    weight[:] = 0.0
    return NgramModel(
        name=f"maximum_likelihood_{order}",
        trie=trie,
        log_prob=in_logarithms(probability),
        log_backoff=in_logarithms(weight),
        unseen_context_log_weight=-np.inf,
    )


@compiled
def divide_by_context(count: Ints, child: Ints, probability: NDArray[np.floating]) -> None:
    """Each count over the sum of the counts after the same context."""
    for h in range(len(child) - 1):
        begin, end = child[h] - child[0], child[h + 1] - child[0]
        total = 0
        for hw in range(begin, end):
            total += count[hw]
        for hw in range(begin, end):
            probability[hw] = count[hw] / total
