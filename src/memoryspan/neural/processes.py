"""What the processes of one training run agree on. Alone, a process agrees with itself.

Values travel as tensors, so nothing is pickled. The collective calls must be made by all
processes at the same step.
"""

import torch
import torch.distributed as dist
from torch import Tensor


def world_size() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def rank() -> int:
    """Which of them this is; 0 writes the files."""
    return dist.get_rank() if dist.is_initialized() else 0


def largest(values: list[float], device: torch.device) -> list[float]:
    """The largest of each value over all processes."""
    return _reduced(values, device, dist.ReduceOp.MAX)


def totals(values: list[float], device: torch.device) -> list[float]:
    """The sum of each value over all processes."""
    return _reduced(values, device, dist.ReduceOp.SUM)


def agree(values: list[float], device: torch.device) -> bool:
    """Whether all processes have the same values."""
    most = largest([*values, *(-value for value in values)], device)
    least = [-value for value in most[len(values) :]]
    return most[: len(values)] == least


def _reduced(
    values: list[float], device: torch.device, operation: dist.ReduceOp.RedOpType
) -> list[float]:
    if world_size() == 1:
        return values
    tensor = torch.tensor(values, dtype=torch.float64, device=device)
    dist.all_reduce(tensor, operation)
    reduced: list[float] = tensor.tolist()
    return reduced


def gathered(tensor: Tensor, device: torch.device) -> list[Tensor]:
    """A tensor of the same shape from every process, on the CPU, by rank."""
    if world_size() == 1:
        return [tensor.cpu()]
    here = tensor.to(device).contiguous()
    everywhere = [torch.empty_like(here) for _ in range(world_size())]
    dist.all_gather(everywhere, here)
    return [each.cpu() for each in everywhere]
