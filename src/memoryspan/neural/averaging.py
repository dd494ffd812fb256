"""NT-ASGD: averaging the weights of SGD from where validation stops improving.

Merity et al. (2018), algorithm 1: the trigger is non-monotonic, so that one lucky epoch neither
starts nor prevents it.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.optim.swa_utils import AveragedModel

from memoryspan.neural.network import Network


def begins(losses: Sequence[float], patience: int) -> bool:
    """Whether the last loss is above the best one of more than ``patience`` epochs ago."""
    before = losses[: -patience - 1]
    return bool(before) and losses[-1] > min(before)


class Averaging:
    """The mean of a network's weights over the steps since it began; none before."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.average: AveragedModel | None = None

    def begin(self) -> None:
        """From now on."""
        self.average = AveragedModel(self.network)
        self.average.eval()

    def update(self) -> None:
        """Count the weights after one more step."""
        if self.average is not None:
            self.average.update_parameters(self.network)

    @property
    def evaluated(self) -> Network:
        """The network that validation judges: the average where there is one."""
        if self.average is None or not int(self.average.n_averaged):
            return self.network
        averaged = self.average.module
        assert isinstance(averaged, Network)
        return averaged

    def to(self, device: torch.device) -> None:
        """Bring the average of a checkpoint to where the network is."""
        if self.average is not None:
            self.average.to(device)

    def state_dict(self) -> dict[str, Any]:
        """Tensors; empty before averaging began."""
        return {} if self.average is None else dict(self.average.state_dict())

    def load_state_dict(self, values: dict[str, Any]) -> None:
        """The inverse of ``state_dict``."""
        if values:
            self.begin()
            assert self.average is not None
            self.average.load_state_dict(values)
