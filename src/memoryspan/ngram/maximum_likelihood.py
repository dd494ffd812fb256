"""Maximum likelihood: Count(w₁…w_n) / Count(w₁…w_{n−1}), as in the lecture.

An n-gram that was not seen has probability zero (−inf nats). After a context that was not seen
the ratio is 0/0; it is counted as zero too, so there, and only there, a row sums to zero instead
of one. In a context of fewer than n−1 tokens (a fragment, or the start of a sentence) the ratio
of the shorter n-grams is taken.
"""

from dataclasses import dataclass, field

from memoryspan.ngram.add_k import count_ratios
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import NgramParameters


@dataclass(frozen=True)
class MaximumLikelihood:
    """Add-k with k = 0: no smoothing at all, so an open vocabulary is as good as a closed one."""

    parameters: NgramParameters = field(default_factory=NgramParameters)

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted, or pruning is asked for.
        """
        return count_ratios("maximum_likelihood", counts, order, self.parameters, k=0.0)
