"""What happens around the steps of a training run: history, checkpoints, progress."""

import logging
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from pytorch_lightning import Callback, LightningModule, Trainer
from tqdm import tqdm

from memoryspan.neural.batching import StreamLoader
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.interrupts import DeferredInterrupt, Interrupted
from memoryspan.neural.module import TruncatedBackpropagation
from memoryspan.neural.run_state import RunState

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LINES = 20.0


class Journal(Callback):
    """Keeps the module's run state: position, seconds, history, best model, early stopping."""

    def __init__(
        self, module: TruncatedBackpropagation, loader: StreamLoader, save_best: Callable[[], None]
    ) -> None:
        self.module = module
        self.run = module.run
        self.loader = loader
        self.save_best = save_best

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Start the clock."""
        self.started = time.monotonic() - self.run.seconds

    def on_train_batch_start(
        self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Remember the learning rate of this step: the scheduler moves on before its end."""
        self.learning_rate = trainer.optimizers[0].param_groups[0]["lr"]

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Count the step; write a row at the end of an interval or an epoch."""
        run = self.run
        run.step += 1
        run.tokens += self.module.tokens_of_step
        run.seconds = time.monotonic() - self.started
        epoch_ends = run.step % self.loader.chunks_per_epoch == 0
        if epoch_ends or run.step % self.module.settings.log_steps == 0:
            run.close_interval(run.step / self.loader.chunks_per_epoch, self.learning_rate)

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Complete the epoch's last row; keep the best model; stop when patience is over."""
        run = self.run
        nats = self.module.validation_nats / self.module.validation_tokens
        run.history[-1]["validation_nats_per_token"] = nats
        epoch = run.step // self.loader.chunks_per_epoch
        if nats < run.best_nats:
            run.best_nats, run.best_epoch = nats, epoch
            self.save_best()
        elif epoch - run.best_epoch >= self.module.settings.patience:
            run.stopped_early = trainer.should_stop = True
        run.seconds = time.monotonic() - self.started


class Checkpoints(Callback):
    """Saves every few minutes, after every epoch, and when the user interrupts."""

    def __init__(
        self,
        module: TruncatedBackpropagation,
        loader: StreamLoader,
        folder: CheckpointFolder,
        interrupt: DeferredInterrupt,
    ) -> None:
        self.module = module
        self.run = module.run
        self.loader = loader
        self.folder = folder
        self.interrupt = interrupt
        self.saved = time.monotonic()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Save if it is time. Not on the last chunk of an epoch: validation belongs to it."""
        if self.run.step % self.loader.chunks_per_epoch == 0:
            return
        minutes = (time.monotonic() - self.saved) / 60
        if self.interrupt.requested or minutes >= self.module.settings.checkpoint_minutes:
            self.save(trainer)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Save; Lightning has run the validation by now."""
        self.save(trainer)

    def save(self, trainer: Trainer) -> None:
        """Write everything that the next step depends on.

        Raises:
            Interrupted: after saving, if the user asked to stop.
        """
        self.folder.save_checkpoint(
            {
                "run": self.run.to_dict(),
                "weights": self.module.network.state_dict(),
                "optimizer": trainer.optimizers[0].state_dict(),
                "scheduler": trainer.lr_scheduler_configs[0].scheduler.state_dict(),
                "carried": [list(layer) for layer in self.module.carried or []],
                "rng": torch.get_rng_state(),
                "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
            }
        )
        self.saved = time.monotonic()
        if self.interrupt.requested:
            raise Interrupted


class Progress(Callback):
    """A bar on a terminal; elsewhere a log line at most every twenty seconds."""

    def __init__(self, name: str, run: RunState, total_steps: int) -> None:
        self.name = name
        self.run = run
        self.total_steps = total_steps
        self.last_line = time.monotonic()
        self.bar: Any = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Begin to measure speed."""
        self.begin = (self.run.step, self.run.tokens, time.monotonic())
        if sys.stderr.isatty():
            self.bar = tqdm(
                total=self.total_steps, initial=self.run.step, desc=self.name, unit="step"
            )

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Show where the run stands."""
        now = time.monotonic()
        if self.bar is not None:
            self.bar.update(1)
            self.bar.set_postfix_str(self._figures(now), refresh=False)
        elif now - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = now
            done = self.run.step - self.begin[0]
            left = (self.total_steps - self.run.step) * (now - self.begin[2]) / done
            log.info(
                "%s: step %s of %s, %s, %.0f s left",
                self.name,
                f"{self.run.step:,}",
                f"{self.total_steps:,}",
                self._figures(now),
                left,
            )

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Say what the epoch has brought."""
        row = self.run.history[-1]
        nats = row["validation_nats_per_token"]
        message = (
            f"{self.name}: epoch {row['epoch']:g}, {row['seconds']:.0f} s,"
            f" validation {nats:.4f} nats per token, perplexity {perplexity(nats):.2f}"
        )
        if self.bar is not None:
            self.bar.write(message, file=sys.stderr)
        else:
            self.last_line = time.monotonic()
            log.info("%s", message)

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Leave the terminal clean."""
        if self.bar is not None:
            self.bar.close()

    def on_exception(
        self, trainer: Trainer, pl_module: LightningModule, exception: BaseException
    ) -> None:
        """Leave the terminal clean after an error too."""
        self.on_train_end(trainer, pl_module)

    def _figures(self, now: float) -> str:
        rate = (self.run.tokens - self.begin[1]) / max(now - self.begin[2], 1e-9)
        if not self.run.history:
            return f"{rate:,.0f} tokens/s"
        nats = self.run.history[-1]["train_nats_per_token"]
        return f"{rate:,.0f} tokens/s, loss {nats:.3f}, perplexity {perplexity(nats):.1f}"


def perplexity(nats_per_token: float) -> float:
    """exp of a loss; infinite rather than an overflow."""
    return math.exp(nats_per_token) if nats_per_token < 700 else math.inf
