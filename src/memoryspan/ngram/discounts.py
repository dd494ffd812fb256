"""Discounts: what is taken off counts, and what that leaves for the unseen."""

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Discounts:
    """What is taken off the counts of one order.

    Attributes:
        order: the order n.
        values: what is taken off a count of 1, 2, …; the last one also off all greater counts.
        origin: "estimated", "given" or "fallback".
        reason: why the fallback was needed, else empty.
    """

    order: int
    values: tuple[float, ...]
    origin: str = "estimated"
    reason: str = ""

    @property
    def table(self) -> NDArray[np.float64]:
        """D of the counts 0, 1, 2, …, the last also of all greater ones."""
        return np.array([0.0, *self.values])


def fall_back(order: int, values: tuple[float, ...], reason: str) -> Discounts:
    """The discounts of an order whose counts define none; said in the log and in the result."""
    logger.warning("order %d: %s; discounts %s are used instead", order, reason, values)
    return Discounts(order, values, "fallback", reason)


def count_of_counts(counts: Ints, largest: int) -> tuple[int, ...]:
    """n₁, n₂, …: how many n-grams have the count 1, 2, …, ``largest``."""
    return tuple(int(np.count_nonzero(counts == count)) for count in range(1, largest + 1))


def choose_discounts(order: int, adjusted: Ints, parameters: NgramParameters) -> Discounts:
    """D₁, D₂, D₃₊ of one order: those given, else those estimated, else the fallback."""
    if order in parameters.discounts:
        return Discounts(order, parameters.discounts[order], "given")
    n1, n2, n3, n4 = count_of_counts(adjusted, 4)
    values, reason = estimate_discounts(n1, n2, n3, n4)
    if reason:
        return fall_back(order, parameters.discount_fallback, reason)
    return Discounts(order, values)


def estimate_discounts(
    n1: int, n2: int, n3: int, n4: int
) -> tuple[tuple[float, float, float], str]:
    """Y = n₁/(n₁+2n₂); D_k = k − (k+1)·Y·n_{k+1}/n_k (Chen & Goodman 1999, equation 17).

    Args:
        n1, n2, n3, n4: number of n-grams with the adjusted count 1, 2, 3, 4.

    Returns:
        D₁, D₂, D₃₊ and an empty string, or a reason why the counts define no discounts.
    """
    n = (0, n1, n2, n3, n4)
    for k in (1, 2, 3):
        if n[k] == 0:
            return (0.0, 0.0, 0.0), f"no n-gram has the adjusted count {k}"
    y = n1 / (n1 + 2 * n2)
    d1, d2, d3 = (k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
    for k, d in ((1, d1), (2, d2), (3, d3)):
        if not 0 <= d <= k:
            return (0.0, 0.0, 0.0), f"the discount of count {k} would be {d:.4g}"
    return (d1, d2, d3), ""


@compiled
def subtract(
    count: Ints,
    after: Ints,
    D: NDArray[np.float64],
    reserve: int,
    alpha: NDArray[np.floating],
    gamma: NDArray[np.floating],
) -> None:
    """α(hw) = (c(hw) − D(c(hw))) / Σ_v c(hv) and γ(h) = Σ_v D(c(hv)) / Σ_v c(hv).

    Args:
        count: c(hw) of the M n-grams of one order.
        after: node offsets [C+1] of what follows each of the C contexts.
        D: discount of the counts 0, 1, 2, …, the last also of all greater ones.
        reserve: added to the total of a context of which nothing is discounted, and left over.
        alpha: receives α, [M].
        gamma: receives γ, [C]; 1 where nothing follows.
    """
    greatest = len(D) - 1
    for h in range(len(gamma)):
        begin, end = after[h] - after[0], after[h + 1] - after[0]
        total = 0
        discounted = 0.0
        for hw in range(begin, end):
            total += count[hw]
            discounted += D[min(count[hw], greatest)]
        if total == 0:  # nothing follows: </s>, or the last tokens of the stream
            gamma[h] = 1.0
            continue
        if discounted == 0:
            total += reserve
            discounted += reserve
        gamma[h] = discounted / total
        for hw in range(begin, end):
            alpha[hw] = (count[hw] - D[min(count[hw], greatest)]) / total
