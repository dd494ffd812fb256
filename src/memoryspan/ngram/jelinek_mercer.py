"""Jelinek–Mercer smoothing (Jelinek & Mercer 1980; Chen & Goodman 1999, section 2.3).

    p(w|h) = λ(h) · c(hw) / c(h) + (1 − λ(h)) · p(w|h′)

The weights λ are those under which a validation text is most probable, found by the EM algorithm
for all orders together. Contexts of one order share a weight if their counts c(h) are alike:
counts are put into buckets 1, 2–3, 4–7, 8–15, …, and adjacent buckets are joined until enough
validation tokens follow the contexts of each (Bahl, Jelinek & Mercer 1983).
"""

import logging
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.interpolation import (
    Reals,
    estimate_by_order,
    predictable_tokens,
    unknown_is_impossible,
)
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.scoring import trace
from memoryspan.ngram.streams import checked_ids
from memoryspan.ngram.trie import Ints
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import UNKNOWN_ID

logger = logging.getLogger(__name__)

BUCKETS = 32  # counts are below 2³¹
SMALLEST_GAIN = 1e-6  # nats per token
MOST_ITERATIONS = 200


@dataclass(frozen=True)
class JelinekMercer:
    """Interpolation with weights learnt from a text that was not counted.

    Attributes:
        validation: that text, in the ids of the counted one.
        parameters: see ``NgramParameters``.
    """

    validation: TokenStream
    parameters: NgramParameters = field(default_factory=NgramParameters)

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted; or the validation text is empty or has
                ids outside the vocabulary.
        """
        weights = self.weights(counts, order)

        def share(n: int, after: Ints, alpha: Reals, gamma: Reals) -> None:
            weigh(counts.raw[counts.trie.level(n)], after, weights[n - 1], alpha, gamma)

        return estimate_by_order("jelinek_mercer", counts, order, self.parameters, share)

    def weights(self, counts: NgramCounts, order: int) -> NDArray[np.float64]:
        """λ of each order and bucket of context counts, [order, BUCKETS].

        Raises:
            MemoryspanError: see ``estimate``.
        """
        ratio, bucket, base = self._observations(counts, order)
        visits = np.array(
            [np.bincount(column[column >= 0], minlength=BUCKETS) for column in bucket.T]
        )
        group_of = join_buckets(visits, self.parameters.jelinek_mercer_bucket)
        group = np.where(bucket >= 0, group_of[np.arange(order), bucket], -1).astype(np.int32)
        weights = maximise(ratio, group, base, int(group_of.max()) + 1)
        for n, groups in enumerate(group_of, start=1):
            values = ", ".join(f"{weight:.3f}" for weight in weights[np.unique(groups)])
            logger.info("order %d: interpolation weights from rare to frequent: %s", n, values)
        return weights[group_of]

    def _observations(
        self, counts: NgramCounts, order: int
    ) -> tuple[NDArray[np.float64], Ints, NDArray[np.float64]]:
        """What the weights of the N validation tokens are found from.

        Returns:
            c(hw)/c(h) and the bucket of c(h), −1 where h was not seen, for the contexts of each
            order, both [N, order]; and 1/V, or 0 if the token is impossible, [N].
        """
        trie = counts.trie_up_to(order)
        ids = checked_ids(self.validation.ids, trie.vocabulary_size)
        if len(ids) == 0:
            raise MemoryspanError(
                "The validation text is empty, but Jelinek–Mercer smoothing learns its weights "
                "from it. Give a longer text, or choose another estimator."
            )
        contexts, ngrams = (np.empty((len(ids), order), np.int32) for _ in range(2))
        trace(trie.first, trie.word, trie.child, trie.suffix, ids, contexts, ngrams)
        total = np.where(contexts >= 0, counts.following()[contexts], 0)
        count = np.where(ngrams >= 0, counts.raw[ngrams], 0)
        bucket = (np.frexp(total)[1] - 1).astype(np.int32)  # of 0: −1
        base = np.full(len(ids), 1 / predictable_tokens(counts, self.parameters))
        if unknown_is_impossible(counts, self.parameters):
            base[ids == UNKNOWN_ID] = 0
        return count / np.maximum(total, 1), bucket, base


def join_buckets(visits: NDArray[np.int64], fewest: int) -> NDArray[np.int64]:
    """Number the groups of adjacent buckets that share a weight.

    Args:
        visits: how many tokens follow contexts of each bucket, [orders, buckets].
        fewest: as many as each group must have; an order with fewer has one group.

    Returns:
        the group of each bucket, [orders, buckets].
    """
    group_of = np.empty_like(visits)
    group = -1
    for row, groups in zip(visits, group_of, strict=True):
        start = group + 1
        visited = fewest
        for bucket, tokens in enumerate(row):
            if visited >= fewest:
                group += 1
                visited = 0
            groups[bucket] = group
            visited += tokens
        if visited < fewest and group > start:  # too few are left over: they join the last
            group -= 1
            np.minimum(groups, group, out=groups)
    return group_of


def maximise(
    ratio: NDArray[np.float64], group: Ints, base: NDArray[np.float64], groups: int
) -> NDArray[np.float64]:
    """The weights under which the validation text is most probable, [groups].

    Half an observation is added on either side, so that no weight is 0 or 1 and nothing that is
    possible after a shorter context becomes impossible. A group without any token has 1/2.
    """
    weights = np.full(groups, 0.5)
    before = -math.inf
    for _ in range(MOST_ITERATIONS):
        reached, stopped = np.zeros(groups), np.zeros(groups)
        nats = expect(ratio, group, base, weights, reached, stopped)
        if nats - before < SMALLEST_GAIN * len(base):
            break
        before = nats
        weights = (stopped + 0.5) / (reached + 1)
    return weights


@compiled
def expect(
    ratio: NDArray[np.float64],
    group: Ints,
    base: NDArray[np.float64],
    weights: NDArray[np.float64],
    reached: NDArray[np.float64],
    stopped: NDArray[np.float64],
) -> float:
    """Expected decisions: how often a token came to an order, and how often it was drawn there.

    Args:
        ratio: c(hw)/c(h) by order, [N, orders].
        group: the weight of each context, −1 where it was not seen, [N, orders].
        base: probability below the unigrams, [N].
        weights: λ, [groups].
        reached: expected tokens that came to contexts of each group are added here.
        stopped: those of them that were drawn from the counts of that context.

    Returns:
        log P of the text under these weights, nats; impossible tokens do not count.
    """
    orders = ratio.shape[1]
    probability = np.empty(orders + 1)
    nats = 0.0
    for t in range(len(ratio)):
        probability[0] = base[t]
        for n in range(orders):
            probability[n + 1] = probability[n]
            if group[t, n] >= 0:
                weight = weights[group[t, n]]
                probability[n + 1] = weight * ratio[t, n] + (1 - weight) * probability[n]
        if probability[orders] == 0:
            continue
        nats += math.log(probability[orders])
        left = 1.0  # P(not drawn from a higher order | token)
        for n in range(orders - 1, -1, -1):
            if group[t, n] >= 0 and probability[n + 1] > 0:
                drawn = left * weights[group[t, n]] * ratio[t, n] / probability[n + 1]
                reached[group[t, n]] += left
                stopped[group[t, n]] += drawn
                left -= drawn
    return nats


@compiled
def weigh(
    count: Ints, after: Ints, weights: NDArray[np.float64], alpha: Reals, gamma: Reals
) -> None:
    """α(hw) = λ(h) · c(hw) / c(h) and γ(h) = 1 − λ(h).

    Args:
        count: c(hw) of the M n-grams of one order.
        after: node offsets [C+1] of what follows each of the C contexts.
        weights: λ by bucket of c(h), [BUCKETS].
        alpha: receives α, [M].
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
        bucket = 0
        while total >> (bucket + 1):
            bucket += 1
        gamma[h] = 1.0 - weights[bucket]
        for hw in range(begin, end):
            alpha[hw] = weights[bucket] * count[hw] / total
