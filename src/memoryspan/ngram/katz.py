"""Katz smoothing (Katz 1987; Chen & Goodman 1999, section 2.5): Good–Turing and back-off.

    p(w|h) = d(c(hw)) · c(hw) / c(h)     if hw was seen,
             β(h) · p(w|h′)              else

    d(r) = (r*/r − A) / (1 − A),  r* = (r+1) · n_{r+1}/n_r,  A = (k+1) · n_{k+1}/n₁    for r ≤ k
    d(r) = 1                                                                           for r > k
    β(h) = (1 − Σ_seen p(v|h)) / (1 − Σ_seen p(v|h′))

n_r is the number of n-grams of the order that occur r times; k is ``parameters.katz_cutoff``.
"""

from dataclasses import dataclass, field

import numpy as np

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.discounts import Discounts, count_of_counts, fall_back, subtract
from memoryspan.ngram.interpolation import Reals, estimate_by_order, predictable_tokens
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints


@dataclass(frozen=True)
class Katz:
    """Good–Turing discounts where the counts of counts define them, and what is done elsewhere.

    As in SRILM, k is lowered to the greatest one for which n₁ … n_{k+1} are all positive, and a
    d(r) outside (0, 1] is set to 1; ``model.discounts`` gives r − d(r)·r and says why. A context
    of which no count is discounted would leave nothing for the unseen; its total is increased by
    one, as SRILM and OpenGrm do. Where all tokens were seen after a context nothing can be left,
    and their probabilities are scaled to sum to one.
    """

    parameters: NgramParameters = field(default_factory=NgramParameters)

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted.
        """
        V = predictable_tokens(counts, self.parameters)

        def share(n: int, after: Ints, alpha: Reals, gamma: Reals) -> Discounts:
            raw = counts.raw[counts.trie.level(n)]
            discounts = self.discounts(n, raw)
            subtract(raw, after, discounts.table, 1, alpha, gamma)
            return discounts

        def combine(suffix: Ints, after: Ints, lower: Reals, alpha: Reals, gamma: Reals) -> None:
            back_off(suffix, after, lower, alpha, gamma, V)

        # β is a ratio of small differences: single precision would spoil it
        double = self.parameters.model_copy(update={"precision": "double"})
        model = estimate_by_order("katz", counts, order, double, share, combine)
        return model.in_precision(self.parameters.precision)

    def discounts(self, n: int, raw: Ints) -> Discounts:
        """What is taken off the counts 1 … k, and 0 of greater ones."""
        values, reason = good_turing(count_of_counts(raw, self.parameters.katz_cutoff + 1))
        return fall_back(n, values, reason) if reason else Discounts(n, values)


def good_turing(n: tuple[int, ...]) -> tuple[tuple[float, ...], str]:
    """r − d(r)·r for r = 1 … k, then 0 for greater counts.

    Args:
        n: n₁ … n_{k+1}.

    Returns:
        the discounts, and why they are not those of the equations, else an empty string.
    """
    positive = next((r for r, number in enumerate(n) if number == 0), len(n))
    reasons = [] if positive == len(n) else [f"no n-gram has the count {positive + 1}"]
    k = max(positive - 1, 0)
    values = []
    for r in range(1, k + 1):
        A = (k + 1) * n[k] / n[0]
        d = ((r + 1) * n[r] / (r * n[r - 1]) - A) / (1 - A) if A < 1 else np.inf
        if not 0 < d <= 1:
            reasons.append(f"count {r} would be multiplied by {d:.4g}")
            d = 1.0
        values.append(r - d * r)
    return (*values, 0.0), "; ".join(reasons)


@compiled
def back_off(suffix: Ints, after: Ints, lower: Reals, alpha: Reals, gamma: Reals, V: int) -> None:
    """β(h), and β(h) · p(w|h′) for what has no share of its own (unigrams not in the text).

    Args:
        suffix: nodes of h′w, [M].
        after: node offsets [C+1] of what follows each of the C contexts.
        lower: p(w|h′) of all lower nodes.
        alpha: discounted p(w|h), 0 if hw was not seen or is pruned, [M]; receives p(w|h).
        gamma: the mass that is left, [C]; receives β(h).
        V: tokens that can be predicted.
    """
    for h in range(len(gamma)):
        begin, end = after[h] - after[0], after[h + 1] - after[0]
        seen = 0
        mass, left = 0.0, 1.0
        for hw in range(begin, end):
            if alpha[hw] > 0:
                seen += 1
                mass += alpha[hw]
                left -= lower[suffix[hw]]
        if seen == V:  # nobody to leave anything to
            gamma[h] = 0.0
            for hw in range(begin, end):
                alpha[hw] /= mass
            continue
        gamma[h] /= left
        for hw in range(begin, end):
            if alpha[hw] == 0:
                alpha[hw] = gamma[h] * lower[suffix[hw]]
