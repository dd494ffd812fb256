"""Progress of a training run: tokens per second, loss, perplexity, time left."""

import logging
import math
import sys
import time
from typing import Any

from pytorch_lightning import Callback, LightningModule, Trainer
from tqdm import tqdm

from memoryspan.neural.module import TruncatedBackpropagation

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LINES = 20.0


class Progress(Callback):
    """A bar on a terminal; elsewhere a log line at most every twenty seconds."""

    def __init__(self, name: str, module: TruncatedBackpropagation) -> None:
        self.name = name
        self.module = module
        self.run = module.run
        self.budget = module.settings.max_minutes
        self.last_line = time.monotonic()
        self.bar: Any = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Begin to measure speed."""
        self.begin = (self.module.progress, self.run.tokens, time.monotonic())
        if sys.stderr.isatty():
            total = None if self.budget is not None else self.module.total_steps
            self.bar = tqdm(total=total, initial=self.run.step, desc=self.name, unit="step")

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
            done = self.module.progress - self.begin[0]
            left = (1 - self.module.progress) * (now - self.begin[2]) / max(done, 1e-9)
            whole = "" if self.budget is not None else f" of {self.module.total_steps:,}"
            log.info(
                "%s: step %s%s, %s, %.0f s left",
                self.name,
                f"{self.run.step:,}",
                whole,
                self._figures(now),
                max(0.0, left),
            )

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Say what the epoch has brought."""
        row = self.run.history[-1]
        nats = row["validation_nats_per_token"]
        message = (
            f"{self.name}: epoch {row['epoch']:.3g}, {row['seconds']:.0f} s,"
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
