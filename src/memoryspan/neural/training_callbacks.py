"""What happens around the steps of a training run: history and checkpoints."""

import time
import zlib
from collections.abc import Callable
from typing import Any

import torch
from pytorch_lightning import Callback, LightningModule, Trainer

from memoryspan.errors import MemoryspanError
from memoryspan.neural import averaging, processes
from memoryspan.neural.batching import StreamLoader
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.interrupts import Interrupted, StopRequest
from memoryspan.neural.module import TruncatedBackpropagation


class Journal(Callback):
    """Keeps the module's run state: position, seconds, history, best model, the end of the run."""

    def __init__(
        self,
        module: TruncatedBackpropagation,
        loader: StreamLoader,
        save_best: Callable[[], None],
    ) -> None:
        self.module = module
        self.settings = module.settings
        self.run = module.run
        self.loader = loader
        self.save_best = save_best
        self.chunks = loader.chunks(self.run.epoch)

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Start the clock."""
        self.started = time.monotonic() - self.run.seconds

    def on_train_batch_start(
        self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Set the learning rate of this step."""
        self.learning_rate = self.module.set_learning_rate(trainer.optimizers[0], batch)

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Count the step; write a row at the end of an interval, an epoch or the run."""
        run = self.run
        self.module.averaging.update()
        run.step += 1
        run.chunk += 1
        run.tokens += self.module.tokens_of_step
        run.seconds = self._seconds()
        budget = self.settings.max_minutes
        if budget is not None and run.seconds >= 60 * budget:
            run.finished = trainer.should_stop = True
        epoch_ends = run.chunk == self.chunks
        if epoch_ends or run.finished or run.step % self.settings.log_steps == 0:
            self._share_interval()
            run.close_interval(run.epoch + run.chunk / self.chunks, self.learning_rate)

    def _seconds(self) -> float:
        """Since the start; with a time budget, the same in all processes."""
        seconds = time.monotonic() - self.started
        if self.settings.max_minutes is not None:
            (seconds,) = processes.largest([seconds], self.module.device)
        return seconds

    def _share_interval(self) -> None:
        """Loss and tokens of all processes together; the gradient is the same in each."""
        interval = self.run.interval
        nats, tokens = processes.totals([interval.nats, interval.tokens], self.module.device)
        self.run.tokens += int(tokens) - interval.tokens
        interval.nats, interval.tokens = nats, int(tokens)

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Complete the last row; keep the best model; decide how to go on."""
        run, module = self.run, self.module
        validated = [module.validation_nats, module.validation_tokens]
        total, tokens = processes.totals(validated, module.device)
        nats = total / tokens
        run.history[-1]["validation_nats_per_token"] = nats
        run.validation_nats.append(nats)
        epoch = run.epoch + 1
        if nats < run.best_nats:
            run.best_nats, run.best_epoch = nats, epoch
            self.save_best()
        else:
            if self.settings.schedule == "plateau":
                run.learning_rate_factor *= self.settings.plateau_factor
            if epoch - run.best_epoch >= self.settings.patience:
                run.stopped_early = run.finished = trainer.should_stop = True
        self._begin_averaging()
        run.seconds = self._seconds()

    def _begin_averaging(self) -> None:
        """NT-ASGD, once."""
        wanted = self.settings.optimizer == "nt_asgd" and self.module.averaging.average is None
        if wanted and averaging.begins(self.run.validation_nats, self.settings.averaging_patience):
            self.module.averaging.begin()

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Turn the page; Lightning has run the validation by now."""
        run = self.run
        run.epoch, run.chunk = run.epoch + 1, 0
        self.chunks = self.loader.chunks(run.epoch)
        if self.settings.max_minutes is None and run.epoch >= self.settings.epochs:
            run.finished = True


class Checkpoints(Callback):
    """Saves every few minutes, after every epoch, and when the user interrupts."""

    def __init__(
        self,
        module: TruncatedBackpropagation,
        loader: StreamLoader,
        folder: CheckpointFolder,
        stop: StopRequest,
    ) -> None:
        self.module = module
        self.run = module.run
        self.loader = loader
        self.folder = folder
        self.stop = stop
        self.saved = time.monotonic()
        self.chunks = loader.chunks(self.run.epoch)

    def on_fit_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Processes that went on from different places would train nonsense together.

        Raises:
            MemoryspanError: if they do; so it can be on several machines.
        """
        same = [float(zlib.crc32(self.folder.fingerprint.encode())), float(self.run.step)]
        if not processes.agree(same, pl_module.device):
            raise MemoryspanError(
                "The machines do not train the same: their parameters, texts or versions differ,"
                f" or {self.folder.folder} is not the same folder on all of them."
            )

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Know where it ends."""
        self.chunks = self.loader.chunks(self.run.epoch)

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Save if it is time. Not on the last chunk of an epoch: validation belongs to it."""
        if self.run.chunk == self.chunks or self.run.finished:
            return
        minutes = (time.monotonic() - self.saved) / 60
        due = float(minutes >= self.module.settings.checkpoint_minutes)
        requested = float(self.stop.requested)
        due, requested = processes.largest([due, requested], self.module.device)
        if due or requested:
            self.save(trainer, stop=bool(requested))

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Save; the journal has turned the page by now."""
        requested = float(self.stop.requested)
        (requested,) = processes.largest([requested], self.module.device)
        self.save(trainer, stop=bool(requested))

    def save(self, trainer: Trainer, stop: bool = False) -> None:
        """Write everything that the next step depends on.

        Raises:
            Interrupted: after saving, if the user asked to stop.
        """
        device = self.module.device
        carried = [list(layer) for layer in self.module.carried or []]
        cuda_rng = [torch.cuda.get_rng_state(device)] if device.type == "cuda" else []
        values = {
            "run": self.run.to_dict(),
            **self.module.checkpoint(trainer.optimizers[0]),
            # Of each process: its streams' state, and its random numbers.
            "carried": [[processes.gathered(t, device) for t in layer] for layer in carried],
            "rng": processes.gathered(torch.get_rng_state(), device),
            "cuda_rng": [each for own in cuda_rng for each in processes.gathered(own, device)],
            "interval": self._intervals(),
        }
        if processes.rank() == 0:
            self.folder.save_checkpoint(values)
        self.saved = time.monotonic()
        if stop:
            raise Interrupted

    def _intervals(self) -> list[list[float]]:
        """Nats and tokens of the open interval, of each process."""
        interval = self.run.interval
        here = torch.tensor([interval.nats, float(interval.tokens)], dtype=torch.float64)
        return [values.tolist() for values in processes.gathered(here, self.module.device)]
