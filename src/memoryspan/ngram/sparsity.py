"""The sparsity of counts: how many n-grams of a text have never been counted.

What is asked of each predicted token (words and ``</s>``): is the n-gram that ends in it, of the
token and the n−1 before it in its sentence, among the counted ones? ``<s>`` is one of the tokens
before; nearer to it than n−1 tokens the n-gram is the whole beginning of the sentence, as if
``<s>`` were written n−1 times. So every order is asked about the same tokens, the share cannot
rise with n, and 1 − share is the share of tokens that maximum likelihood of that order finds
impossible. ``<unk>`` is a word like any other, as it is for the models: ``unknown_share`` says
how many n-grams have one, in which what was really written may differ.

The share of *types* counts each distinct n-gram of the text once. It is a weighted share of
tokens, each with weight 1 / occurrences of its n-gram in the text; the bootstrap keeps these
weights, because a redrawn text repeats n-grams and so has too few types.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.scoring import trace
from memoryspan.ngram.streams import checked_ids
from memoryspan.ngram.trie import Ints, NgramTrie
from memoryspan.statistics.bootstrap import Intervals, mean_intervals
from memoryspan.statistics.clusters import token_clusters
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import UNKNOWN_ID

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class LookedUp:
    """The n-grams of one order that end in each of N tokens.

    Attributes:
        seen: bool [N], whether it was counted.
        occurrences: int32 [N], how often it stands in the text itself.
        with_unknown: bool [N], whether one of its tokens is ``<unk>``.
    """

    seen: Bools
    occurrences: Ints
    with_unknown: Bools


def seen_ngrams(counts: NgramCounts, stream: TokenStream, seed: int) -> pd.DataFrame:
    """The share of a text's n-grams that were counted, of every order that was counted.

    Args:
        counts: of the training text.
        stream: another text, in the same vocabulary.
        seed: of the cluster bootstrap (see ``statistics``); intervals are of 95 %.

    Returns:
        One row per order: order, tokens (asked about), token_share (seen), token_share_low,
        token_share_high, types (distinct n-grams of the text), type_share, type_share_low,
        type_share_high, unknown_share (of the tokens), interval_unit, interval_clusters.

    Raises:
        MemoryspanError: the text is empty, or has ids outside the counted vocabulary.
    """
    if len(stream) == 0:
        raise MemoryspanError("There are no tokens to look up; give a longer text.")
    clusters = token_clusters(stream)
    found = look_up(counts, stream)
    seen_tokens = np.stack([clusters.totals(of_order.seen.astype(float)) for of_order in found], 1)
    of_tokens = mean_intervals(seen_tokens, clusters.tokens, seed=seed)
    rows = []
    for n, of_order in enumerate(found, start=1):
        weight = 1 / of_order.occurrences
        seen_types = clusters.totals(np.where(of_order.seen, weight, 0.0))[:, None]
        of_types = mean_intervals(seen_types, clusters.totals(weight), seed=seed)
        rows.append(
            {"order": n, "tokens": len(stream), **_columns("token_share", of_tokens, n - 1)}
            | {"types": round(weight.sum()), **_columns("type_share", of_types, 0)}
            | {"unknown_share": of_order.with_unknown.mean()}
            | {"interval_unit": clusters.unit, "interval_clusters": clusters.count}
        )
    return pd.DataFrame(rows)


def look_up(counts: NgramCounts, stream: TokenStream) -> list[LookedUp]:
    """The n-grams that end in each token of a text, for orders 1, 2, …"""
    ids = checked_ids(stream.ids, counts.trie.vocabulary_size)
    own = NgramCounts.of(stream, counts.order)
    own_nodes = ending_ngrams(own.trie, ids)
    available = (own_nodes >= 0).sum(axis=1)
    counted_nodes = ending_ngrams(counts.trie, ids)
    matched = ((counted_nodes >= 0) & (counts.raw[counted_nodes] > 0)).sum(axis=1)
    token = np.arange(len(ids))
    never = -counts.order
    last_unknown = np.maximum.accumulate(np.where(ids == UNKNOWN_ID, token, never))
    looked_up = []
    for n in range(1, counts.order + 1):
        length = np.minimum(n, available)
        occurrences = own.raw[own_nodes[token, length - 1]]
        looked_up.append(LookedUp(matched >= length, occurrences, token - last_unknown < length))
    return looked_up


def ending_ngrams(trie: NgramTrie, ids: Ints) -> Ints:
    """Nodes of the n-grams that end at each position, int32 [N, orders]; −1: not in the trie."""
    contexts, ngrams = (np.empty((len(ids), trie.order), np.int32) for _ in range(2))
    trace(trie.first, trie.word, trie.child, trie.suffix, ids, contexts, ngrams)
    return ngrams


def _columns(name: str, found: Intervals, place: int) -> dict[str, float]:
    bounds = {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
    return {column: float(bound[place]) for column, bound in bounds.items()}
