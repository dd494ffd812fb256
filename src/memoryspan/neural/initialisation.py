"""How weights are drawn. All draws come from the generator that is handed in.

Legend: as in ``cells``: matrices of G gates stacked by rows, [G·H, …].
"""

import math

import torch
from torch import Tensor, nn

from memoryspan.neural.cells import Weights
from memoryspan.neural.parameters import NetworkParameters

TABLE_RANGE = 0.1


def embedding(table_VE: Tensor, generator: torch.Generator) -> None:
    """An embedding of its own, as small as a tied one."""
    nn.init.uniform_(table_VE, -TABLE_RANGE, TABLE_RANGE, generator=generator)


def linear_layer(layer: nn.Module, generator: torch.Generator) -> None:
    """Uniform in ±√(6/(inputs + outputs)) (Glorot & Bengio 2010), no bias."""
    assert isinstance(layer, nn.Linear)
    nn.init.xavier_uniform_(layer.weight, generator=generator)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


def normalisation(norm: nn.Module) -> None:
    """The identity at the beginning."""
    if isinstance(norm, nn.LayerNorm):
        nn.init.ones_(norm.weight)
        nn.init.zeros_(norm.bias)


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
    elif parameters.kind == "gru" and parameters.chrono_length:
        _, z, _ = weights.b_ih.chunk(3)  # z keeps the past, as f does
        z.uniform_(1, parameters.chrono_length - 1, generator=generator).log_()


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
