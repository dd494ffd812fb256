"""A text scored by a network and by its cache, for several caches at once, in bounded memory.

Legend: P places of a text, T places of a block, R rows of a part of it, N cached places, H
hidden units, S settings of the cache.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from memoryspan.language_model import Floats
from memoryspan.neural.adaptation.cache_equations import cache_log_probs
from memoryspan.neural.contexts import Int64s
from memoryspan.neural.model import NeuralLanguageModel

PRODUCTS_AT_ONCE = 1 << 20  # float64: 8 MB
NO_WORD = -1


class CacheSetting(NamedTuple):
    """N, how many places are remembered, and θ."""

    size: int
    flatness: float


@torch.inference_mode()
def stream_log_probs(
    model: NeuralLanguageModel, inputs: Int64s, targets: Int64s, settings: Sequence[CacheSetting]
) -> tuple[Floats, Floats]:
    """log P_vocab [P] and log P_cache [S, P] of a text read from its beginning, nats.

    The latter is NaN where nothing is cached. At a place, the cache has the N places before it.
    """
    largest = max(setting.size for setting in settings)
    log_vocab, log_cache = np.empty(len(targets)), np.empty((len(settings), len(targets)))
    keys = torch.zeros(largest, model.network.hidden_size)
    words = torch.full((largest,), NO_WORD)
    for block, reading in model.readings(inputs):
        log_vocab[block] = model.target_log_probs(reading.output_BTE[0], targets[block])
        keys = torch.cat([keys[-largest:], reading.hidden_BTH[0]])
        words = torch.cat([words[-largest:], torch.from_numpy(targets[block])])
        for rows, products_RN, words_RN in bands(keys, words, largest):
            places = slice(block.start + rows.start, block.start + rows.stop)
            matches_RN = words_RN == words[largest:][rows].unsqueeze(1)
            present_RN = words_RN != NO_WORD if places.start < largest else None
            for number, (size, flatness) in enumerate(settings):
                last = slice(largest - size, None)
                log_cache[number, places] = cache_log_probs(
                    products_RN[:, last],
                    matches_RN[:, last],
                    flatness,
                    None if present_RN is None else present_RN[:, last],
                ).numpy()
    return log_vocab, log_cache


def bands(keys: Tensor, words: Tensor, size: int) -> Iterator[tuple[slice, Tensor, Tensor]]:
    """What the places of a block find in the N places before each of them.

    Args:
        keys: hidden states [N + T, H], those of the block last.
        words: the tokens that followed, int64 [N + T].
        size: N.

    Yields:
        rows of the block, their products h_t·h_i, float64 [R, N], and tokens [R, N].
    """
    total = len(keys) - size
    count = max(1, min(size, PRODUCTS_AT_ONCE // size))
    for start in range(0, total, count):
        rows = slice(start, min(start + count, total))
        reach = slice(rows.start, rows.stop + size - 1)
        products = keys[size:][rows] @ keys[reach].T
        # Row r needs the columns r … r + N − 1: one diagonal band, without copying.
        band_RN = products.as_strided((len(products), size), (products.shape[1] + 1, 1))
        yield rows, band_RN.double(), words[reach].unfold(0, size, 1)
