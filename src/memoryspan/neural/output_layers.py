"""From a network's output to probabilities of the next token.

Legend: N places, V tokens, E features of an output.
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear, log_softmax

from memoryspan.errors import MemoryspanError
from memoryspan.neural.parameters import NetworkParameters

WEIGHT_RANGE = 0.1
TAIL_SHRINKAGE = 4.0  # features of one cluster of the adaptive softmax to those of the next


class OutputLayer(nn.Module, ABC):
    """A distribution over V tokens for each output. Probabilities sum to one in float64."""

    @abstractmethod
    def log_probs(self, output_NE: Tensor) -> Tensor:
        """Log-probabilities, float64 [N, V], nats."""

    @abstractmethod
    def nats(self, output_NE: Tensor, targets_N: Tensor) -> Tensor:
        """−log P(target), nats [N], in the precision of the weights but at least float32."""

    @abstractmethod
    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights."""


class FullSoftmax(OutputLayer):
    """softmax(W o + b). A tied network embeds its input by W too.

    Attributes:
        weight: W [V, E].
        bias: b [V].
    """

    def __init__(self, vocabulary_size: int, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary_size, features))
        self.bias = nn.Parameter(torch.empty(vocabulary_size))

    def logits(self, output_NE: Tensor) -> Tensor:
        """Unnormalised log-probabilities [N, V]."""
        return linear(output_NE, self.weight, self.bias)

    def log_probs(self, output_NE: Tensor) -> Tensor:
        """See ``OutputLayer``."""
        return log_softmax(self.logits(output_NE).double(), dim=-1)

    def nats(self, output_NE: Tensor, targets_N: Tensor) -> Tensor:
        """See ``OutputLayer``."""
        logits_NV = self.logits(output_NE)
        if logits_NV.dtype != torch.float64:
            logits_NV = logits_NV.float()
        return cross_entropy(logits_NV, targets_N, reduction="none")

    def initialise(self, generator: torch.Generator) -> None:
        """Uniform in ±0.1, no bias."""
        nn.init.uniform_(self.weight, -WEIGHT_RANGE, WEIGHT_RANGE, generator=generator)
        nn.init.zeros_(self.bias)


class AdaptiveSoftmax(OutputLayer):
    """Grave et al. (2017): frequent tokens first, rare ones in clusters of fewer features.

    Counts on ids in the order of falling frequency, as our vocabularies have them.

    Raises:
        MemoryspanError: if the cutoffs do not fit the vocabulary or the number of features.
    """

    def __init__(self, vocabulary_size: int, features: int, cutoffs: tuple[int, ...]) -> None:
        super().__init__()
        inside = [cutoff for cutoff in cutoffs if 0 < cutoff < vocabulary_size]
        if not inside:
            raise MemoryspanError(
                f"No cutoff of the adaptive output layer, {list(cutoffs)}, lies inside the"
                f" vocabulary of {vocabulary_size:,} tokens. Lower `cutoffs`, or set output_layer"
                " to full."
            )
        if features < TAIL_SHRINKAGE ** len(inside):
            raise MemoryspanError(
                f"The adaptive output layer divides {features} features by {TAIL_SHRINKAGE:g} per"
                f" cluster, so {len(inside)} cutoffs need {TAIL_SHRINKAGE ** len(inside):g} of"
                " them. Raise embedding_size (hidden_size without projection), or give fewer"
                " `cutoffs`."
            )
        self.layer = nn.AdaptiveLogSoftmaxWithLoss(
            features, vocabulary_size, inside, div_value=TAIL_SHRINKAGE, head_bias=True
        )

    def log_probs(self, output_NE: Tensor) -> Tensor:
        """See ``OutputLayer``."""
        return log_softmax(self.layer.log_prob(output_NE).double(), dim=-1)

    def nats(self, output_NE: Tensor, targets_N: Tensor) -> Tensor:
        """See ``OutputLayer``; torch's layer cannot run under autocast (pytorch issue 44724)."""
        with torch.autocast(output_NE.device.type, enabled=False):
            output_NE = output_NE.to(self.layer.head.weight.dtype)
            log_probs_N: Tensor = self.layer(output_NE, targets_N).output
        # A cluster without a target here has a gradient of zero, not none: other processes, which
        # may have one, would wait for it.
        nothing = sum(0 * weight.sum() for weight in self.layer.tail.parameters())
        return nothing - log_probs_N

    def initialise(self, generator: torch.Generator) -> None:
        """As torch's linear layers: uniform in ±1/√(features)."""
        for parameter in self.layer.parameters():
            bound = parameter.shape[-1] ** -0.5 if parameter.ndim > 1 else 0.0
            nn.init.uniform_(parameter, -bound, bound, generator=generator)


def output_layer(parameters: NetworkParameters, vocabulary_size: int, features: int) -> OutputLayer:
    """The output layer that the parameters ask for, its weights not drawn yet."""
    if parameters.output_layer == "adaptive":
        return AdaptiveSoftmax(vocabulary_size, features, parameters.cutoffs)
    return FullSoftmax(vocabulary_size, features)
