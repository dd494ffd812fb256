"""Discounts of modified Kneser–Ney smoothing (Chen & Goodman 1999, section 4.1)."""

import logging
from dataclasses import dataclass

import numpy as np

from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Discounts:
    """What is taken off adjusted counts of 1, 2 and 3 or more at one order.

    Attributes:
        order: the order n.
        values: D₁, D₂, D₃₊.
        origin: "estimated", "given" or "fallback".
        reason: why the fallback was needed, else empty.
    """

    order: int
    values: tuple[float, float, float]
    origin: str = "estimated"
    reason: str = ""


def choose_discounts(order: int, adjusted: Ints, parameters: NgramParameters) -> Discounts:
    """The discounts of one order: those given, else those estimated, else the fallback."""
    if order in parameters.discounts:
        return Discounts(order, parameters.discounts[order], "given")
    n1, n2, n3, n4 = (int(np.count_nonzero(adjusted == k)) for k in (1, 2, 3, 4))
    values, reason = estimate_discounts(n1, n2, n3, n4)
    if not reason:
        return Discounts(order, values)
    fallback = parameters.discount_fallback
    logger.warning("order %d: %s; discounts %s are used instead", order, reason, fallback)
    return Discounts(order, fallback, "fallback", reason)


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
