"""Interpolated absolute discounting (Ney, Essen & Kneser 1994; Chen & Goodman 1999, section 2.7).

    p(w|h) = max(c(hw) − D, 0) / c(h) + γ(h) · p(w|h′)
    γ(h) = D · |{v: c(hv) > 0}| / c(h)

with raw counts and, per order, D = n₁/(n₁ + 2·n₂) from the numbers of n-grams that occur once and
twice.
"""

from dataclasses import dataclass, field

from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.discounts import Discounts, count_of_counts, fall_back, subtract
from memoryspan.ngram.interpolation import Reals, estimate_by_order
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints


@dataclass(frozen=True)
class AbsoluteDiscounting:
    """One discount per order, whatever the count: Kneser–Ney without its adjusted counts.

    Where no n-gram of an order occurs once, or none twice, D is not defined and the first value
    of ``discount_fallback`` is taken; ``model.discounts`` says so.
    """

    parameters: NgramParameters = field(default_factory=NgramParameters)

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted.
        """

        def share(n: int, after: Ints, alpha: Reals, gamma: Reals) -> Discounts:
            raw = counts.raw[counts.trie.level(n)]
            discount = self.discount(n, raw)
            subtract(raw, after, discount.table, 0, alpha, gamma)
            return discount

        return estimate_by_order("absolute_discounting", counts, order, self.parameters, share)

    def discount(self, n: int, raw: Ints) -> Discounts:
        """D of order n: the given one, else that of its counts of counts, else the fallback."""
        if self.parameters.absolute_discount is not None:
            return Discounts(n, (self.parameters.absolute_discount,), "given")
        n1, n2 = count_of_counts(raw, 2)
        if n1 == 0 or n2 == 0:
            reason = f"no n-gram occurs {'twice' if n1 else 'once'}"
            return fall_back(n, self.parameters.discount_fallback[:1], reason)
        return Discounts(n, (n1 / (n1 + 2 * n2),))
