"""Cross-entropy of a full softmax in bounded memory: the logits of some places at a time.

Forward computes the gradients as well, so that no [N, V] matrix is ever kept and none is computed
twice (as Liger's fused linear cross-entropy does on GPUs: Hsu et al. 2024).

Legend: N places, n places of a block, V tokens, E features.
"""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# Elements of a block of logits, 16 MB in bfloat16. Matrix products want many rows, and every block
# costs a pass over the gradient of W. (V = 33,000 on one CPU: a quarter of it is 1.4 times slower.)
LOGITS_AT_ONCE = 1 << 23
# What happens between the matrix products takes fewer rows on a CPU, that they stay in its cache;
# on a GPU it takes the whole block, for it is the number of operations that costs there.
LOGITS_IN_CACHE = 1 << 19


class FusedCrossEntropy(torch.autograd.Function):
    """Total smoothed nats, and the nats [N] of the targets themselves (no gradient)."""

    @staticmethod
    def forward(
        ctx: Any,
        output_NE: Tensor,
        weight_VE: Tensor,
        bias_V: Tensor,
        targets_N: Tensor,
        smoothing: float,
        dtype: torch.dtype,
    ) -> tuple[Tensor, Tensor]:
        """−(1 − ε) log P(target) − ε/V Σ_v log P(v), summed over N, with softmax(W o + b).

        Matrix products are made in ``dtype``.
        """
        o_NE, W_VE = output_NE.to(dtype), weight_VE.to(dtype)
        do_NE = torch.empty_like(output_NE)
        dW_VE = torch.zeros_like(weight_VE)
        db_V = torch.zeros_like(bias_V)
        nats_N = torch.empty(len(output_NE), dtype=weight_VE.dtype, device=output_NE.device)
        total = nats_N.new_zeros(())
        for block in _blocks(len(output_NE), LOGITS_AT_ONCE // len(weight_VE)):
            o_nE = o_NE[block]
            d_nV = o_nE @ W_VE.T
            total += _to_gradient(
                d_nV, bias_V, targets_N[block].unsqueeze(1), smoothing, nats_N[block], db_V
            )
            do_NE[block] = d_nV @ W_VE
            dW_VE += d_nV.T @ o_nE
        ctx.save_for_backward(do_NE, dW_VE, db_V)
        ctx.mark_non_differentiable(nats_N)
        return total, nats_N

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dtotal: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of forward times that of the total, in their own memory."""
        do_NE, dW_VE, db_V = ctx.saved_tensors
        return do_NE.mul_(dtotal), dW_VE.mul_(dtotal), db_V.mul_(dtotal), None, None, None


def _blocks(places: int, size: int) -> list[slice]:
    """All places in blocks of at most ``size``, or of one, as equal as can be."""
    count = max(1, -(-places // max(1, size)))
    bounds = [places * number // count for number in range(count + 1)]
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def _to_gradient(
    scores_nV: Tensor,
    bias_V: Tensor,
    targets_n1: Tensor,
    smoothing: float,
    nats_n: Tensor,
    db_V: Tensor,
) -> Tensor:
    """Turn W o into the gradient P − (1 − ε) onehot(target) − ε/V of W o + b, in place.

    Sets ``nats_n``, adds to ``db_V``, and returns the smoothed nats, summed.
    """
    n, vocabulary_size = scores_nV.shape
    total = nats_n.new_zeros(())
    at_once = LOGITS_IN_CACHE // vocabulary_size if scores_nV.device.type == "cpu" else n
    for rows in _blocks(n, at_once):
        logits_nV = scores_nV[rows].to(bias_V.dtype).add_(bias_V)
        P_nV = torch.softmax(logits_nV, dim=1)
        # log Σ exp from the largest logit and its probability, which is at least 1/V: the
        # logarithms of all probabilities would have to be exponentiated again.
        normaliser_n = logits_nV.amax(dim=1) - P_nV.amax(dim=1).log()
        nats_n[rows] = normaliser_n - logits_nV.gather(1, targets_n1[rows]).squeeze(1)
        total += (1 - smoothing) * nats_n[rows].sum()
        if smoothing:
            total += smoothing * (normaliser_n - logits_nV.mean(dim=1)).sum()
            P_nV -= smoothing / vocabulary_size
        target_share_n1 = P_nV.new_full((len(P_nV), 1), smoothing - 1)
        P_nV.scatter_add_(1, targets_n1[rows], target_share_n1)
        db_V += P_nV.T @ P_nV.new_ones(len(P_nV))
        scores_nV[rows] = P_nV
    return total


def _matmul_dtype(output_NE: Tensor) -> torch.dtype:
    """What autocast would compute matrix products in."""
    device = output_NE.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return output_NE.dtype


def fused_cross_entropy(
    output_NE: Tensor,
    weight_VE: Tensor,
    bias_V: Tensor,
    targets_N: Tensor,
    smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Total nats over N places, label-smoothed (Szegedy et al. 2016), and nats [N] without.

    Args:
        output_NE: [N, E].
        weight_VE: [V, E].
        bias_V: [V].
        targets_N: int64 [N].
        smoothing: ε, share of a target spread evenly over the vocabulary.
    """
    dtype = _matmul_dtype(output_NE)
    with torch.autocast(output_NE.device.type, enabled=False):
        result: tuple[Tensor, Tensor] = FusedCrossEntropy.apply(  # type: ignore[no-untyped-call]
            output_NE, weight_VE, bias_V, targets_N, smoothing, dtype
        )
    return result
