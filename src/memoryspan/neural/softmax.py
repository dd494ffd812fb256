"""Cross-entropy over the vocabulary: in full, and estimated from a sample while training.

Legend: N places, V tokens, E embedding size, K negatives.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy, embedding

from memoryspan.neural.network import Network

SMOOTHING_POWER = 0.75  # flattens token frequencies before sampling (Mikolov et al. 2013)


def full_nats(network: Network, output_NE: Tensor, targets_N: Tensor) -> Tensor:
    """−log P(target) in nats, float32 [N]."""
    logits_NV = network.logits(output_NE).float()
    return cross_entropy(logits_NV, targets_N, reduction="none")


class SampledSoftmax:
    """An estimate of the cross-entropy from K tokens beside the target, shared by all places.

    The partition function Σ_j exp(s_j) is the target's own term plus a Horvitz–Thompson estimate
    of the others: token j enters the sample with probability π_j and counts 1/π_j, the systematic
    sample of sampling theory (Madow 1949; for language models: Bengio & Senécal 2008, Jean et al.
    2015). π is proportional to a power of the token's frequency, capped at 1, so frequent tokens
    are summed exactly and only the tail is estimated.

    Args:
        counts: [V] occurrences in the training stream.
        negatives: K < V.
    """

    def __init__(self, counts: NDArray[np.int64], negatives: int) -> None:
        self.negatives = negatives
        inclusion_V = inclusion_probabilities(
            np.power(counts + 1.0, SMOOTHING_POWER, dtype=np.float64), negatives
        )
        self.upper_V = torch.from_numpy(inclusion_V.cumsum())
        self.log_inclusion_V = torch.from_numpy(np.log(inclusion_V)).float()

    def sample(self, device: torch.device) -> Tensor:
        """K different token ids, int64 [K]; one draw from torch's global generator."""
        points_K = torch.arange(self.negatives, dtype=torch.float64) + torch.rand(
            1, dtype=torch.float64
        )
        ids_K = torch.searchsorted(self.upper_V, points_K).clamp(max=len(self.upper_V) - 1)
        return ids_K.to(device)

    def nats(self, network: Network, output_NE: Tensor, targets_N: Tensor) -> Tensor:
        """Estimated −log P(target) in nats, float32 [N]."""
        ids_K = self.sample(output_NE.device)
        rows = embedding(torch.cat([ids_K, targets_N]), network.table)
        negative_KE, target_NE = rows[: len(ids_K)], rows[len(ids_K) :]
        correction_K = network.output_bias[ids_K] - self.log_inclusion_V.to(ids_K.device)[ids_K]
        scores_NK = (output_NE @ negative_KE.T).float() + correction_K
        scores_NK = scores_NK.masked_fill(targets_N.unsqueeze(1) == ids_K, -torch.inf)
        target_N = (output_NE * target_NE).float().sum(dim=1) + network.output_bias[targets_N]
        others_N = scores_NK.logsumexp(dim=1)
        nats_N: Tensor = torch.logaddexp(target_N, others_N) - target_N
        return nats_N


def inclusion_probabilities(weights: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Probabilities [V] proportional to weights, none above 1, that sum to ``size`` < V."""
    inclusion = size * weights / weights.sum()
    while (inclusion > 1).any():
        certain = inclusion >= 1
        rest = size - certain.sum()
        inclusion = rest * weights / weights[~certain].sum()
        inclusion[certain] = 1.0
    return np.asarray(inclusion, dtype=np.float64)
