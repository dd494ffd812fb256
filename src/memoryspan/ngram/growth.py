"""How the number of distinct n-grams grows with the text, and Heaps' law.

    V(N) ≈ K · N^β

where V(N) is how many types the first N tokens have (Herdan 1960; Heaps 1978, section 7.5). For
longer n-grams the same curve says how far a text is from holding all n-grams of its language: β
near 1 means that nearly every n-gram is a new one.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memoryspan.ngram.counts import countable_ids
from memoryspan.ngram.refinement import bytes_of_ids, group_by_word, refine
from memoryspan.ngram.trie import Ints
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

FIT_DECADES = 2
"""Heaps' law is fitted to the last two powers of ten of N: short texts do not follow it."""


def growth_curve(stream: TokenStream, order: int, points: int) -> pd.DataFrame:
    """Distinct n-grams of each order in the first N tokens, for N evenly spaced in log N.

    Counted as in ``NgramCounts``: ``</s>`` is a token, ``<s>`` begins n-grams of n ≥ 2, and
    sentences do not reach into each other.

    Args:
        stream: the text in its order; of all types, if it is the vocabulary that is to grow.
        order: the longest n-grams, 1–10.
        points: values of N, at most; the first is 1 and the last is the whole stream.

    Returns:
        One row per order and N: order, tokens (N), distinct.

    Raises:
        MemoryspanError: see ``NgramCounts.of``.
    """
    ids = countable_ids(stream, order)
    tokens = np.unique(np.geomspace(1, len(ids), points).round().astype(np.int64))
    curves = []
    for n, first_seen in enumerate(first_occurrences(ids, stream.vocabulary_size, order), 1):
        new = np.bincount(np.searchsorted(tokens, first_seen), minlength=len(tokens))
        curves.append(pd.DataFrame({"order": n, "tokens": tokens, "distinct": new.cumsum()}))
    return pd.concat(curves, ignore_index=True)


def first_occurrences(ids: Ints, vocabulary_size: int, order: int) -> Iterator[NDArray[np.int64]]:
    """For each order from 1, after how many tokens each distinct n-gram comes up.

    The positions of an n-gram lie together in ascending order while the stream is counted (see
    ``refinement``), so that the first of each group is the first occurrence.
    """
    positions, sizes, _ = group_by_word(ids, vocabulary_size)
    begins = np.cumsum(sizes, dtype=np.int64) - sizes
    seen = sizes > 0
    seen[END_ID] = sizes[END_ID] > 1  # its first position is the <s> before the stream
    begins_of_words = begins + (np.arange(vocabulary_size) == END_ID)
    yield positions[begins_of_words[seen]].astype(np.int64)
    word = np.arange(vocabulary_size, dtype=np.int32)
    for n in range(1, order):
        digits = bytes_of_ids(vocabulary_size)
        _, word, sizes, used = refine(ids, n, positions, sizes, word, 0, digits)
        positions = positions[:used]
        begins = np.cumsum(sizes, dtype=np.int64) - sizes
        yield positions[begins].astype(np.int64) + n


def heaps_fit(growth: pd.DataFrame) -> pd.DataFrame:
    """Heaps' law by least squares of log V on log N over the last two decades of N.

    Args:
        growth: what ``growth_curve`` returns.

    Returns:
        One row per order that the text has: order, k, beta, r_squared (of the logarithms; NaN
        where V does not vary), from_tokens and to_tokens (the range of the fit), points. Where
        the range has fewer than two points k, beta and r_squared are NaN.
    """
    return pd.DataFrame(
        [
            {"order": order, **_power_law(curve["tokens"].to_numpy(), curve["distinct"].to_numpy())}
            for order, curve in growth[growth["distinct"] > 0].groupby("order")
        ]
    )


def _power_law(tokens: NDArray[np.int64], distinct: NDArray[np.int64]) -> dict[str, float]:
    used = tokens >= tokens[-1] / 10**FIT_DECADES
    x, y = np.log(tokens[used]), np.log(distinct[used])
    beta = log_k = r_squared = np.nan
    if len(x) > 1:
        beta, log_k = np.polyfit(x, y, 1)
        if np.ptp(y) > 0:
            r_squared = np.corrcoef(x, y)[0, 1] ** 2
    return {
        "k": float(np.exp(log_k)),
        "beta": float(beta),
        "r_squared": float(r_squared),
        "from_tokens": int(tokens[used][0]),
        "to_tokens": int(tokens[-1]),
        "points": int(used.sum()),
    }
