"""How weights are drawn. All draws come from the generator that is handed in.

Legend: as in ``cells``: matrices of G gates stacked by rows, [G·H, …].
"""

import math

import torch
from torch import Tensor, nn

from memoryspan.neural.cells import Weights
from memoryspan.neural.parameters import NetworkParameters

TABLE_RANGE = 0.1


def output_layer(
    table_VE: Tensor, bias_V: Tensor, projection: nn.Linear, generator: torch.Generator
) -> None:
    """The tied table, uniform in ±0.1, its bias and the projection onto it."""
    nn.init.uniform_(table_VE, -TABLE_RANGE, TABLE_RANGE, generator=generator)
    nn.init.zeros_(bias_V)
    nn.init.xavier_uniform_(projection.weight, generator=generator)
    nn.init.zeros_(projection.bias)


def recurrent_layer(
    weights: Weights, parameters: NetworkParameters, generator: torch.Generator
) -> None:
    """One recurrent layer; the recurrent matrix of each gate is drawn by itself."""
    hidden_size = weights.W_hh.shape[1]
    bound = 1 / math.sqrt(hidden_size)
    nn.init.uniform_(weights.W_ih, -bound, bound, generator=generator)
    for U in weights.W_hh.chunk(len(weights.W_hh) // hidden_size):
        _recurrent_matrix(U, parameters, generator)
    nn.init.zeros_(weights.b_ih)
    nn.init.zeros_(weights.b_hh)
    if parameters.kind == "lstm":
        _lstm_bias(weights.b_ih, parameters, generator)


def _recurrent_matrix(U: Tensor, parameters: NetworkParameters, generator: torch.Generator) -> None:
    """Orthogonal (Saxe et al. 2014), identity (Le et al. 2015) or torch's uniform ±1/√H."""
    if parameters.recurrent_initialisation == "orthogonal":
        nn.init.orthogonal_(U, generator=generator)
    elif parameters.recurrent_initialisation == "identity":
        nn.init.eye_(U)
    else:
        bound = 1 / math.sqrt(U.shape[1])
        nn.init.uniform_(U, -bound, bound, generator=generator)
    U.mul_(parameters.recurrent_gain)


def _lstm_bias(bias: Tensor, parameters: NetworkParameters, generator: torch.Generator) -> None:
    """Forget gate open (Gers et al. 2000), or chrono: b_f = ln u, u ~ U(1, T − 1), b_i = −b_f."""
    i, f, _, _ = bias.chunk(4)
    if parameters.chrono_length:
        f.uniform_(1, parameters.chrono_length - 1, generator=generator).log_()
        i.copy_(-f)
    else:
        f.fill_(parameters.forget_bias)
