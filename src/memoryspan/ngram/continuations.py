"""What follows a context: its counts, and the probabilities made of them side by side."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import Floats, Ids, LanguageModel
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.parameters import TableParameters
from memoryspan.ngram.tables import START
from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID, Vocabulary

Context = tuple[int, ...]
"""Ids; ``</s>`` as the first one is the start of a sentence."""

VISIBLE_SPACE = "␣"
"""For a blank that is a token (character level)."""


def top_continuations(
    counts: NgramCounts,
    vocabulary: Vocabulary,
    kneser_ney: Mapping[int, LanguageModel],
    contexts: Sequence[Context],
    most: int,
) -> pd.DataFrame:
    """The most frequent tokens after each context.

    Equally frequent ones, and those that never followed, are in the order of their Kneser–Ney
    probability: after a context that was never seen there is what shorter contexts expect.

    Args:
        counts: of the training text.
        vocabulary: the texts of the ids.
        kneser_ney: the model of each order n that a context of n−1 tokens is given for.
        contexts: of 1 token to one less than the highest order.
        most: continuations of each context.

    Returns:
        The columns context, order (n), continuation, count, context_count (of which the counts
        are shares), maximum_likelihood (count / context_count; NaN for an unseen context),
        model_probability.

    Raises:
        MemoryspanError: the vocabulary is another one than that of the counts or of a model.
    """
    sizes = {len(vocabulary), counts.trie.vocabulary_size}
    sizes |= {model.vocabulary_size for model in kneser_ney.values()}
    if len(sizes) > 1:
        raise MemoryspanError(
            "Counts, models and vocabulary do not belong together. Run the pipelines tokenize "
            "and ngram again."
        )
    tables = []
    for context in contexts:
        model = kneser_ney[len(context) + 1]
        probability = np.exp(model.next_log_probs(np.array([context], np.int32))[0])
        tables.append(_continuations(counts, vocabulary, context, probability, most))
    return pd.concat(tables, ignore_index=True)


def _continuations(
    counts: NgramCounts, vocabulary: Vocabulary, context: Context, probability: Floats, most: int
) -> pd.DataFrame:
    count = following_counts(counts, context)
    top = np.lexsort((-probability, -count))[:most]
    total = int(count.sum())
    shown = [START if token == END_ID else _visible(vocabulary.tokens[token]) for token in context]
    return pd.DataFrame(
        {
            "context": " ".join(shown),
            "order": len(context) + 1,
            "continuation": [_visible(vocabulary.tokens[token]) for token in top],
            "count": count[top],
            "context_count": total,
            "maximum_likelihood": count[top] / total if total else np.nan,
            "kneser_ney": probability[top],
        }
    )


def following_counts(counts: NgramCounts, context: Context) -> NDArray[np.int64]:
    """How often each token of the vocabulary follows a context, int64 [V]."""
    trie = counts.trie
    count = np.zeros(trie.vocabulary_size, np.int64)
    if (node := trie.find(context)) >= 0:
        children = slice(int(trie.child[node]), int(trie.child[node + 1]))
        count[trie.word[children]] = counts.raw[children]
    return count


def choose_contexts(
    parameters: TableParameters, counts: NgramCounts, encode: Callable[[str], Ids]
) -> list[Context]:
    """The contexts that are configured, or else the most frequent ones of each order.

    Args:
        parameters: which contexts.
        counts: of the training text.
        encode: gives the ids of a text, ``</s>`` last (a tokenizer's method).

    Raises:
        MemoryspanError: something configured is no context.
    """
    if parameters.contexts:
        given = (context_ids(text, encode)[1 - counts.order :] for text in parameters.contexts)
        return list(dict.fromkeys(given))
    orders = range(2, counts.order + 1)
    return [c for n in orders for c in frequent_contexts(counts, n, parameters.frequent_contexts)]


def frequent_contexts(counts: NgramCounts, order: int, most: int) -> list[Context]:
    """The contexts of order−1 tokens that are followed most often, without ``<unk>``.

    There are fewer than asked for, or none, where the text has fewer.
    """
    trie = counts.trie_up_to(order)
    columns = trie.words(order - 1)
    frequency = counts.following()[trie.level(order - 1)]
    for column in columns:
        frequency[column == UNKNOWN_ID] = 0
    best = np.argsort(-frequency, kind="stable")[:most]
    return [tuple(int(column[i]) for column in columns) for i in best if frequency[i] > 0]


def context_ids(text: str, encode: Callable[[str], Ids]) -> Context:
    """The ids of a context that someone wrote; ``<s>`` before it begins a sentence.

    Raises:
        MemoryspanError: there is no token in it, or a line end.
    """
    ids = [int(token) for token in encode(text.removeprefix(START))]
    if ids[-1:] == [END_ID]:
        ids.pop()
    if text.startswith(START):
        ids.insert(0, END_ID)
    if not ids or END_ID in ids[1:]:
        raise MemoryspanError(
            f"ngram.tables.contexts: {text!r} is no context; give some words of one line."
        )
    return tuple(ids)


def _visible(token: str) -> str:
    return token.replace(" ", VISIBLE_SPACE)
