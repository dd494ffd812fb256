"""Token ids that follow Zipf's law, in memory or in a file. Imports no torch."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DRAWN_AT_ONCE = 1 << 22


def zipf_ids(tokens: int, vocabulary: int, seed: int = 1) -> NDArray[np.int32]:
    """Ids in ``range(vocabulary)``, independent of each other; id r with weight 1/(r + 2.7)."""
    rng = np.random.default_rng(seed)
    cumulated = np.cumsum(1 / (np.arange(vocabulary) + 2.7))
    ids = np.searchsorted(cumulated / cumulated[-1], rng.random(tokens))
    return ids.clip(max=vocabulary - 1).astype(np.int32)


def write_zipf_ids(path: Path, tokens: int, vocabulary: int) -> None:
    """The same as an .npy file, block by block."""
    file = np.lib.format.open_memmap(path, "w+", dtype=np.int32, shape=(tokens,))
    for start in range(0, tokens, DRAWN_AT_ONCE):
        block = min(DRAWN_AT_ONCE, tokens - start)
        file[start : start + block] = zipf_ids(block, vocabulary, seed=start)
    file.flush()
