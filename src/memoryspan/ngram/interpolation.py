"""What all estimators share: a share of the counts, and a share of what shorter contexts say.

    p(w|h) = α(hw) + γ(h) · p(w|h′),    Σ_w α(hw) + γ(h) = 1

(Chen & Goodman 1999, section 2.8), with h′ the context without its first token and 1/V below the
unigrams. V counts every token that can be predicted: the words, ``</s>`` and ``<unk>``. So an
``<unk>`` that is an ordinary word of the training stream is smoothed like one, and where the
training stream has none it gets γ/V: the convention of KenLM, whose vocabulary has one token
more (``<s>``, which is never predicted). In a closed vocabulary it is then impossible instead.

An estimator says what α and γ are. Pruning by count takes n-grams out after that: discounts and
totals are those of all n-grams, and γ gains the α of those that are left out, as in KenLM.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.discounts import Discounts
from memoryspan.ngram.model import NgramModel, empty_tables, in_logarithms
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.pruning import prune_by_entropy
from memoryspan.ngram.trie import Ints
from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID

Reals = NDArray[np.floating]
Share = Callable[[int, Ints, Reals, Reals], Discounts | None]
"""Order n, offsets of what follows each context [C+1] → fills α [M] and γ [C] of that order."""
Combine = Callable[[Ints, Ints, Reals, Reals, Reals], None]
"""Makes probabilities of α and the lower orders; takes what ``interpolate`` takes."""


def estimate_by_order(
    name: str,
    counts: NgramCounts,
    order: int,
    parameters: NgramParameters,
    share: Share,
    combine: Combine | None = None,
) -> NgramModel:
    """The model of one order from counts up to at least that order, pruned as asked.

    Args:
        name: of the estimator.
        counts: n-grams and their raw counts.
        order: N.
        parameters: vocabulary, precision and pruning are read here.
        share: the estimator's α and γ.
        combine: how they become probabilities; by interpolation unless another way is named.

    Raises:
        MemoryspanError: the order was not counted.
    """
    trie = counts.trie_up_to(order)
    combine = combine or interpolate
    probability, weight = empty_tables(trie, parameters.precision)
    probability[0] = 1 / predictable_tokens(counts, parameters)
    kept = np.ones(len(trie), bool)
    discounts = []
    for n in range(1, order + 1):
        contexts, level = trie.level(n - 1), trie.level(n)
        after = trie.child[contexts.start : contexts.stop + 1]
        alpha, gamma = probability[level], weight[contexts]
        discounts.append(share(n, after, alpha, gamma))
        if threshold := parameters.count_threshold(n):
            kept[level] = counts.raw[level] > threshold
            kept[1 + END_ID] = True
            give_up(kept[level], after, alpha, gamma)
        combine(trie.suffix[level], after, probability[: level.start], alpha, gamma)
        if n == 1 and unknown_is_impossible(counts, parameters):
            probability[1 + UNKNOWN_ID] = 0
    kept[trie.level(1)] = True  # a pruned word is still one that can be predicted
    model = NgramModel(
        name=f"{name}_{order}",
        trie=trie,
        log_prob=in_logarithms(probability),
        log_backoff=in_logarithms(weight),
        discounts=tuple(discount for discount in discounts if discount),
    )
    return prune_by_entropy(model.restricted(kept), parameters.entropy_threshold)


def unknown_is_impossible(counts: NgramCounts, parameters: NgramParameters) -> bool:
    """Whether ``<unk>`` cannot be predicted: the vocabulary is closed and no text has it."""
    return parameters.vocabulary == "closed" and counts.raw[1 + UNKNOWN_ID] == 0


def predictable_tokens(counts: NgramCounts, parameters: NgramParameters) -> int:
    """V: how many tokens can be predicted."""
    return counts.trie.vocabulary_size - unknown_is_impossible(counts, parameters)


@compiled
def give_up(kept: NDArray[np.bool_], after: Ints, alpha: Reals, gamma: Reals) -> None:
    """The α of n-grams that are not kept go to the γ of their contexts."""
    for h in range(len(gamma)):
        for hw in range(after[h] - after[0], after[h + 1] - after[0]):
            if not kept[hw]:
                gamma[h] += alpha[hw]
                alpha[hw] = 0.0


@compiled
def interpolate(suffix: Ints, after: Ints, lower: Reals, alpha: Reals, gamma: Reals) -> None:
    """p(w|h) = α(hw) + γ(h) · p(w|h′) for all n-grams of one order.

    Args:
        suffix: nodes of h′w, [M].
        after: node offsets [C+1] of what follows each of the C contexts.
        lower: p(w|h′) of all lower nodes.
        alpha: α(hw), [M]; receives p(w|h).
        gamma: γ(h), [C].
    """
    for h in range(len(gamma)):
        for hw in range(after[h] - after[0], after[h + 1] - after[0]):
            alpha[hw] += gamma[h] * lower[suffix[hw]]
