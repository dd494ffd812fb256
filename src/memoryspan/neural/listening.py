"""Somebody who wants to hear of the validation loss while a network trains."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from pytorch_lightning import Callback, LightningModule, Trainer

from memoryspan.neural.batching import StreamLoader
from memoryspan.neural.module import TruncatedBackpropagation


@dataclass(frozen=True)
class Listener:
    """Whom to tell, and how often.

    Attributes:
        hear: called with the epochs done (a fraction in mid-epoch) and the validation loss in
            nats per token; what it raises ends the run.
        per_epoch: validations per epoch, evenly spaced; the last one at its end. Those in
            mid-epoch are for the listener alone: they change neither the training nor the choice
            of the best model.
    """

    hear: Callable[[float, float], None]
    per_epoch: int = 1


class Listening(Callback):
    """Tells the listener; validates in mid-epoch if asked to. Comes after the journal."""

    def __init__(
        self,
        module: TruncatedBackpropagation,
        loader: StreamLoader,
        validation_loader: StreamLoader,
        listener: Listener,
    ) -> None:
        self.module = module
        self.run = module.run
        self.loader = loader
        self.validation_loader = validation_loader
        self.listener = listener
        self._know_the_epoch()

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Know where to stop and listen."""
        self._know_the_epoch()

    def _know_the_epoch(self) -> None:
        self.chunks, often = self.loader.chunks(self.run.epoch), self.listener.per_epoch
        places = {-(-self.chunks * part // often) for part in range(1, often)}
        self.places = places - {self.chunks}

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Validate with the full softmax, as at the end of an epoch."""
        if self.run.chunk not in self.places or self.run.finished:
            return
        module = self.module
        module.eval()
        with torch.no_grad(), trainer.precision_plugin.val_step_context():
            module.on_validation_epoch_start()
            for number, chunk in enumerate(self.validation_loader):
                there = module.transfer_batch_to_device(chunk, module.device, 0)
                module.validation_step(there, number)
        module.train()
        self._tell(module.validation_nats / module.validation_tokens)

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Lightning has validated, and the journal has noted what came of it."""
        self._tell(self.run.validation_nats[-1])

    def _tell(self, nats: float) -> None:
        self.listener.hear(self.run.epoch + self.run.chunk / self.chunks, nats)
