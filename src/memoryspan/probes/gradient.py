"""The gradient by lag: how much of a change of state k steps ago is left in the state now.

With s_t the joint state of a recurrent model (every layer; h *and* c of an LSTM, for a Jacobian
with c held fixed drops the very path under test) and v a random vector of independent signs,
E‖vᵀ ∂s_t/∂s_i‖² = ‖∂s_t/∂s_i‖_F² (Hutchinson's estimator), and one backward pass from vᵀ s_t
gives the left side for every i at once. Divided by ‖v‖² = S it is 1 at lag 0; its square root is
the root-mean-square gain of the Jacobian's singular values.

An n-gram or feed-forward model has no state that a gradient could flow through: the probe is
undefined there, not zero. Its counterpart, defined for every model, is influence: how much the
prediction changes when the token at lag k is replaced.

The gradient is of the state, not of the loss: what survives need not be used.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from memoryspan.language_model import Floats, Ids
from memoryspan.probes.gradient_summary import gradient_curve, gradient_summary
from memoryspan.probes.parameters import GradientParameters
from memoryspan.probes.positions import contexts_before, sample_positions
from memoryspan.statistics.clusters import token_clusters
from memoryspan.text.streams import TokenStream

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["gradient_curve", "gradient_items", "gradient_summary", "squared_pulls"]

Stage = Literal["initialisation", "trained"]
Unroll = Callable[["Tensor"], Sequence["Tensor"]]

_BATCH = 16


def gradient_items(
    model: str,
    stage: Stage,
    unroll: Unroll,
    stream: TokenStream,
    parameters: GradientParameters,
    seed: int,
) -> pd.DataFrame:
    """Squared gain of the state's Jacobian at lags 0 … max_lag, at sampled positions.

    Args:
        model: its name.
        stage: of its weights.
        unroll: tokens (torch int64 [B, T], read from the zero state) → T joint states, float64
            [B, S], each of which is computed *from the one before it in the list*. For a network
            of ``memoryspan.neural``, made float64 by ``network.double()``:
            ``lambda tokens: network.unroll(tokens, network.initial_state(len(tokens))).states``.
        stream: held-out text.
        parameters: how many positions, vectors and steps.
        seed: of the positions and vectors.

    Returns:
        One row per position and lag, with the columns model, stage, item, cluster, position (of
        the last token read), distance (lag, tokens) and squared_norm (‖vᵀ ∂s_t/∂s_{t−lag}‖²/‖v‖²,
        the mean over the vectors; 1 at lag 0).

    Raises:
        MemoryspanError: the text is too short for even a lag of 3.
        ValueError: the states are not float64, or do not depend on each other.
    """
    reaches = range(parameters.warm_up + 3, parameters.warm_up + parameters.max_lag + 1)
    positions = sample_positions(stream, reaches, parameters.positions, seed)
    clusters = token_clusters(stream)
    max_lag = positions.longest - parameters.warm_up
    tokens_PT = contexts_before(stream, positions.at + 1, positions.longest + 1)
    rng = np.random.default_rng([seed, 1])
    squared_PK = np.concatenate(
        [
            _squared_gains(unroll, tokens_PT[start : start + _BATCH], max_lag, parameters, rng)
            for start in range(0, len(tokens_PT), _BATCH)
        ]
    )
    count, lags = squared_PK.shape
    names = np.array(clusters.names, dtype=object)[clusters.of_token[positions.at]]
    return pd.DataFrame(
        {
            "model": model,
            "stage": stage,
            "item": np.repeat(np.arange(count), lags),
            "cluster": np.repeat(names, lags),
            "position": np.repeat(positions.at, lags),
            "distance": np.tile(np.arange(lags), count),
            "squared_norm": squared_PK.reshape(-1),
        }
    )


def _squared_gains(
    unroll: Unroll,
    tokens_BT: Ids,
    max_lag: int,
    parameters: GradientParameters,
    rng: np.random.Generator,
) -> Floats:
    """‖vᵀ ∂s_t/∂s_{t−lag}‖²/‖v‖² [B, max_lag + 1], the mean over random v."""
    import torch

    with torch.enable_grad():
        states = unroll(torch.from_numpy(tokens_BT.astype(np.int64)))[-max_lag - 1 :]
        shape = tuple(states[-1].shape)
        squared_BK = np.zeros((shape[0], max_lag + 1))
        for _ in range(parameters.vectors):
            v_BS = torch.from_numpy(rng.choice([-1.0, 1.0], size=shape))
            squared_BK += squared_pulls(states, v_BS).numpy()[:, ::-1]
    return squared_BK / (parameters.vectors * shape[1])


def squared_pulls(states: Sequence["Tensor"], v_BS: "Tensor") -> "Tensor":
    """‖vᵀ ∂s_T/∂s_i‖² for every state of a sequence, by one backward pass.

    Args:
        states: T joint states, float64 [B, S], each computed from the one before it.
        v_BS: float64 [B, S].

    Returns:
        float64 [B, T]; the last column is ‖v‖².

    Raises:
        ValueError: the states are not float64, or the last one does not depend on an earlier.
    """
    import torch

    if any(state.dtype != torch.float64 for state in states):
        raise ValueError("gradients over many steps need float64 states: use network.double()")
    pulls = torch.autograd.grad(
        (v_BS * states[-1]).sum(), list(states), retain_graph=True, allow_unused=True
    )
    if any(pull is None for pull in pulls):
        raise ValueError("a state is not computed from the state before it in the list")
    return torch.stack([pull.square().sum(dim=1) for pull in pulls], dim=1)
