"""Interpolated modified Kneser–Ney smoothing (Chen & Goodman 1999), of any order.

    p(w|h) = (a(hw) − D(a(hw))) / Σ_v a(hv) + γ(h) · p(w|h′)
    γ(h) = Σ_v D(a(hv)) / Σ_v a(hv)

with adjusted counts a, and D one of three discounts: of counts of 1, 2, and 3 or more. It agrees
with KenLM's ``lmplz`` (``--prune`` included) to its printed digits.
"""

from dataclasses import dataclass, field

from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.discounts import Discounts, choose_discounts, subtract
from memoryspan.ngram.interpolation import Reals, estimate_by_order
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints


@dataclass(frozen=True)
class KneserNey:
    """The estimator to choose when in doubt.

    Discounts that were used, and why if they are the fallback, are in ``model.discounts``.
    Its lower orders are no marginals of the higher ones, so entropy pruning, which reads p(h) off
    them, hurts it more than the others (Chelba et al. 2010).
    """

    parameters: NgramParameters = field(default_factory=NgramParameters)

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted.
        """

        def share(n: int, after: Ints, alpha: Reals, gamma: Reals) -> Discounts:
            adjusted = counts.adjusted(n, order)
            discounts = choose_discounts(n, adjusted, self.parameters)
            subtract(adjusted, after, discounts.table, 0, alpha, gamma)
            return discounts

        return estimate_by_order("kneser_ney", counts, order, self.parameters, share)
