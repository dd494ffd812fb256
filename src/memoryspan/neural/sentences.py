"""All sentences of a stream side by side, each as a text of its own.

Legend: N tokens of the stream, B sentences, T tokens of the longest of them.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoryspan.neural.contexts import TOKENS_AT_ONCE, Int64s
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID


class SentenceBatch(NamedTuple):
    """Sentences of similar length, padded on the right.

    Attributes:
        places_BT: int64, where in the stream each target stands.
        inputs_BT: int64, what is read before it: ``</s>``, then the sentence.
        targets_BT: int64.
        inside_BT: False past the end of a sentence, where the others mean nothing.
    """

    places_BT: Int64s  # noqa: N815 - shape suffix
    inputs_BT: Int64s  # noqa: N815
    targets_BT: Int64s  # noqa: N815
    inside_BT: NDArray[np.bool_]  # noqa: N815


def rows_of_tokens(length: int) -> int:
    """How many sentences of a length are read together."""
    return TOKENS_AT_ONCE // length


def sentence_batches(
    stream: TokenStream, rows_at_once: Callable[[int], int] = rows_of_tokens
) -> Iterator[SentenceBatch]:
    """Every sentence once, the shortest first.

    Args:
        stream: N ids.
        rows_at_once: from T, the most sentences of a batch; a batch has one at least.
    """
    bounds = stream.sentence_bounds
    lengths = np.diff(bounds)
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        rows = _fitting(lengths[order[start:]], rows_at_once)
        batch = order[start : start + rows]
        yield _padded(stream, bounds[batch], lengths[batch])
        start += rows


def _fitting(lengths: Int64s, rows_at_once: Callable[[int], int]) -> int:
    """How many of the first sentences, ascending in length, fit together: one at least."""
    low, high = 1, len(lengths)
    while low < high:
        middle = (low + high + 1) // 2
        if middle <= rows_at_once(int(lengths[middle - 1])):
            low = middle
        else:
            high = middle - 1
    return low


def _padded(stream: TokenStream, starts_B: Int64s, lengths_B: Int64s) -> SentenceBatch:
    steps_T = np.arange(lengths_B.max())
    inside_BT = steps_T < lengths_B[:, np.newaxis]
    places_BT = np.where(inside_BT, starts_B[:, np.newaxis] + steps_T, starts_B[:, np.newaxis])
    targets_BT = np.asarray(stream.ids[places_BT], dtype=np.int64)
    first_B1 = np.full((len(starts_B), 1), END_ID)
    return SentenceBatch(
        places_BT, np.concatenate([first_B1, targets_BT[:, :-1]], axis=1), targets_BT, inside_BT
    )
