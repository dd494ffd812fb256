"""What the recurrent and the feed-forward network share.

Both read tokens and a state and give an output of embedding size, which the shared embedding
table turns into logits (tied weights: Inan et al. 2017, Press & Wolf 2017). Both can therefore be
trained and evaluated by the same code. Not here: losses, optimisation, probabilities.

Legend: B sequences, T steps, V tokens, E embedding size, H hidden size.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, linear

from memoryspan.neural.cells import State
from memoryspan.neural.parameters import NetworkParameters, TrainingParameters

EMBEDDING_SCALE = 4.0  # lifts the small tied table (±0.1) to the size that the cells expect


class Dropouts(NamedTuple):
    """Shares of zeroed units while a network is in training mode."""

    embedding: float = 0.0
    output: float = 0.0
    recurrent: float = 0.0

    @classmethod
    def of(cls, training: TrainingParameters) -> "Dropouts":
        """The dropouts of a training run."""
        return cls(training.embedding_dropout, training.output_dropout, training.recurrent_dropout)


def variational_dropout(x_BTF: Tensor, share: float, training: bool) -> Tensor:
    """Zero the same features at all steps of a sequence (Gal & Ghahramani 2016)."""
    if not training or share == 0:
        return x_BTF
    keep_B1F = torch.rand_like(x_BTF[:, :1]) >= share
    return x_BTF * keep_B1F / (1 - share)


class Network(nn.Module, ABC):
    """What both networks share: the tied table, the projection onto it, and the interface.

    Attributes:
        parameters: the shape, with the hidden size resolved.
        vocabulary_size: V.
        dropouts: used in training mode only; none unless set.
    """

    def __init__(self, parameters: NetworkParameters, vocabulary_size: int) -> None:
        super().__init__()
        if parameters.hidden_size is None:
            raise ValueError("resolve the hidden size first: sizing.sized(parameters, V)")
        self.parameters_ = parameters
        self.hidden_size = parameters.hidden_size
        self.vocabulary_size = vocabulary_size
        self.dropouts = Dropouts()
        self.table = nn.Parameter(torch.empty(vocabulary_size, parameters.embedding_size))
        self.output_bias = nn.Parameter(torch.empty(vocabulary_size))
        self.projection = nn.Linear(self.hidden_size, parameters.embedding_size)

    @abstractmethod
    def initial_state(self, batch_size: int) -> list[State]:
        """The state of sequences that have read nothing: per layer, its tensors."""

    @abstractmethod
    def forward(self, tokens_BT: Tensor, state: list[State]) -> tuple[Tensor, list[State]]:
        """Read T ≥ 1 tokens.

        Args:
            tokens_BT: int64 [B, T].
            state: from ``initial_state`` or an earlier call.

        Returns:
            output [B, T, E] for ``logits``, and the state after the last token.
        """

    @abstractmethod
    def nothing_read(self, batch_size: int) -> Tensor:
        """The output [B, E] of sequences that have read nothing."""

    @abstractmethod
    def forget(self, state: list[State], forget_B: Tensor) -> list[State]:
        """The state with those sequences back at their beginning where ``forget_B`` is true."""

    @abstractmethod
    def carried(self, state: list[State]) -> list[State]:
        """The state as the next chunk of truncated BPTT begins with it: no gradient."""

    @abstractmethod
    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights."""

    def embed(self, tokens_BT: Tensor) -> Tensor:
        """Input embeddings [B, T, E], with dropout in training mode."""
        x_BTE = EMBEDDING_SCALE * embedding(tokens_BT, self.table)
        return variational_dropout(x_BTE, self.dropouts.embedding, self.training)

    def logits(self, output: Tensor) -> Tensor:
        """Unnormalised log-probabilities [..., V] of an output [..., E]."""
        scores: Tensor = linear(output, self.table, self.output_bias)
        return scores

    @property
    def parameter_count(self) -> int:
        """Number of trained weights."""
        return sum(parameter.numel() for parameter in self.parameters())
