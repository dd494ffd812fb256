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
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR

from memoryspan.errors import MemoryspanError
from memoryspan.neural.batching import IGNORED, Chunk
from memoryspan.neural.cells import State
from memoryspan.neural.network import Dropouts, Network
from memoryspan.neural.parameters import TrainingParameters
from memoryspan.neural.run_state import RunState
from memoryspan.neural.softmax import SampledSoftmax, full_nats

ADAM_BETAS = (0.9, 0.99)


class TruncatedBackpropagation(LightningModule):
    """Trains a network on chunks.

    Args:
        network: updated in place.
        training: how.
        sampled_softmax: None for the full softmax.
        total_steps: length of the learning-rate schedule.
        run: what has been seen so far; updated in place.
    """

    def __init__(
        self,
        network: Network,
        training: TrainingParameters,
        sampled_softmax: SampledSoftmax | None,
        total_steps: int,
        run: RunState,
    ) -> None:
        super().__init__()
        self.network = network
        self.network.dropouts = Dropouts.of(training)
        self.settings = training
        self.sampled_softmax = sampled_softmax
        self.total_steps = total_steps
        self.run = run
        self.carried: list[State] | None = None
        self.tokens_of_step = 0
        self.validation_carried: list[State] | None = None
        self.restore: Callable[[Optimizer, LambdaLR], None] | None = None

    def on_fit_start(self) -> None:
        """Bring the state of a checkpoint to the device."""
        if self.carried is not None:
            self.carried = [tuple(t.to(self.device) for t in layer) for layer in self.carried]

    def training_step(self, chunk: Chunk, batch_idx: int) -> Tensor:
        """Mean nats per token of one chunk."""
        state = self._state_before(chunk, self.carried)
        if self.settings.reset_share:
            draws_B = torch.rand(len(chunk.inputs_BT)).to(self.device)
            state = self.network.forget(state, draws_B < self.settings.reset_share)
        nats_N, self.carried = self._model_step(chunk, state, self.sampled_softmax)
        loss = nats_N.mean()
        self.tokens_of_step = len(nats_N)
        self.run.interval.add_loss(float(nats_N.detach().sum()), len(nats_N))
        return loss

    def on_validation_epoch_start(self) -> None:
        """Nothing evaluated yet."""
        self.validation_nats, self.validation_tokens = 0.0, 0

    def validation_step(self, chunk: Chunk, batch_idx: int) -> None:
        """Add up the nats of one chunk, with the full softmax."""
        state = self._state_before(chunk, self.validation_carried)
        nats_N, self.validation_carried = self._model_step(chunk, state, None)
        self.validation_nats += float(nats_N.double().sum())
        self.validation_tokens += len(nats_N)

    def _state_before(self, chunk: Chunk, carried: list[State] | None) -> list[State]:
        if chunk.number == 0 or carried is None:
            return self.network.initial_state(len(chunk.inputs_BT))
        return carried

    def _model_step(
        self, chunk: Chunk, state: list[State], sampled: SampledSoftmax | None
    ) -> tuple[Tensor, list[State]]:
        """Nats [N] of the N places that have a target, and the state to carry on with."""
        output_BTE, state = self.network(chunk.inputs_BT, state)
        has_target_BT = chunk.targets_BT != IGNORED
        output_NE, targets_N = output_BTE[has_target_BT], chunk.targets_BT[has_target_BT]
        if sampled is None:
            nats_N = full_nats(self.network, output_NE, targets_N)
        else:
            nats_N = sampled.nats(self.network, output_NE, targets_N)
        return nats_N, self.network.carried(state)

    def configure_gradient_clipping(
        self,
        optimizer: Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """g ← g · threshold/‖g‖ where ‖g‖ exceeds it (Pascanu et al. 2013); notes ‖g‖ before.

        Raises:
            MemoryspanError: if the loss or the gradient is not finite; the weights still are.
        """
        norm = float(clip_grad_norm_(self.network.parameters(), self.settings.clip_norm))
        if not (math.isfinite(norm) and math.isfinite(self.run.interval.nats)):
            raise MemoryspanError(
                f"Training broke down at step {self.run.step + 1}: the gradient norm is {norm},"
                f" the interval's loss {self.run.interval.nats:g} nats. Lower learning_rate or"
                " clip_norm, raise warmup_share, or lower recurrent_gain."
            )
        self.run.interval.add_gradient_norm(norm)

    def configure_optimizers(self) -> Any:
        """AdamW without decay of biases; linear warm-up, then a cosine."""
        matrices = [p for p in self.network.parameters() if p.ndim > 1]
        biases = [p for p in self.network.parameters() if p.ndim == 1]
        optimizer = AdamW(
            [
                {"params": matrices, "weight_decay": self.settings.weight_decay},
                {"params": biases, "weight_decay": 0.0},
            ],
            lr=self.network.parameters_.learning_rate,
            betas=ADAM_BETAS,
            fused=True,
        )
        scheduler = LambdaLR(optimizer, self._learning_rate_share)
        if self.restore is not None:
            self.restore(optimizer, scheduler)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": scheduler, "interval": "step"},
        }

    def _learning_rate_share(self, step: int) -> float:
        """Of the peak, in optimiser step number ``step`` (from 0)."""
        warmup = self.settings.warmup_share * self.total_steps
        if step < warmup:
            return (step + 1) / (warmup + 1)
        done = min(1.0, (step - warmup) / max(1.0, self.total_steps - warmup))
        final = self.settings.final_learning_rate_share
        return final + (1 - final) * (1 + math.cos(math.pi * done)) / 2
