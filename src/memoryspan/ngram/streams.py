"""What the compiled loops need to know of ids before they read them."""

import numpy as np
from numpy.typing import ArrayLike

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.trie import Ints


def checked_ids(ids: ArrayLike, vocabulary_size: int) -> Ints:
    """Ids as a contiguous read-only int32 array without a copy where possible.

    Raises:
        MemoryspanError: an id is outside the vocabulary (the loops do not check bounds).
    """
    view = np.ascontiguousarray(ids, dtype=np.int32).view()
    if view.size and (view.min() < 0 or view.max() >= vocabulary_size):
        raise MemoryspanError(
            f"A token id is outside the {vocabulary_size} tokens of the vocabulary. "
            "Tokenize the text again with the vocabulary that the model was built on."
        )
    view.flags.writeable = False  # one type for memory maps and arrays: one compilation
    return view
