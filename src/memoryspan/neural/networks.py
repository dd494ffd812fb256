"""The two networks: recurrent layers, and a feed-forward network with a fixed window.

Both read tokens and a state and give an output of embedding size, which the shared embedding
table turns into logits (tied weights: Inan et al. 2017, Press & Wolf 2017). Both can therefore be
trained and evaluated by the same code. Not here: losses, optimisation, probabilities.

Legend: B sequences, T steps, V tokens, E embedding size, H hidden size, W window, S joint state.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import embedding, linear

from memoryspan.neural import initialisation
from memoryspan.neural.cells import State, Weights, cell_of
from memoryspan.neural.parameters import NetworkParameters, TrainingParameters

NOTHING = -1  # in place of a token id: no token there, its embedding is the zero vector
EMBEDDING_SCALE = 4.0  # lifts the small tied table (±0.1) to the size that the cells expect
CARRIED_BOUND = 10.0  # on the unbounded state of ReLU units, at the borders of chunks


KERNEL_WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


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
        return linear(output, self.table, self.output_bias)

    @property
    def parameter_count(self) -> int:
        """Number of trained weights."""
        return sum(parameter.numel() for parameter in self.parameters())


def weights_of(layer: nn.Module) -> Weights:
    """The weights of one of torch's single-layer recurrent kernels."""
    return Weights(*(getattr(layer, f"{name}_l0") for name in KERNEL_WEIGHTS))


class Unrolled(NamedTuple):
    """A recurrent network run step by step.

    Attributes:
        states: T joint states [B, S], S = layers × state tensors × H; each depends on the one
            before it, and retains its gradient.
        outputs_BTE: the output of every step.
        gates: per step, per layer, the gates by their letters, each [B, H].
    """

    states: list[Tensor]
    outputs_BTE: Tensor
    gates: list[list[dict[str, Tensor]]]


class RecurrentNetwork(Network):
    """Embedding → L recurrent layers → projection → tied output layer."""

    def __init__(self, parameters: NetworkParameters, vocabulary_size: int) -> None:
        super().__init__(parameters, vocabulary_size)
        kernel: Any = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[parameters.kind]
        # nn.RNN knows no sigmoid: its weights are then run by the equation cell.
        self.fused = parameters.kind != "rnn" or parameters.activation != "sigmoid"
        if parameters.kind == "rnn" and self.fused:
            options = {"nonlinearity": parameters.activation}
        else:
            options = {}
        sizes = [parameters.embedding_size] + [self.hidden_size] * (parameters.layers - 1)
        self.layers = nn.ModuleList(
            kernel(size, self.hidden_size, batch_first=True, **options) for size in sizes
        )
        self.cell = cell_of(parameters.kind, parameters.activation)
        self.tensors_per_layer = 2 if parameters.kind == "lstm" else 1

    def initial_state(self, batch_size: int) -> list[State]:
        """Zeros [B, H]: (h,) per layer, (h, c) of an LSTM."""
        zeros = self.table.new_zeros(batch_size, self.hidden_size)
        return [(zeros,) * self.tensors_per_layer for _ in self.layers]

    def forward(self, tokens_BT: Tensor, state: list[State]) -> tuple[Tensor, list[State]]:
        """See ``Network.forward``."""
        x_BTF = self.embed(tokens_BT)
        new_state = []
        for layer, layer_state in zip(self.layers, state, strict=True):
            x_BTF, layer_state = self._run_layer(layer, x_BTF, layer_state)
            x_BTF = variational_dropout(x_BTF, self.dropouts.output, self.training)
            new_state.append(layer_state)
        return self.projection(x_BTF), new_state

    def _run_layer(self, layer: nn.Module, x_BTF: Tensor, state: State) -> tuple[Tensor, State]:
        weights = self._weights(layer)
        if not self.fused:
            outputs = []
            for x_BF in x_BTF.unbind(1):
                state = self.cell(x_BF, state, weights).state
                outputs.append(state[0])
            return torch.stack(outputs, dim=1), state
        # The kernels want a leading layer axis, and a bare tensor where there is no c.
        leading = tuple(tensor.unsqueeze(0) for tensor in state)
        given = leading if len(leading) > 1 else leading[0]
        if self.training and self.dropouts.recurrent:
            output, last = functional_call(layer, {"weight_hh_l0": weights.W_hh}, (x_BTF, given))
        else:
            output, last = layer(x_BTF, given)
        new_state = last if isinstance(last, tuple) else (last,)
        return output, tuple(tensor.squeeze(0) for tensor in new_state)

    def _weights(self, layer: nn.Module) -> Weights:
        """The layer's weights, with DropConnect (Merity et al. 2018) in training mode."""
        weights = weights_of(layer)
        dropped = nn.functional.dropout(weights.W_hh, self.dropouts.recurrent, self.training)
        return weights._replace(W_hh=dropped)

    def unroll(self, tokens_BT: Tensor, state: list[State]) -> Unrolled:
        """Run by the equation cells, so that every step's joint state can be differentiated.

        Works in the dtype of the weights (float64 after ``network.double()``), without dropout.

        Args:
            tokens_BT: int64 [B, T].
            state: the state before the first token; gradients stop at it.
        """
        joint = self.joint(state).detach().requires_grad_()
        x_BTE = EMBEDDING_SCALE * embedding(tokens_BT, self.table)
        states, outputs, gates = [], [], []
        for x_BF in x_BTE.unbind(1):
            new_state, step_gates = [], []
            for layer, layer_state in zip(self.layers, self.split(joint), strict=True):
                step = self.cell(x_BF, layer_state, weights_of(layer))
                x_BF = step.state[0]
                new_state.append(step.state)
                step_gates.append(dict(step.gates))
            joint = self.joint(new_state)
            joint.retain_grad()
            states.append(joint)
            outputs.append(self.projection(self.split(joint)[-1][0]))
            gates.append(step_gates)
        return Unrolled(states, torch.stack(outputs, dim=1), gates)

    @staticmethod
    def joint(state: list[State]) -> Tensor:
        """All tensors of a state side by side, [B, S]: h (and c) of layer 1, then of layer 2, …."""
        return torch.cat([tensor for layer_state in state for tensor in layer_state], dim=1)

    def split(self, joint_BS: Tensor) -> list[State]:
        """The inverse of ``joint``."""
        tensors = joint_BS.split(self.hidden_size, dim=1)
        n = self.tensors_per_layer
        return [tuple(tensors[i : i + n]) for i in range(0, len(tensors), n)]

    def nothing_read(self, batch_size: int) -> Tensor:
        """See ``Network.nothing_read``."""
        return self.projection(self.initial_state(batch_size)[-1][0])

    def forget(self, state: list[State], forget_B: Tensor) -> list[State]:
        """See ``Network.forget``."""
        forget_B1 = forget_B.unsqueeze(1)
        return [tuple(t.masked_fill(forget_B1, 0.0) for t in layer) for layer in state]

    def carried(self, state: list[State]) -> list[State]:
        """Detached; of ReLU units also bounded, or the carried state can blow up."""
        if self.parameters_.kind == "rnn" and self.parameters_.activation == "relu":
            return [tuple(t.detach().clamp(max=CARRIED_BOUND) for t in layer) for layer in state]
        return [tuple(t.detach() for t in layer) for layer in state]

    def initialise(self, generator: torch.Generator) -> None:
        """See ``initialisation``."""
        initialisation.output_layer(self.table, self.output_bias, self.projection, generator)
        for layer in self.layers:
            initialisation.recurrent_layer(weights_of(layer), self.parameters_, generator)


class FeedforwardNetwork(Network):
    """Bengio et al. (2003): embeddings of the last W tokens → tanh layer → tied output layer.

    Without their direct connections from input to output. The state is the last W − 1 tokens, so
    no token further back can matter; where there is none, the zero vector stands.
    """

    def __init__(self, parameters: NetworkParameters, vocabulary_size: int) -> None:
        super().__init__(parameters, vocabulary_size)
        self.window = parameters.window
        self.hidden = nn.Linear(self.window * parameters.embedding_size, self.hidden_size)

    def initial_state(self, batch_size: int) -> list[State]:
        """Tokens [B, W − 1], all ``NOTHING``."""
        shape = (batch_size, self.window - 1)
        return [(torch.full(shape, NOTHING, dtype=torch.int64, device=self.table.device),)]

    def forward(self, tokens_BT: Tensor, state: list[State]) -> tuple[Tensor, list[State]]:
        """See ``Network.forward``."""
        ((before_BC,),) = state
        tokens = torch.cat([before_BC, tokens_BT], dim=1)
        x = self.embed(tokens.clamp(min=0)) * (tokens != NOTHING).unsqueeze(2)
        x_BTWE = x.unfold(1, self.window, 1).transpose(2, 3)
        h_BTH = torch.tanh(self.hidden(x_BTWE.flatten(start_dim=2)))
        h_BTH = variational_dropout(h_BTH, self.dropouts.output, self.training)
        return self.projection(h_BTH), [(tokens[:, tokens.shape[1] - self.window + 1 :],)]

    def nothing_read(self, batch_size: int) -> Tensor:
        """See ``Network.nothing_read``."""
        nothing = torch.full((batch_size, 1), NOTHING, device=self.table.device)
        return self(nothing, self.initial_state(batch_size))[0][:, 0]

    def forget(self, state: list[State], forget_B: Tensor) -> list[State]:
        """See ``Network.forget``."""
        forget_B1 = forget_B.unsqueeze(1)
        return [tuple(t.masked_fill(forget_B1, NOTHING) for t in layer) for layer in state]

    def carried(self, state: list[State]) -> list[State]:
        """Token ids have no gradient."""
        return state

    def initialise(self, generator: torch.Generator) -> None:
        """See ``initialisation``."""
        initialisation.output_layer(self.table, self.output_bias, self.projection, generator)
        nn.init.xavier_uniform_(self.hidden.weight, generator=generator)
        nn.init.zeros_(self.hidden.bias)


def build_network(parameters: NetworkParameters, vocabulary_size: int) -> Network:
    """A network whose weights are not drawn yet; draws nothing from torch's global generator."""
    family = FeedforwardNetwork if parameters.kind == "feedforward" else RecurrentNetwork
    with torch.device("meta"):
        network = family(parameters, vocabulary_size)
    return network.to_empty(device="cpu")


def initial_network(parameters: NetworkParameters, vocabulary_size: int, seed: int) -> Network:
    """The network at the beginning of training."""
    network = build_network(parameters, vocabulary_size)
    with torch.no_grad():
        network.initialise(torch.Generator().manual_seed(seed))
    return network
