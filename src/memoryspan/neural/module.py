"""The LightningModule: truncated BPTT with automatic optimisation.

One batch is one chunk of B streams; the state after it, detached, is the state before the next.
Training and validation have each their own state. Totals of nats and tokens are accumulated here;
what becomes of them (history, checkpoints, stopping) is the callbacks' business.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from pytorch_lightning import LightningModule
from torch import Tensor
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, get_total_norm
from torch.optim import Optimizer

from memoryspan.errors import MemoryspanError
from memoryspan.neural.averaging import Averaging
from memoryspan.neural.batching import IGNORED, Chunk
from memoryspan.neural.cells import State
from memoryspan.neural.network import Dropouts, Network, Reading
from memoryspan.neural.optimizers import optimizer_of
from memoryspan.neural.run_state import RunState
from memoryspan.neural.schedule import learning_rate_share
from memoryspan.neural.softmax import Objective, exact
from memoryspan.neural.training_parameters import TrainingParameters

PLACES_AT_ONCE = 256  # whose logits are in memory together, in validation


class BreakdownError(MemoryspanError):
    """The loss or the gradient of a training run is no longer finite."""


class TruncatedBackpropagation(LightningModule):
    """Trains a network on chunks.

    Args:
        network: updated in place.
        training: how.
        objective: the loss of a chunk.
        total_steps: length of the run where it is counted in epochs.
        run: what has been seen so far; updated in place.
    """

    def __init__(
        self,
        network: Network,
        training: TrainingParameters,
        objective: Objective,
        total_steps: int,
        run: RunState,
    ) -> None:
        super().__init__()
        self.network = network
        self.network.dropouts = Dropouts.of(training)
        self.read: Callable[..., Reading] = network.read
        if training.compile:
            self.read = torch.compile(network.read, dynamic=True)
        self.settings = training
        self.objective = objective
        self.total_steps = total_steps
        self.run = run
        self.averaging = Averaging(network)
        self.carried: list[State] | None = None
        self.tokens_of_step = 0
        self.validation_carried: list[State] | None = None
        self.restore_optimizer: Callable[[Optimizer], None] | None = None
        self.restore_random_state: Callable[[], None] | None = None

    def on_fit_start(self) -> None:
        """Bring the state of a checkpoint to the device."""
        self.averaging.to(self.device)
        if self.carried is not None:
            self.carried = [tuple(t.to(self.device) for t in layer) for layer in self.carried]

    def on_train_start(self) -> None:
        """Go on with the random numbers of a checkpoint."""
        if self.restore_random_state is not None:
            self.restore_random_state()

    def transfer_batch_to_device(
        self, batch: Chunk, device: torch.device, dataloader_idx: int
    ) -> Chunk:
        """To a GPU from pinned memory, so that the copy need not be waited for."""
        if device.type != "cuda":
            return batch
        inputs_BT, targets_BT = (
            t.pin_memory().to(device, non_blocking=True)
            for t in (batch.inputs_BT, batch.targets_BT)
        )
        return batch._replace(inputs_BT=inputs_BT, targets_BT=targets_BT)

    def on_train_batch_start(self, batch: Chunk, batch_idx: int) -> None:
        """Forget the last gradients: the forward pass wants their memory."""
        self.network.zero_grad()

    def training_step(self, chunk: Chunk, batch_idx: int) -> Tensor:
        """Mean nats per token of one chunk, and what regularises the activations.

        The mean is over the tokens of all processes, once their gradients are averaged.
        """
        state = self._state_before(chunk, self.carried)
        if self.settings.reset_share:
            draws_B = torch.rand(len(chunk.inputs_BT)).to(self.device)
            state = self.network.forget(state, draws_B < self.settings.reset_share)
        reading = self.read(chunk.inputs_BT, state)
        self.carried = self.network.carried(reading.state)
        output_NE, targets_N = with_targets(reading.output_BTE, chunk)
        loss = self.objective(self.network.output_layer, output_NE, targets_N)
        self.tokens_of_step = len(targets_N)
        self.run.interval.add_loss(float(loss.nats), len(targets_N))
        return loss.total / chunk.targets_per_process + self._regularisation(reading)

    def _regularisation(self, reading: Reading) -> Tensor | float:
        """α·mean(h²) after dropout + β·mean((h_t − h_{t−1})²) before it (Merity et al. 2018)."""
        penalty: Tensor | float = 0.0
        if self.settings.activation_regularisation:
            square = reading.dropped_BTH.float().square().mean()
            penalty = penalty + self.settings.activation_regularisation * square
        if self.settings.temporal_regularisation and reading.hidden_BTH.shape[1] > 1:
            change = reading.hidden_BTH.float().diff(dim=1).square().mean()
            penalty = penalty + self.settings.temporal_regularisation * change
        return penalty

    def on_validation_epoch_start(self) -> None:
        """Nothing evaluated yet."""
        self.validation_nats, self.validation_tokens = 0.0, 0

    def validation_step(self, chunk: Chunk, batch_idx: int) -> None:
        """Add up the nats of one chunk, with the full softmax."""
        network = self.averaging.evaluated
        state = self._state_before(chunk, self.validation_carried)
        output_BTE, state = network(chunk.inputs_BT, state)
        self.validation_carried = network.carried(state)
        output_NE, targets_N = with_targets(output_BTE, chunk)
        for start in range(0, len(targets_N), PLACES_AT_ONCE):
            block = slice(start, start + PLACES_AT_ONCE)
            loss = exact(network.output_layer, output_NE[block], targets_N[block])
            self.validation_nats += float(loss.nats)
        self.validation_tokens += len(targets_N)

    def _state_before(self, chunk: Chunk, carried: list[State] | None) -> list[State]:
        if chunk.number == 0 or carried is None:
            return self.network.initial_state(len(chunk.inputs_BT))
        return carried

    def configure_gradient_clipping(
        self,
        optimizer: Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """By norm: g ← g · threshold/‖g‖ where ‖g‖ exceeds it (Pascanu et al. 2013). Or by value.

        Notes ‖g‖ before clipping.

        Raises:
            BreakdownError: if the loss or the gradient is not finite; the weights still are.
        """
        norm = self._clipped()
        interval = self.run.interval
        if not (math.isfinite(norm) and math.isfinite(interval.nats)):
            raise BreakdownError(
                f"Training broke down at step {self.run.step + 1}: the gradient norm is {norm},"
                f" the interval's loss {interval.nats:g} nats. Lower learning_rate or"
                " clip_norm, raise warmup_share, or lower recurrent_gain."
            )
        interval.add_gradient_norm(norm)

    def _clipped(self) -> float:
        """Clip the gradients as the settings say; their norm before."""
        parameters = [p for p in self.network.parameters() if p.grad is not None]
        if self.settings.clip_norm is not None:
            return float(clip_grad_norm_(parameters, self.settings.clip_norm))
        norm = float(get_total_norm([p.grad for p in parameters if p.grad is not None]))
        if self.settings.clip_value is not None:
            clip_grad_value_(parameters, self.settings.clip_value)
        return norm

    def configure_optimizers(self) -> Optimizer:
        """The optimizer; its learning rate is set before every step by ``set_learning_rate``."""
        optimizer = optimizer_of(self.settings, self.network)
        if self.restore_optimizer is not None:
            self.restore_optimizer(optimizer)
        return optimizer

    def set_learning_rate(self, optimizer: Optimizer, chunk: Chunk) -> float:
        """Peak × schedule × plateau cuts (× T of this chunk / T where lengths vary)."""
        share = learning_rate_share(self.settings, self.progress, self._step_share())
        rate = self.network.parameters_.learning_rate * share * self.run.learning_rate_factor
        if self.settings.variable_bptt:
            rate *= chunk.inputs_BT.shape[1] / self.settings.bptt
        for group in optimizer.param_groups:
            group["lr"] = rate
        return rate

    @property
    def progress(self) -> float:
        """Share of the run that is done: of the time budget, or of the steps of all epochs."""
        if self.settings.max_minutes is not None:
            return self.run.seconds / (60 * self.settings.max_minutes)
        return self.run.step / self.total_steps

    def _step_share(self) -> float:
        """What one step adds to the progress; by the clock, the mean of the steps so far."""
        if self.settings.max_minutes is None:
            return 1 / self.total_steps
        return self.progress / self.run.step if self.run.step else 1e-4

    def checkpoint(self, optimizer: Optimizer) -> dict[str, Any]:
        """Weights, optimizer and averages: equal in all processes."""
        return {
            "weights": self.network.state_dict(),
            "optimizer": optimizer.state_dict(),
            "average": self.averaging.state_dict(),
        }


def with_targets(output_BTE: Tensor, chunk: Chunk) -> tuple[Tensor, Tensor]:
    """Outputs [N, E] and targets [N] of the N places that have a target."""
    has_target_BT = chunk.targets_BT != IGNORED
    if bool(has_target_BT.all()):
        return output_BTE.flatten(0, 1), chunk.targets_BT.flatten()
    return output_BTE[has_target_BT], chunk.targets_BT[has_target_BT]
