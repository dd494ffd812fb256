"""The equations of recurrent cells, one step at a time, as the literature writes them.

The networks run on torch's fused kernels; these cells are the same functions (a test proves it)
on the same weights, and they serve what a fused kernel cannot show: gates and the gradient of
every step. Not here: dropout, batching over time, anything about training.

Legend: B sequences, I inputs, H hidden units. A weight matrix of a cell with G gates is stacked
by rows as in torch, ``W_ih`` [G·H, I] and ``W_hh`` [G·H, H], in the order that each cell names.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn.functional import linear

from memoryspan.neural.parameters import Activation, Kind

State = tuple[Tensor, ...]


class Weights(NamedTuple):
    """The weights of one layer."""

    W_ih: Tensor
    W_hh: Tensor
    b_ih: Tensor
    b_hh: Tensor


class Step(NamedTuple):
    """What one step gives.

    Attributes:
        state: the new state, (h_BH,) or (h_BH, c_BH).
        gates: the gates by their letters, each [B, H] in (0, 1); none for the plain cell.
    """

    state: State
    gates: Mapping[str, Tensor]


class Cell(Protocol):
    """One step: input [B, I], state, weights → new state and gates."""

    def __call__(self, x_BI: Tensor, state: State, weights: Weights) -> Step:
        """Take the step."""
        ...


ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu, "sigmoid": torch.sigmoid}


def rnn_cell(activation: Activation) -> Cell:
    """Elman (1990): h_t = σ(W_ih x_t + b_ih + W_hh h_{t−1} + b_hh)."""
    sigma = ACTIVATIONS[activation]

    def step(x_BI: Tensor, state: State, weights: Weights) -> Step:
        (h_BH,) = state
        W_ih, W_hh, b_ih, b_hh = weights
        return Step((sigma(linear(x_BI, W_ih, b_ih) + linear(h_BH, W_hh, b_hh)),), {})

    return step


def gru_cell(x_BI: Tensor, state: State, weights: Weights) -> Step:
    """Cho et al. (2014), with the reset gate after the product. Rows: r, z, candidate.

    h_t = (1 − z) ∘ tanh(W x_t + r ∘ (U h_{t−1})) + z ∘ h_{t−1}: z near 1 keeps the past.
    """
    (h_BH,) = state
    W_ih, W_hh, b_ih, b_hh = weights
    r_x, z_x, n_x = linear(x_BI, W_ih, b_ih).chunk(3, dim=1)
    r_h, z_h, n_h = linear(h_BH, W_hh, b_hh).chunk(3, dim=1)
    r = torch.sigmoid(r_x + r_h)
    z = torch.sigmoid(z_x + z_h)
    candidate = torch.tanh(n_x + r * n_h)
    return Step(((1 - z) * candidate + z * h_BH,), {"r": r, "z": z})


def lstm_cell(x_BI: Tensor, state: State, weights: Weights) -> Step:
    """Hochreiter & Schmidhuber (1997), Gers et al. (2000); no peepholes. Rows: i, f, g, o.

    c_t = f ∘ c_{t−1} + i ∘ g and h_t = o ∘ tanh(c_t).
    """
    h_BH, c_BH = state
    W_ih, W_hh, b_ih, b_hh = weights
    i, f, g, o = (linear(x_BI, W_ih, b_ih) + linear(h_BH, W_hh, b_hh)).chunk(4, dim=1)
    i, f, o = torch.sigmoid(i), torch.sigmoid(f), torch.sigmoid(o)
    c_BH = f * c_BH + i * torch.tanh(g)
    return Step((o * torch.tanh(c_BH), c_BH), {"i": i, "f": f, "o": o})


def cell_of(kind: Kind, activation: Activation) -> Cell:
    """The cell of a recurrent kind of network."""
    if kind == "rnn":
        return rnn_cell(activation)
    return {"gru": gru_cell, "lstm": lstm_cell}[kind]
