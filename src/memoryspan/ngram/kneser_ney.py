"""Interpolated modified Kneser–Ney smoothing (Chen & Goodman 1999), of any order.

    p(w|h) = (a(hw) − D(a(hw))) / Σ_v a(hv) + γ(h) · p(w|h′)
    γ(h) = Σ_v D(a(hv)) / Σ_v a(hv)

with adjusted counts a, h′ the context without its first token, and 1/V below the unigrams. V
counts every token that can be predicted: the words, ``</s>`` and ``<unk>``. So an ``<unk>`` that
is an ordinary word of the training stream is smoothed like one, and where the training stream
has none it gets γ/V: the convention of KenLM, whose vocabulary has one token more (``<s>``,
which is never predicted). It agrees with KenLM's ``lmplz`` to its printed digits.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.discounts import Discounts, choose_discounts
from memoryspan.ngram.model import NgramModel, empty_tables, in_logarithms
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.trie import Ints


def estimate_kneser_ney(
    counts: NgramCounts, order: int, parameters: NgramParameters | None = None
) -> NgramModel:
    """The model of one order from counts up to at least that order.

    Discounts that were used, and why if they are the fallback, are in ``model.discounts``.

    Raises:
        MemoryspanError: the order was not counted.
    """
    parameters = parameters or NgramParameters()
    trie = counts.trie_up_to(order)
    probability, weight = empty_tables(trie, parameters.precision)
    probability[0] = 1 / trie.vocabulary_size
    discounts: list[Discounts] = []
    for n in range(1, order + 1):
        adjusted = counts.adjusted(n, order)
        discounts.append(choose_discounts(n, adjusted, parameters))
        contexts, level = trie.level(n - 1), trie.level(n)
        interpolate(
            adjusted,
            trie.suffix[level],
            trie.child[contexts.start : contexts.stop + 1],
            np.array([0.0, *discounts[-1].values]),
            probability[: level.start],
            probability[level],
            weight[contexts],
        )
    return NgramModel(
        name=f"kneser_ney_{order}",
        trie=trie,
        log_prob=in_logarithms(probability),
        log_backoff=in_logarithms(weight),
        discounts=tuple(discounts),
    )


@compiled
def interpolate(
    adjusted: Ints,
    suffix: Ints,
    child: Ints,
    D: NDArray[np.float64],
    lower: NDArray[np.floating],
    probability: NDArray[np.floating],
    gamma: NDArray[np.floating],
) -> None:
    """The equations above for all contexts of one order.

    Args:
        adjusted: a(hw) of the M n-grams.
        suffix: nodes of h′w.
        child: node offsets [C+1] of what follows each of the C contexts.
        D: discount of adjusted counts 0, 1, 2, 3+.
        lower: p(w|h′) of all lower nodes.
        probability: receives p(w|h), [M].
        gamma: receives γ(h), [C].
    """
    for h in range(len(gamma)):
        begin, end = child[h] - child[0], child[h + 1] - child[0]
        total = 0
        discounted = 0.0
        for hw in range(begin, end):
            total += adjusted[hw]
            discounted += D[min(adjusted[hw], 3)]
        if total == 0:  # nothing follows: </s>, or the last tokens of the stream
            gamma[h] = 1.0
            continue
        weight = discounted / total
        gamma[h] = weight
        for hw in range(begin, end):
            a = adjusted[hw]
            probability[hw] = (a - D[min(a, 3)]) / total + weight * lower[suffix[hw]]
