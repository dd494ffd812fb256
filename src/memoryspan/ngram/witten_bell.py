"""Witten–Bell smoothing (Witten & Bell 1991, method C; Chen & Goodman 1999, section 2.6).

    p(w|h) = (c(hw) + T(h) · p(w|h′)) / (c(h) + T(h))

T(h) = |{v: c(hv) > 0}|, how many different tokens follow h: a context that was often followed by
something new is expected to be so again.
"""

from dataclasses import dataclass, field

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.interpolation import Reals, estimate_by_order
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints


@dataclass(frozen=True)
class WittenBell:
    """No discounts to estimate, so it is defined for every text, however small."""

    parameters: NgramParameters = field(default_factory=NgramParameters)

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted.
        """

        def share(n: int, after: Ints, alpha: Reals, gamma: Reals) -> None:
            share_with_the_new(counts.raw[counts.trie.level(n)], after, alpha, gamma)

        return estimate_by_order("witten_bell", counts, order, self.parameters, share)


@compiled
def share_with_the_new(count: Ints, after: Ints, alpha: Reals, gamma: Reals) -> None:
    """α(hw) = c(hw) / (c(h) + T(h)) and γ(h) = T(h) / (c(h) + T(h)).

    Args:
        count: c(hw) of the M n-grams of one order.
        after: node offsets [C+1] of what follows each of the C contexts.
        alpha: receives α, [M].
        gamma: receives γ, [C]; 1 where nothing follows.
    """
    for h in range(len(gamma)):
        begin, end = after[h] - after[0], after[h + 1] - after[0]
        total = types = 0
        for hw in range(begin, end):
            total += count[hw]
            types += count[hw] > 0
        if total == 0:
            gamma[h] = 1.0
            continue
        gamma[h] = types / (total + types)
        for hw in range(begin, end):
            alpha[hw] = count[hw] / (total + types)
