"""Recurrent networks, on torch's fused kernels and, for the probes, on the equation cells.

Legend: B sequences, T steps, E embedding size, H hidden size, F features into a layer, S joint
state.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import embedding

from memoryspan.neural import initialisation
from memoryspan.neural.cells import State, Weights, cell_of
from memoryspan.neural.network import EMBEDDING_SCALE, Network, Reading, variational_dropout
from memoryspan.neural.parameters import NetworkParameters

KERNEL_WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
CARRIED_BOUND = 10.0  # on the unbounded state of ReLU units, at the borders of chunks


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
    outputs_BTE: Tensor  # noqa: N815 - shape suffix
    gates: list[list[dict[str, Tensor]]]


class RecurrentNetwork(Network):
    """Embedding → L recurrent layers (with layer normalisation between) → projection → output."""

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
        self.norms = nn.ModuleList(
            nn.LayerNorm(self.hidden_size) if parameters.layer_norm else nn.Identity()
            for _ in sizes
        )
        self.cell = cell_of(parameters.kind, parameters.activation)
        self.tensors_per_layer = 2 if parameters.kind == "lstm" else 1

    def initial_state(self, batch_size: int) -> list[State]:
        """Zeros [B, H]: (h,) per layer, (h, c) of an LSTM."""
        zeros = self.table.new_zeros(batch_size, self.hidden_size)
        return [(zeros,) * self.tensors_per_layer for _ in self.layers]

    def read(self, tokens_BT: Tensor, state: list[State]) -> Reading:
        """See ``Network.read``."""
        dropped_BTF = self.embed(tokens_BT)
        last = len(self.layers) - 1
        new_state = []
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            h_BTH, after = self._run_layer(layer, dropped_BTF, state[number])
            h_BTH = norm(h_BTH)
            share = self.dropouts.output if number == last else self.dropouts.hidden
            dropped_BTF = variational_dropout(h_BTH, share, self.training)
            new_state.append(after)
        return Reading(self.projection(dropped_BTF), new_state, h_BTH, dropped_BTF)

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
        for x_BE in x_BTE.unbind(1):
            new_state, step_gates = self._unrolled_step(x_BE, self.split(joint))
            joint = self.joint(new_state)
            joint.retain_grad()
            states.append(joint)
            outputs.append(self._output(self.split(joint)[-1]))
            gates.append(step_gates)
        return Unrolled(states, torch.stack(outputs, dim=1), gates)

    def _unrolled_step(
        self, x_BF: Tensor, state: list[State]
    ) -> tuple[list[State], list[dict[str, Tensor]]]:
        """All layers by one token: their new states and gates."""
        steps = []
        for layer, norm, before in zip(self.layers, self.norms, state, strict=True):
            steps.append(self.cell(x_BF, before, weights_of(layer)))
            x_BF = norm(steps[-1].state[0])
        return [step.state for step in steps], [dict(step.gates) for step in steps]

    def _output(self, last_layer: State) -> Tensor:
        """The output [B, E] from the state of the last layer."""
        output_BE: Tensor = self.projection(self.norms[-1](last_layer[0]))
        return output_BE

    @staticmethod
    def joint(state: list[State]) -> Tensor:
        """All tensors of a state side by side, [B, S]: h (and c) of layer 1, then of layer 2, …."""
        return torch.cat([tensor for layer_state in state for tensor in layer_state], dim=1)

    def split(self, joint_BS: Tensor) -> list[State]:
        """The inverse of ``joint``."""
        n = self.tensors_per_layer
        tensors = joint_BS.chunk(n * len(self.layers), dim=1)
        return [tuple(tensors[i : i + n]) for i in range(0, len(tensors), n)]

    def nothing_read(self, batch_size: int) -> Tensor:
        """See ``Network.nothing_read``."""
        return self._output(self.initial_state(batch_size)[-1])

    def forget(self, state: list[State], forget_B: Tensor) -> list[State]:
        """See ``Network.forget``."""
        forget_B1 = forget_B.unsqueeze(1)
        return [tuple(t.masked_fill(forget_B1, 0.0) for t in layer) for layer in state]

    def carried(self, state: list[State]) -> list[State]:
        """Detached; of ReLU units also bounded, or the carried state can blow up."""
        if self.parameters_.kind == "rnn" and self.parameters_.activation == "relu":
            return [tuple(t.detach().clamp(max=CARRIED_BOUND) for t in layer) for layer in state]
        return [tuple(t.detach() for t in layer) for layer in state]

    def initialise_hidden(self, generator: torch.Generator) -> None:
        """See ``initialisation``."""
        for layer in self.layers:
            initialisation.recurrent_layer(weights_of(layer), self.parameters_, generator)
        for norm in self.norms:
            initialisation.normalisation(norm)
