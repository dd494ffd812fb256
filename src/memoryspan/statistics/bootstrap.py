"""The cluster bootstrap for perplexities and their ratios.

Tokens of one document are not independent, so whole clusters (documents, or blocks of them; see
``clusters``) are drawn with replacement and the totals formed anew: each replicate is
Σ totals / Σ counts over the drawn clusters, a ratio of totals, never a mean of cluster means
(Efron and Tibshirani 1993, ch. 8 and 13). Two models are compared *paired*: the difference of
their nats is taken per cluster before anything is drawn, so what is hard for both cancels.

What this leaves out: the variation between training runs. An interval here says how sure one
may be of these trained models on this kind of text, not of their architectures.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REPLICATES = 2000
LEVEL = 0.95
MINIMUM_CLUSTERS = 5  # resampling fewer says nothing: the interval is NaN
_CHUNK_ELEMENTS = 4_000_000


@dataclass(frozen=True)
class Intervals:
    """Estimates with the bounds of their percentile intervals.

    Attributes:
        estimate, low, high: float64 [K] each. Where the estimate is not finite, or there are
            fewer than ``MINIMUM_CLUSTERS`` clusters, ``low`` and ``high`` are NaN.
    """

    estimate: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Interval:
    """One estimate with the bounds of its percentile interval (NaN where there is none)."""

    estimate: float
    low: float
    high: float


def mean_replicates(
    totals_CK: Floats, counts_C: NDArray[np.int64] | Floats, seed: int, replicates: int = REPLICATES
) -> Floats:
    """Bootstrap replicates of Σ totals / Σ counts, the same draws for all K columns.

    Args:
        totals_CK: [C, K], totals per cluster; may hold +inf (then a replicate that draws the
            cluster is +inf).
        counts_C: [C], how many tokens (or what weight of tokens) each cluster's total is the sum
            of (> 0).
        seed: of the draws.
        replicates: R.

    Returns:
        float64 [R, K].
    """
    clusters = len(counts_C)
    rng = np.random.default_rng(seed)
    infinite_CK = np.isinf(totals_CK)
    finite_CK = np.where(infinite_CK, 0.0, totals_CK)
    chunk = max(1, _CHUNK_ELEMENTS // clusters)
    means = []
    for start in range(0, replicates, chunk):
        rows = min(chunk, replicates - start)
        drawn_RC = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=rows)
        sums_RK = drawn_RC @ finite_CK
        sums_RK[drawn_RC @ infinite_CK.astype(np.int64) > 0] = np.inf
        means.append(sums_RK / (drawn_RC @ counts_C)[:, None])
    return np.concatenate(means)


def mean_intervals(
    totals_CK: Floats,
    counts_C: NDArray[np.int64] | Floats,
    *,
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
) -> Intervals:
    """Σ totals / Σ counts for each of K columns, with percentile intervals.

    With nats as totals and tokens as counts these are nats per token. The exponential of a
    percentile is the percentile of the exponentials, so the exponentials of all three are a
    perplexity (or, of logarithms, a geometric mean) and its interval.

    Args:
        totals_CK: [C, K], totals per cluster.
        counts_C: [C], tokens (or weight) per cluster.
        seed: of the draws.
        replicates: number of bootstrap replicates.
        level: of the interval.
    """
    estimate_K = totals_CK.sum(axis=0) / counts_C.sum()
    low_K = np.full_like(estimate_K, np.nan)
    high_K = np.full_like(estimate_K, np.nan)
    finite = np.isfinite(estimate_K)
    if finite.any() and len(counts_C) >= MINIMUM_CLUSTERS:
        means_RK = mean_replicates(totals_CK[:, finite], counts_C, seed, replicates)
        tail = (1 - level) / 2
        low_K[finite], high_K[finite] = np.quantile(means_RK, [tail, 1 - tail], axis=0)
    return Intervals(estimate_K, low_K, high_K)


def perplexity_ratio(
    nats_C: Floats,
    reference_nats_C: Floats,
    tokens_C: NDArray[np.int64],
    *,
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """PPL(model) / PPL(reference) = exp(Σ (nats − reference nats) / Σ tokens), paired.

    Args:
        nats_C: [C], the model's total nats per cluster; +inf where it gave a zero probability.
        reference_nats_C: [C], the reference's, on the same tokens.
        tokens_C: [C], tokens per cluster.
        seed: of the draws.
        replicates: number of bootstrap replicates.
        level: of the interval.

    Returns:
        The ratio and its interval. Infinite perplexity: the ratio is inf (0 if only the
        reference's is infinite, NaN if both are) and the bounds are NaN.
    """
    total, reference_total = nats_C.sum(), reference_nats_C.sum()
    if not (np.isfinite(total) and np.isfinite(reference_total)):
        both = np.isinf(total) and np.isinf(reference_total)
        ratio = np.nan if both else np.exp(total - reference_total)
        return Interval(float(ratio), np.nan, np.nan)
    found = mean_intervals(
        (nats_C - reference_nats_C)[:, None],
        tokens_C,
        seed=seed,
        replicates=replicates,
        level=level,
    )
    estimate, low, high = (
        float(np.exp(bound[0])) for bound in (found.estimate, found.low, found.high)
    )
    return Interval(estimate, low, high)
