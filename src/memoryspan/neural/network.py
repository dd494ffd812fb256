"""What all networks share.

Each reads tokens and a state and gives an output of embedding size, from which the output layer
makes probabilities; with tied weights (Inan et al. 2017, Press & Wolf 2017) by the table that also
embeds the input. All can therefore be trained and evaluated by the same code. Not here: losses,
optimisation.

Legend: B sequences, T steps, V tokens, E embedding size, H hidden size.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from memoryspan.neural import initialisation
from memoryspan.neural.cells import State
from memoryspan.neural.output_layers import FullSoftmax, output_layer
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.training_parameters import TrainingParameters

EMBEDDING_SCALE = 4.0  # lifts the small tied table (±0.1) to the size that the cells expect


class Dropouts(NamedTuple):
    """Shares of zeroed words, units or weights while a network is in training mode."""

    word: float = 0.0
    input: float = 0.0
    hidden: float = 0.0
    output: float = 0.0
    recurrent: float = 0.0

    @classmethod
    def of(cls, training: TrainingParameters) -> "Dropouts":
        """The dropouts of a training run."""
        return cls(
            training.word_dropout,
            training.input_dropout,
            training.hidden_dropout,
            training.output_dropout,
            training.recurrent_dropout,
        )


class Reading(NamedTuple):
    """What a network makes of T tokens.

    Attributes:
        output_BTE: for the output layer.
        state: after the last token.
        hidden_BTH: the last hidden layer.
        dropped_BTH: the same after dropout.
    """

    output_BTE: Tensor  # noqa: N815 - shape suffix
    state: list[State]
    hidden_BTH: Tensor  # noqa: N815
    dropped_BTH: Tensor  # noqa: N815


def variational_dropout(x_BTF: Tensor, share: float, training: bool) -> Tensor:
    """Zero the same features at all steps of a sequence (Gal & Ghahramani 2016)."""
    if not training or share == 0:
        return x_BTF
    keep_B1F = torch.rand_like(x_BTF[:, :1]) >= share
    return x_BTF * keep_B1F / (1 - share)


class Network(nn.Module, ABC):
    """What all networks share: embedding, projection, output layer, and the interface.

    Attributes:
        parameters_: the shape, with the hidden size resolved.
        vocabulary_size: V.
        dropouts: used in training mode only; none unless set.
        output_layer: see ``output_layers``.
    """

    def __init__(self, parameters: NetworkParameters, vocabulary_size: int) -> None:
        super().__init__()
        if parameters.hidden_size is None:
            raise ValueError("resolve the hidden size first: sizing.sized(parameters, V)")
        self.parameters_ = parameters
        self.hidden_size = parameters.hidden_size
        self.vocabulary_size = vocabulary_size
        self.dropouts = Dropouts()
        features = parameters.embedding_size if parameters.projection else self.hidden_size
        self.output_layer = output_layer(parameters, vocabulary_size, features)
        self.projection: nn.Module = nn.Identity()
        if parameters.projection:
            self.projection = nn.Linear(self.hidden_size, features)
        self.embedding: nn.Parameter | None = None
        if not parameters.tied:
            self.embedding = nn.Parameter(torch.empty(vocabulary_size, parameters.embedding_size))

    @property
    def table(self) -> Tensor:
        """The embedding of the input [V, E]."""
        if self.embedding is not None:
            return self.embedding
        assert isinstance(self.output_layer, FullSoftmax)  # a tied network has no other
        return self.output_layer.weight

    @abstractmethod
    def initial_state(self, batch_size: int) -> list[State]:
        """The state of sequences that have read nothing: per layer, its tensors."""

    @abstractmethod
    def read(self, tokens_BT: Tensor, state: list[State]) -> Reading:
        """Read T ≥ 1 tokens.

        Args:
            tokens_BT: int64 [B, T].
            state: from ``initial_state`` or an earlier call.
        """

    def forward(self, tokens_BT: Tensor, state: list[State]) -> tuple[Tensor, list[State]]:
        """Output [B, T, E] and state of ``read``."""
        reading = self.read(tokens_BT, state)
        return reading.output_BTE, reading.state

    @abstractmethod
    def nothing_read(self, batch_size: int) -> Tensor:
        """The output [B, E] of sequences that have read nothing."""

    @abstractmethod
    def forget(self, state: list[State], forget_B: Tensor) -> list[State]:
        """The state with those sequences back at their beginning where ``forget_B`` is true."""

    @abstractmethod
    def carried(self, state: list[State]) -> list[State]:
        """The state as the next chunk of truncated BPTT begins with it: no gradient."""

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights."""
        self.output_layer.initialise(generator)
        if self.embedding is not None:
            initialisation.embedding(self.embedding, generator)
        if isinstance(self.projection, nn.Linear):
            initialisation.linear_layer(self.projection, generator)
        self.initialise_hidden(generator)

    @abstractmethod
    def initialise_hidden(self, generator: torch.Generator) -> None:
        """Draw the weights of the hidden layers."""

    @property
    def context_order(self) -> int | None:
        """How many tokens of context can matter; None: unbounded."""
        return None

    def embed(self, tokens_BT: Tensor) -> Tensor:
        """Input embeddings [B, T, E], with dropout in training mode."""
        x_BTE = EMBEDDING_SCALE * embedding(tokens_BT, self.table)
        if self.training and self.dropouts.word:
            # By type, not by place: a dropped word is gone from the whole chunk (Gal 2016).
            kept_V = torch.rand(self.vocabulary_size, device=x_BTE.device) >= self.dropouts.word
            x_BTE = x_BTE * (kept_V[tokens_BT].unsqueeze(2) / (1 - self.dropouts.word))
        return variational_dropout(x_BTE, self.dropouts.input, self.training)

    @property
    def parameter_count(self) -> int:
        """Number of trained weights."""
        return sum(parameter.numel() for parameter in self.parameters())
