"""Add-k smoothing (Lidstone 1920; Laplace's rule with k = 1; Chen & Goodman 1999, section 2.1).

    p(w|h) = (c(hw) + k) / (c(h) + k·V)

It does not back off: after a context that was seen, all words that were not seen after it are
equally likely, k / (c(h) + k·V), and after a context that was not seen all words are, 1/V. V is
the number of tokens that can be predicted. In a context of fewer than n−1 tokens (a fragment, or
the start of a sentence) the counts of the shorter n-grams are taken.
"""

from dataclasses import dataclass, field

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.interpolation import Reals, predictable_tokens, unknown_is_impossible
from memoryspan.ngram.model import NgramModel, empty_tables, in_logarithms
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints
from memoryspan.text.vocabulary import UNKNOWN_ID


@dataclass(frozen=True)
class AddK:
    """The simplest smoothing; k is ``parameters.add_k``."""

    parameters: NgramParameters = field(default_factory=NgramParameters)

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted, or pruning is asked for.
        """
        return count_ratios("add_k", counts, order, self.parameters, self.parameters.add_k)


def count_ratios(
    name: str, counts: NgramCounts, order: int, parameters: NgramParameters, k: float
) -> NgramModel:
    """The equation above, for k ≥ 0.

    Raises:
        MemoryspanError: the order was not counted, or pruning is asked for.
    """
    if any(parameters.prune) or parameters.entropy_threshold:
        raise MemoryspanError(
            f"The {name} estimator does not back off, so it has nothing to say of n-grams that "
            "are left out. Set ngram.prune to [] and ngram.entropy_threshold to 0, or choose "
            "another estimator."
        )
    trie = counts.trie_up_to(order)
    probability, weight = empty_tables(trie, parameters.precision)
    V = predictable_tokens(counts, parameters)
    probability[0] = 1 / V if k else 0.0
    for n in range(1, order + 1):
        contexts, level = trie.level(n - 1), trie.level(n)
        after = trie.child[contexts.start : contexts.stop + 1]
        divide(counts.raw[level], after, k, V, probability[level], weight[contexts])
    if unknown_is_impossible(counts, parameters):
        probability[1 + UNKNOWN_ID] = 0.0
    return NgramModel(
        name=f"{name}_{order}",
        trie=trie,
        log_prob=in_logarithms(probability),
        log_backoff=in_logarithms(weight),
        backs_off=False,
    )


@compiled
def divide(count: Ints, after: Ints, k: float, V: int, probability: Reals, gamma: Reals) -> None:
    """(c(hw) + k) / (c(h) + k·V), and γ(h) = k·V / (c(h) + k·V): what 1/V is multiplied by.

    Args:
        count: c(hw) of the M n-grams of one order.
        after: node offsets [C+1] of what follows each of the C contexts.
        k, V: see above.
        probability: receives p(w|h), [M].
        gamma: receives γ, [C]; 1 where nothing follows.
    """
    for h in range(len(gamma)):
        begin, end = after[h] - after[0], after[h + 1] - after[0]
        total = 0
        for hw in range(begin, end):
            total += count[hw]
        if total == 0:
            gamma[h] = 1.0
            continue
        gamma[h] = k * V / (total + k * V)
        for hw in range(begin, end):
            probability[hw] = (count[hw] + k) / (total + k * V)
