"""Cross-entropy of a full softmax in bounded memory: the logits of a few places at a time.

Forward computes the gradients as well, so that no [N, V] matrix is ever kept and none is computed
twice (as Liger's fused linear cross-entropy does on GPUs: Hsu et al. 2024).

Legend: N places, n places of a block, V tokens, E features.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

LOGITS_AT_ONCE = 1 << 21  # elements of a block: 8 MB in float32, within a cache


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
    ) -> tuple[Tensor, Tensor]:
        """−(1 − ε) log P(target) − ε/V Σ_v log P(v), summed over N, with softmax(W o + b)."""
        dtype = _matmul_dtype(output_NE)
        o_NE, W_VE = output_NE.to(dtype), weight_VE.to(dtype)
        vocabulary_size = len(weight_VE)
        do_NE = torch.empty_like(output_NE)
        dW_VE = torch.zeros_like(weight_VE)
        db_V = torch.zeros_like(bias_V)
        nats_N = torch.empty(len(output_NE), dtype=weight_VE.dtype, device=output_NE.device)
        total = nats_N.new_zeros(())
        size = max(1, LOGITS_AT_ONCE // vocabulary_size)
        for start in range(0, len(output_NE), size):
            block = slice(start, start + size)
            o_nE, targets_n1 = o_NE[block], targets_N[block].unsqueeze(1)
            log_probs_nV = torch.log_softmax((o_nE @ W_VE.T).to(bias_V.dtype) + bias_V, dim=1)
            nats_N[block] = -log_probs_nV.gather(1, targets_n1).squeeze(1)
            total += (1 - smoothing) * nats_N[block].sum()
            if smoothing:
                total -= smoothing / vocabulary_size * log_probs_nV.sum()
            # ∂/∂logits = P − (1 − ε) onehot(target) − ε/V
            d_nV = log_probs_nV.exp_()
            if smoothing:
                d_nV -= smoothing / vocabulary_size
            d_nV.scatter_add_(
                1, targets_n1, torch.full_like(targets_n1, -(1 - smoothing), dtype=d_nV.dtype)
            )
            db_V += d_nV.sum(dim=0)
            d_nV = d_nV.to(dtype)
            do_NE[block] = d_nV @ W_VE
            dW_VE += d_nV.T @ o_nE
        ctx.save_for_backward(do_NE, dW_VE, db_V)
        ctx.mark_non_differentiable(nats_N)
        return total, nats_N

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dtotal: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of forward times that of the total."""
        do_NE, dW_VE, db_V = ctx.saved_tensors
        return do_NE * dtotal, dW_VE * dtotal, db_V * dtotal, None, None


def _matmul_dtype(output_NE: Tensor) -> torch.dtype:
    """What autocast would compute matrix products in; ours alone decides inside a Function."""
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
    result: tuple[Tensor, Tensor] = FusedCrossEntropy.apply(  # type: ignore[no-untyped-call]
        output_NE, weight_VE, bias_V, targets_N, smoothing
    )
    return result
