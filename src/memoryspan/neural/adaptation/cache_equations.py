"""The equations of the continuous cache (Grave, Joulin & Usunier 2017).

    P_cache(w|h) ∝ Σ_i 1[w = x_{i+1}] exp(θ h_t·h_i)                     (equation 2)
    P(w|h) = (1 − λ) P_vocab(w|h) + λ P_cache(w|h)                       (equation 3)

over the last N places i whose next token x_{i+1} is known. Everything after the products h_t·h_i
is float64.

Legend: B places, N cached places, V tokens.
"""

import numpy as np
import torch
from torch import Tensor

from memoryspan.language_model import Floats


def cache_log_probs(
    products_BN: Tensor, matches_BN: Tensor, flatness: float, present_BN: Tensor | None = None
) -> Tensor:
    """log P_cache of one token at each place, nats [B]; NaN where nothing is cached.

    Args:
        products_BN: h_t·h_i, float64.
        matches_BN: whether the token is the one that followed place i.
        flatness: θ ≥ 0.
        present_BN: which places are in the cache; None: all of them.
    """
    weights_BN = cache_weights(products_BN, flatness, present_BN)
    matching_B = torch.where(matches_BN, weights_BN, 0.0).sum(dim=1)
    return matching_B.log() - weights_BN.sum(dim=1).log()


def cache_distribution(
    products_BN: Tensor, next_BN: Tensor, flatness: float, vocabulary_size: int
) -> Tensor:
    """P_cache of all tokens [B, V], from N ≥ 1 places.

    Args:
        products_BN: h_t·h_i, float64.
        next_BN: int64, the token that followed place i.
        flatness: θ ≥ 0.
        vocabulary_size: V.
    """
    weights_BN = cache_weights(products_BN, flatness)
    probs_BN = weights_BN / weights_BN.sum(dim=1, keepdim=True)
    probs_BV = probs_BN.new_zeros(len(probs_BN), vocabulary_size)
    return probs_BV.scatter_add_(1, next_BN, probs_BN)


def cache_weights(products_BN: Tensor, flatness: float, present_BN: Tensor | None = None) -> Tensor:
    """exp(θ h_t·h_i) divided by the largest of its row [B, N]; 0 where a place is not present."""
    if present_BN is None:
        largest_B1 = products_BN.amax(dim=1, keepdim=True)
        return (flatness * (products_BN - largest_B1)).exp_()
    largest_B1 = products_BN.masked_fill(~present_BN, -torch.inf).amax(dim=1, keepdim=True)
    # absent places become finite first: θ may be 0, and 0 · ∞ is no number
    differences_BN = torch.where(present_BN, products_BN - largest_B1, 0.0)
    return torch.where(present_BN, (flatness * differences_BN).exp_(), 0.0)


def mixed(log_vocab: Floats, log_cache: Floats, weight: float) -> Floats:
    """log P, nats: the model alone where nothing is cached (``log_cache`` is NaN)."""
    if weight == 0:
        return log_vocab
    cached = ~np.isnan(log_cache)
    from_cache = np.where(cached, np.log(weight) + log_cache, -np.inf)
    return np.where(cached, np.logaddexp(np.log1p(-weight) + log_vocab, from_cache), log_vocab)
