"""Many contexts with nothing before them: in blocks of bounded size.

Legend: B contexts, K tokens of each, V tokens.
"""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memoryspan.language_model import Floats

Int64s = NDArray[np.int64]

TOKENS_AT_ONCE = 16_384  # tokens of a block of contexts


def windows(inputs: Int64s, window: int) -> Iterator[tuple[Int64s, Int64s]]:
    """The last ``window`` inputs before every place from ``window`` on, block by block.

    Yields:
        places [B], counted from ``window``, and contexts [B, window].
    """
    size = max(1, TOKENS_AT_ONCE // max(window, 1))
    for start in range(0, max(0, len(inputs) - window), size):
        rows = np.arange(start, min(start + size, len(inputs) - window))
        yield rows, inputs[1 + rows[:, np.newaxis] + np.arange(window)]


def rows_of_distinct(
    contexts: Int64s, vocabulary_size: int, log_probs_of: Callable[[Tensor], Floats]
) -> Floats:
    """Rows [B, V] of contexts [B, K]; each distinct one is computed once, so equal ones agree."""
    distinct, which = np.unique(contexts, axis=0, return_inverse=True)
    size = max(1, TOKENS_AT_ONCE // max(distinct.shape[1], 1))
    blocks = [
        log_probs_of(torch.from_numpy(distinct[start : start + size]))
        for start in range(0, len(distinct), size)
    ]
    if not blocks:
        return np.empty((0, vocabulary_size))
    return np.concatenate(blocks)[which.reshape(-1)]
