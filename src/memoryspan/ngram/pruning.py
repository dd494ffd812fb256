"""Entropy pruning (Stolcke 1998): leave out the n-grams that a back-off model can best do without.

Without the n-gram hw, p(w|h) becomes β′(h) · p(w|h′), and perplexity grows by the factor e^D with

    D = −p(h) · { p(w|h) · [log p(w|h′) + log β′(h) − log p(w|h)]
                  + (1 − Σ_v p(v|h)) · [log β′(h) − log β(h)] }
    β(h) = (1 − Σ_v p(v|h)) / (1 − Σ_v p(v|h′))         over all v for which hv is in the model,
    β′(h) the same without w.

All n-grams with e^D − 1 below a threshold are left out, unless they are the context of one that
stays; then all β are computed anew. p(h) is the product of the model's own probabilities; that of
the start of a sentence is taken to be p(``</s>``).

Where the n-gram h′w is not in the model itself (as after an earlier pruning), p(w|h′) is what the
model says by backing off.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.model import NgramModel, in_logarithms
from memoryspan.ngram.trie import Ints, NgramTrie

Reals = NDArray[np.float64]


def prune_by_entropy(model: NgramModel, threshold: float) -> NgramModel:
    """The model without n-grams whose loss raises its perplexity by less than a threshold.

    Args:
        model: any model that backs off.
        threshold: relative rise of perplexity, e.g. 1e-8; 0 leaves the model as it is.

    Raises:
        MemoryspanError: the model does not back off.
    """
    if threshold <= 0:
        return model
    if not model.backs_off:
        raise MemoryspanError(
            f"{model.name} does not back off, so it has nothing to say of n-grams that are left "
            "out. Set the threshold of entropy pruning to 0, or choose another estimator."
        )
    kept = needed(model, np.log1p(threshold))
    if kept.all():
        return model
    pruned = model.restricted(kept)
    weights = normalised_weights(pruned.trie, np.exp(pruned.log_prob, dtype=np.float64))
    weights[0] = np.exp(model.log_backoff[0])
    log_backoff = in_logarithms(weights).astype(model.log_backoff.dtype, copy=False)
    return replace(pruned, log_backoff=log_backoff)


def needed(model: NgramModel, threshold: float) -> NDArray[np.bool_]:
    """Which n-grams stay: those with D ≥ threshold, their prefixes, and all unigrams, [nodes]."""
    trie = model.trie
    probability = np.exp(model.log_prob, dtype=np.float64)
    weight = np.exp(model.log_backoff, dtype=np.float64)
    reached = np.ones(int(trie.first[-2]))  # p(h)
    kept = np.ones(len(trie), bool)
    for n in range(1, trie.order):
        contexts = trie.level(n - 1)
        multiply_out(trie.child, contexts.start, contexts.stop, probability, reached)
    for n in range(trie.order, 1, -1):
        mark(trie.first, trie.child, trie.suffix, n, probability, weight, reached, threshold, kept)
    return kept


def normalised_weights(trie: NgramTrie, probability: Reals) -> Reals:
    """β of every context, given p of all n-grams, [contexts]."""
    weight = np.ones(int(trie.first[-2]))
    for n in range(2, trie.order + 1):
        normalise(trie.first, trie.child, trie.suffix, n, probability, weight)
    return weight


@compiled
def multiply_out(child: Ints, begin: int, end: int, probability: Reals, reached: Reals) -> None:
    """p(hw) = p(h) · p(w|h) for what follows the contexts ``begin:end``."""
    for h in range(begin, end):
        for hw in range(child[h], child[h + 1]):
            reached[hw] = reached[h] * probability[hw]


@compiled
def below(
    first: NDArray[np.int64],
    suffix: Ints,
    n: int,
    h: int,
    hw: int,
    probability: Reals,
    weight: Reals,
) -> float:
    """p(w|h′) of an n-gram hw of order n, by backing off if h′w is not in the trie."""
    found = suffix[hw]
    order = n - 1
    while found < first[order]:
        order -= 1
    paid = 1.0
    context = suffix[h]
    while context >= first[order]:  # of ``order`` tokens or more, and without w after it
        paid *= weight[context]
        context = suffix[context]
    return float(paid * probability[found])


@compiled
def left_over(
    first: NDArray[np.int64],
    child: Ints,
    suffix: Ints,
    n: int,
    h: int,
    probability: Reals,
    weight: Reals,
) -> tuple[float, float]:
    """1 − Σ_v p(v|h) and 1 − Σ_v p(v|h′) over all v that follow h in the trie."""
    own = lower = 1.0
    for hv in range(child[h], child[h + 1]):
        own -= probability[hv]
        lower -= below(first, suffix, n, h, hv, probability, weight)
    return max(own, 0.0), max(lower, 0.0)


@compiled
def mark(
    first: NDArray[np.int64],
    child: Ints,
    suffix: Ints,
    n: int,
    probability: Reals,
    weight: Reals,
    reached: Reals,
    threshold: float,
    kept: NDArray[np.bool_],
) -> None:
    """Say of the n-grams of order n which are not kept; those of higher orders are marked.

    Args:
        first, child, suffix: the trie.
        n: the order.
        probability, weight: the model, linear.
        reached: p(h), [contexts].
        threshold: D of what is kept, at least.
        kept: [nodes], see ``needed``.
    """
    for h in range(first[n - 1], first[n]):
        own, lower = left_over(first, child, suffix, n, h, probability, weight)
        for hw in range(child[h], child[h + 1]):
            if n < len(first) - 2 and kept[child[hw] : child[hw + 1]].any():
                continue
            p = probability[hw]
            p_below = below(first, suffix, n, h, hw, probability, weight)
            if p_below == 0:
                continue  # impossible without it
            new_weight = (own + p) / (lower + p_below)
            change = 0.0
            if p > 0:
                change += p * np.log(p_below * new_weight / p)
            if own > 0 and weight[h] > 0:
                change += own * np.log(new_weight / weight[h])
            kept[hw] = -reached[h] * change >= threshold


@compiled
def normalise(
    first: NDArray[np.int64],
    child: Ints,
    suffix: Ints,
    n: int,
    probability: Reals,
    weight: Reals,
) -> None:
    """β of the contexts of n-grams of order n; those of shorter ones are known."""
    for h in range(first[n - 1], first[n]):
        own, lower = left_over(first, child, suffix, n, h, probability, weight)
        weight[h] = own / lower if lower > 0 else 0.0
