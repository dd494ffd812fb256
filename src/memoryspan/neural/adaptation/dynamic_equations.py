"""The update of dynamic evaluation (Krause, Kahembwe, Murray & Renals 2018).

After every chunk s_i of the text the weights θ take a step, from the trained ones θ_g:

    θ_i = θ_{i−1} − η ∇L(s_i) + λ (θ_g − θ_{i−1})                                  (SGD)
    θ_i = θ_{i−1} − η ∇L(s_i) / (√MS_g + ε) + λ RMS_norm ∘ (θ_g − θ_{i−1})         (RMS)

with L the mean nats per token of a chunk, MS_g the mean of ∇L² over the training text, and
RMS_norm = √MS_g / avg(√MS_g), where λ RMS_norm is at most 1: weights whose gradient is usually
large take smaller steps and are drawn back more strongly.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor


class Step(NamedTuple):
    """What one tensor of weights is multiplied by in every update; of its shape, or one number.

    Attributes:
        rate: of the gradient.
        pull: of the distance to the trained weights, at most 1.
    """

    rate: Tensor
    pull: Tensor


def sgd_steps(names: Iterable[str], learning_rate: float, decay: float) -> dict[str, Step]:
    """η and λ, the same for all weights."""
    step = Step(torch.tensor(learning_rate), torch.tensor(decay))
    return dict.fromkeys(names, step)


def rms_steps(
    mean_squares: Mapping[str, Tensor], learning_rate: float, decay: float, epsilon: float
) -> dict[str, Step]:
    """η / (√MS_g + ε) and min(1, λ RMS_norm), by the name of the weights.

    Args:
        mean_squares: MS_g of all weights by name.
        learning_rate: η.
        decay: λ.
        epsilon: ε.
    """
    roots = {name: squares.sqrt() for name, squares in mean_squares.items()}
    count = sum(root.numel() for root in roots.values())
    average = sum(float(root.sum(dtype=torch.float64)) for root in roots.values()) / count
    share = decay / average if average > 0 else 0.0
    return {
        name: Step(learning_rate / (root + epsilon), (share * root).clamp_(max=1.0))
        for name, root in roots.items()
    }


@torch.no_grad()
def update(weights: Tensor, trained: Tensor, gradient: Tensor, step: Step) -> None:
    """Move the weights θ by one step, in place."""
    weights.lerp_(trained, step.pull.to(weights.dtype))
    weights.addcmul_(gradient, step.rate.to(weights.dtype), value=-1)
