"""N-gram counts as tables for people."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memoryspan.ngram.trie import Ints
from memoryspan.text.vocabulary import END_ID, Vocabulary

START = "<s>"


def ngram_table(columns: list[Ints], counts: Ints, vocabulary: Vocabulary) -> pd.DataFrame:
    """N-grams in words, most frequent first, ties in alphabetical order.

    Args:
        columns: w₁, …, w_n, ids of M n-grams each.
        counts: int32 [M]; n-grams with count 0 are left out.
        vocabulary: the texts of the ids.

    Returns:
        DataFrame with columns w1, …, wn (categorical strings) and count. In n-grams of n ≥ 2 the
        start of a sentence is ``<s>``.
    """
    tokens, columns = _with_start(columns, vocabulary)
    rank = np.empty(len(tokens), np.int64)
    rank[sorted(range(len(tokens)), key=tokens.__getitem__)] = np.arange(len(tokens))
    order = np.flatnonzero(counts)
    for column in reversed(columns):
        order = order[_stable_order(rank[column[order]])]
    order = order[_stable_order(-counts[order].astype(np.int64))]
    categories = pd.Index(tokens, dtype="str")
    table = {
        f"w{position}": pd.Categorical.from_codes(column[order], categories)
        for position, column in enumerate(columns, start=1)
    }
    return pd.DataFrame({**table, "count": counts[order].astype(np.int64)})


def _with_start(columns: list[Ints], vocabulary: Vocabulary) -> tuple[list[str], list[Ints]]:
    """Token texts and columns in which a leading ``</s>`` is ``<s>``."""
    tokens = list(vocabulary.tokens)
    if len(columns) == 1:
        return tokens, columns
    start = vocabulary.id_of.get(START, len(tokens))  # a text may contain the word "<s>" itself
    if start == len(tokens):
        tokens.append(START)
    opening = np.where(columns[0] == END_ID, np.int32(start), columns[0])
    return tokens, [opening, *columns[1:]]


def _stable_order(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices that sort integer keys and keep the order of equal ones.

    Two passes over 16-bit halves, for which numpy has a radix sort.
    """
    shifted = keys - keys.min() if len(keys) else keys
    order = np.argsort((shifted & 0xFFFF).astype(np.uint16), kind="stable")
    upper = (shifted >> 16)[order]
    return order[np.argsort(upper.astype(np.uint16), kind="stable")]
