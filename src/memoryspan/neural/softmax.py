"""The loss that training minimises: the cross-entropy over the vocabulary, in full or estimated.

Legend: N places, V tokens, E features of an output, K negatives.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding

from memoryspan.neural.fused_cross_entropy import fused_cross_entropy
from memoryspan.neural.output_layers import FullSoftmax, OutputLayer
from memoryspan.neural.training_parameters import TrainingParameters

SMOOTHING_POWER = 0.75  # flattens token frequencies before sampling (Mikolov et al. 2013)


class Loss(NamedTuple):
    """A loss over N places.

    Attributes:
        total: to be minimised, in nats, summed.
        nats: −log P(target) summed, without label smoothing; no gradient.
    """

    total: Tensor
    nats: Tensor


Objective = Callable[[OutputLayer, Tensor, Tensor], Loss]
"""Output layer, outputs [N, E], targets [N] → loss."""


def objective_of(
    training: TrainingParameters, output_layer: OutputLayer, counts: Callable[[], NDArray[np.int64]]
) -> Objective:
    """The loss of a training run.

    Args:
        training: how.
        output_layer: of the network.
        counts: gives the occurrences [V] in the training stream.
    """
    if not isinstance(output_layer, FullSoftmax):
        return exact
    if 0 < training.negatives < len(output_layer.bias):
        return SampledSoftmax(counts(), training.negatives)
    return FullCrossEntropy(training.label_smoothing)


def exact(output_layer: OutputLayer, output_NE: Tensor, targets_N: Tensor) -> Loss:
    """Whatever the output layer computes."""
    total = output_layer.nats(output_NE, targets_N).sum()
    return Loss(total, total.detach())


class FullCrossEntropy:
    """The cross-entropy of the full softmax, in bounded memory."""

    def __init__(self, label_smoothing: float) -> None:
        self.label_smoothing = label_smoothing

    def __call__(self, output_layer: OutputLayer, output_NE: Tensor, targets_N: Tensor) -> Loss:
        """See ``Objective``."""
        assert isinstance(output_layer, FullSoftmax)  # see objective_of
        total, nats_N = fused_cross_entropy(
            output_NE, output_layer.weight, output_layer.bias, targets_N, self.label_smoothing
        )
        return Loss(total, nats_N.sum())


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

    def sample(self) -> Tensor:
        """K different token ids, int64 [K]; one draw from torch's global generator."""
        points_K = torch.arange(self.negatives, dtype=torch.float64) + torch.rand(
            1, dtype=torch.float64
        )
        return torch.searchsorted(self.upper_V, points_K).clamp(max=len(self.upper_V) - 1)

    def __call__(self, output_layer: OutputLayer, output_NE: Tensor, targets_N: Tensor) -> Loss:
        """See ``Objective``."""
        assert isinstance(output_layer, FullSoftmax)  # see objective_of
        total = self.nats(output_layer, output_NE, targets_N).sum()
        return Loss(total, total.detach())

    def nats(self, output_layer: FullSoftmax, output_NE: Tensor, targets_N: Tensor) -> Tensor:
        """Estimated −log P(target) in nats, float32 [N]."""
        drawn_K = self.sample()
        log_inclusion_K = self.log_inclusion_V[drawn_K].to(output_NE.device)
        ids_K = drawn_K.to(output_NE.device)
        rows = embedding(torch.cat([ids_K, targets_N]), output_layer.weight)
        negative_KE, target_NE = rows[: len(ids_K)], rows[len(ids_K) :]
        correction_K = output_layer.bias[ids_K] - log_inclusion_K
        scores_NK = (output_NE @ negative_KE.T).float() + correction_K
        scores_NK = scores_NK.masked_fill(targets_N.unsqueeze(1) == ids_K, -torch.inf)
        target_N = (output_NE * target_NE).float().sum(dim=1) + output_layer.bias[targets_N]
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
