"""Which tokens of a stream a probe looks at: the same for every model."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import Ids
from memoryspan.text.streams import TokenStream

MINIMUM_POSITIONS = 50

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Positions:
    """Sampled positions with enough text before them.

    Attributes:
        at: int64 [P], ascending and different.
        longest: tokens before each that are of the same document, at least.
    """

    at: NDArray[np.int64] = field(repr=False)
    longest: int


def eligible_positions(stream: TokenStream, context: int) -> NDArray[np.int64]:
    """Positions with at least ``context`` tokens of the same document before them."""
    lengths = np.diff(stream.document_bounds)
    in_document = np.arange(len(stream)) - np.repeat(stream.document_bounds[:-1], lengths)
    return np.flatnonzero(in_document >= context).astype(np.int64)


def sample_positions(
    stream: TokenStream, contexts: Sequence[int], count: int, seed: int
) -> Positions:
    """A systematic sample: equal steps from a random start, so spread over the documents.

    Every eligible position is equally likely and none is drawn twice. The context never crosses
    into another document, for what stands there says nothing about the target.

    Args:
        stream: the text.
        contexts: tokens of context that are wanted; the longest for which there are positions
            enough is taken (and it is logged where that is not the longest of all).
        count: positions wanted; where fewer are eligible, all are taken (and it is logged).
        seed: of the start.

    Raises:
        MemoryspanError: no context has enough positions.
    """
    enough = min(count, MINIMUM_POSITIONS)
    for longest in sorted(contexts, reverse=True):
        eligible = eligible_positions(stream, longest)
        if len(eligible) >= enough:
            break
    else:
        needed, longest_document = (
            min(contexts),
            int(np.diff(stream.document_bounds).max(initial=0)),
        )
        raise MemoryspanError(
            f"The text is too short for this probe: it needs {enough} tokens that have {needed} "
            f"tokens of their document before them, and the longest document has "
            f"{longest_document}. Use a longer text, or smaller `context_length.lags` and "
            "`gradient.max_lag`."
        )
    if longest < max(contexts):
        logger.warning(
            "the documents are short: looking back %d tokens, not %d", longest, max(contexts)
        )
    taken = min(count, len(eligible))
    if taken < count:
        logger.warning("the text is short: %d positions, not %d", taken, count)
    step = len(eligible) / taken
    start = np.random.default_rng(seed).uniform(0, step)
    drawn = np.minimum((start + step * np.arange(taken)).astype(np.int64), len(eligible) - 1)
    return Positions(eligible[drawn], longest)


def contexts_before(stream: TokenStream, at: NDArray[np.int64], length: int) -> Ids:
    """The ``length`` tokens before each position, int32 [P, length]."""
    contexts: Ids = stream.ids[at[:, None] + np.arange(-length, 0)]
    return contexts
