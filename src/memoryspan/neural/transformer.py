"""A small Transformer decoder, as contrast to the recurrent networks.

Every layer attends to the last W places of the layer below, its own place among them (sliding
window: Beltagy et al. 2020), so that L layers reach L·(W − 1) tokens back, and keys and values
that are carried from chunk to chunk give exactly what one long reading gives. Distance enters as
a penalty on attention that grows linearly (ALiBi: Press et al. 2022).

Legend: B sequences, T steps, E embedding size, H hidden size, A heads, D features of a head,
C = W − 1 carried places, P = C + T.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, gelu, scaled_dot_product_attention

from memoryspan.neural import initialisation
from memoryspan.neural.cells import State
from memoryspan.neural.network import Network, Reading
from memoryspan.neural.parameters import NetworkParameters

STEPS_AT_ONCE = 256  # bounds the attention matrix of a long reading
WIDENING = 4  # of the feed-forward sublayer (Vaswani et al. 2017)


def alibi_slopes(heads: int) -> list[float]:
    """2^(−8a/A) for head a = 1 … A (Press et al. 2022)."""
    return [2.0 ** (-8.0 * (a + 1) / heads) for a in range(heads)]


def attention_bias(window: int, steps: int, heads: int, device: torch.device) -> Tensor:
    """Float32 [A, T, P]: −slope · distance inside the window, −inf outside it."""
    carried = window - 1
    queries_T1 = torch.arange(carried, carried + steps, device=device).unsqueeze(1)
    distance_TP = queries_T1 - torch.arange(carried + steps, device=device)
    outside_TP = (distance_TP < 0) | (distance_TP >= window)
    slopes_A11 = torch.tensor(alibi_slopes(heads), device=device).view(-1, 1, 1)
    return (-slopes_A11 * distance_TP).masked_fill(outside_TP, -torch.inf)


class Block(nn.Module):
    """x + attention(norm(x)), then x + feed-forward(norm(x)) (pre-norm: Xiong et al. 2020)."""

    def __init__(self, hidden_size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.inner = heads * max(1, hidden_size // heads)
        self.attention_norm = nn.LayerNorm(hidden_size)
        self.queries_keys_values = nn.Linear(hidden_size, 3 * self.inner)
        self.attended = nn.Linear(self.inner, hidden_size)
        self.feedforward_norm = nn.LayerNorm(hidden_size)
        self.widen = nn.Linear(hidden_size, WIDENING * hidden_size)
        self.narrow = nn.Linear(WIDENING * hidden_size, hidden_size)

    def forward(
        self, x_BTH: Tensor, before: State, bias_BATP: Tensor, share: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """One layer: its output, and all keys and values [B, P, inner] that it saw."""
        q, k, v = self.queries_keys_values(self.attention_norm(x_BTH)).chunk(3, dim=2)
        keys = torch.cat([before[0].to(k.dtype), k], dim=1)
        values = torch.cat([before[1].to(v.dtype), v], dim=1)
        attended = scaled_dot_product_attention(
            self._by_head(q),
            self._by_head(keys),
            self._by_head(values),
            attn_mask=bias_BATP.to(q.dtype),
        )
        y_BTH = self.attended(attended.transpose(1, 2).flatten(start_dim=2))
        x_BTH = x_BTH + dropout(y_BTH, share, self.training)
        y_BTH = self.narrow(gelu(self.widen(self.feedforward_norm(x_BTH))))
        return x_BTH + dropout(y_BTH, share, self.training), keys, values

    def _by_head(self, x: Tensor) -> Tensor:
        """[B, P, A·D] → [B, A, P, D]."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)


class TransformerNetwork(Network):
    """Embedding → L blocks → layer normalisation → projection → output layer.

    The state of a layer is the keys and values of the last W − 1 places, and which of those
    places hold a token of this sequence.
    """

    def __init__(self, parameters: NetworkParameters, vocabulary_size: int) -> None:
        super().__init__(parameters, vocabulary_size)
        self.window, self.heads = parameters.window, parameters.heads
        self.enter = nn.Linear(parameters.embedding_size, self.hidden_size)
        blocks = [Block(self.hidden_size, self.heads) for _ in range(parameters.layers)]
        self.layers = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(self.hidden_size)
        self.inner = blocks[0].inner

    @property
    def context_order(self) -> int:
        """L·(W − 1) + 1."""
        return len(self.layers) * (self.window - 1) + 1

    def initial_state(self, batch_size: int) -> list[State]:
        """Per layer: keys, values [B, C, inner], and no place valid [B, C]."""
        nothing = self.table.new_zeros(batch_size, self.window - 1, self.inner)
        valid = torch.zeros(nothing.shape[:2], dtype=torch.bool, device=nothing.device)
        return [(nothing, nothing, valid) for _ in self.layers]

    def read(self, tokens_BT: Tensor, state: list[State]) -> Reading:
        """See ``Network.read``; a long text is read in pieces."""
        readings = []
        for x_BTE in torch.split(self.embed(tokens_BT), STEPS_AT_ONCE, dim=1):
            readings.append(self._read_embeddings(x_BTE, state))
            state = readings[-1].state
        if len(readings) == 1:
            return readings[0]
        return Reading(
            torch.cat([reading.output_BTE for reading in readings], dim=1),
            state,
            torch.cat([reading.hidden_BTH for reading in readings], dim=1),
            torch.cat([reading.dropped_BTH for reading in readings], dim=1),
        )

    def _read_embeddings(self, x_BTE: Tensor, state: list[State]) -> Reading:
        x_BTH = self.enter(x_BTE)
        valid_BC = state[0][2]
        valid_BP = torch.cat([valid_BC, valid_BC.new_ones(x_BTE.shape[:2])], dim=1)
        bias_ATP = attention_bias(self.window, x_BTE.shape[1], self.heads, x_BTE.device)
        bias_BATP = bias_ATP.masked_fill(~valid_BP[:, None, None, :], -torch.inf)
        start = valid_BP.shape[1] - (self.window - 1)
        new_state: list[State] = []
        for block, before in zip(self.layers, state, strict=True):
            x_BTH, keys, values = block(x_BTH, before, bias_BATP, self.dropouts.hidden)
            new_state.append((keys[:, start:], values[:, start:], valid_BP[:, start:]))
        h_BTH = self.norm(x_BTH)
        dropped_BTH = dropout(h_BTH, self.dropouts.output, self.training)
        return Reading(self.projection(dropped_BTH), new_state, h_BTH, dropped_BTH)

    def nothing_read(self, batch_size: int) -> Tensor:
        """See ``Network.nothing_read``: one place with the zero vector in place of a token."""
        nothing = self.table.new_zeros(batch_size, 1, self.parameters_.embedding_size)
        return self._read_embeddings(nothing, self.initial_state(batch_size)).output_BTE[:, 0]

    def forget(self, state: list[State], forget_B: Tensor) -> list[State]:
        """See ``Network.forget``."""
        forget_B1, forget_B11 = forget_B.unsqueeze(1), forget_B.view(-1, 1, 1)
        return [
            (
                keys.masked_fill(forget_B11, 0.0),
                values.masked_fill(forget_B11, 0.0),
                valid & ~forget_B1,
            )
            for keys, values, valid in state
        ]

    def carried(self, state: list[State]) -> list[State]:
        """Detached: no gradient flows into keys and values of the chunk before."""
        return [tuple(tensor.detach() for tensor in layer) for layer in state]

    def initialise_hidden(self, generator: torch.Generator) -> None:
        """Glorot's; the ends of the residual branches smaller by √(2L) (Radford et al. 2019)."""
        for module in self.modules():
            initialisation.normalisation(module)
        initialisation.linear_layer(self.enter, generator)
        for block in self.layers:
            assert isinstance(block, Block)
            for layer in (block.queries_keys_values, block.widen, block.attended, block.narrow):
                initialisation.linear_layer(layer, generator)
            for layer in (block.attended, block.narrow):
                layer.weight.div_((2 * len(self.layers)) ** 0.5)
