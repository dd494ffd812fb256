"""One run of Lightning's Trainer over a network, fresh or resumed."""

import logging
import warnings
from typing import Any

import numpy as np
import torch
from lightning_fabric.utilities.warnings import PossibleUserWarning
from pytorch_lightning import Trainer
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from memoryspan.neural.batching import StreamLoader
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.interrupts import DeferredInterrupt, Interrupted
from memoryspan.neural.model_files import save_network
from memoryspan.neural.module import TruncatedBackpropagation
from memoryspan.neural.network import Network
from memoryspan.neural.parameters import TrainingParameters
from memoryspan.neural.run_state import RunState
from memoryspan.neural.softmax import SampledSoftmax
from memoryspan.neural.training_callbacks import Checkpoints, Journal, Progress
from memoryspan.text.streams import TokenStream

log = logging.getLogger(__name__)

_LIGHTNING_LOGGERS = ("pytorch_lightning", "lightning_fabric", "lightning.pytorch", "lightning")


class TrainingRun:
    """A network on its way from the first step to the last.

    Args:
        name: of the model.
        network: with its initial weights; a checkpoint's weights replace them.
        training: how.
        train_stream: N ids.
        validation_stream: read in parallel streams too, with the full softmax.
        folder: holds the checkpoint to go on from, if any.
    """

    def __init__(
        self,
        name: str,
        network: Network,
        training: TrainingParameters,
        train_stream: TokenStream,
        validation_stream: TokenStream,
        folder: CheckpointFolder,
    ) -> None:
        self.name = name
        self.network = network
        self.training = training
        self.folder = folder
        self.state = RunState()
        self.checkpoint = folder.checkpoint()
        if self.checkpoint is None:
            folder.clear()
        else:
            self.state = RunState.from_dict(self.checkpoint["run"])
            self.state.resumed += 1
            network.load_state_dict(self.checkpoint["weights"])
        self.loader = StreamLoader(train_stream, training.streams, training.bptt)
        self.loader.start = self.state.step % self.loader.chunks_per_epoch
        self.validation_loader = StreamLoader(validation_stream, training.streams, training.bptt)
        self.total_steps = training.epochs * self.loader.chunks_per_epoch
        sampled = None
        if 0 < training.negatives < network.vocabulary_size:
            counts = np.bincount(train_stream.ids, minlength=network.vocabulary_size)
            sampled = SampledSoftmax(counts, training.negatives)
        self.module = TruncatedBackpropagation(
            network, training, sampled, self.total_steps, self.state
        )

    @property
    def done(self) -> bool:
        """Nothing is left to train."""
        return self.state.step >= self.total_steps or self.state.stopped_early

    def fit(self, seed: int, device: str, precision: str) -> None:
        """Train to the end.

        Raises:
            MemoryspanError: if the loss is no longer finite.
            KeyboardInterrupt: after a checkpoint was saved.
        """
        if self.checkpoint is not None:
            log.info(
                "%s: resumed at step %s of %s",
                self.name,
                f"{self.state.step:,}",
                f"{self.total_steps:,}",
            )
        if self.done:
            return
        gpus = range(torch.cuda.device_count())
        with torch.random.fork_rng(devices=gpus), DeferredInterrupt() as interrupt:
            torch.manual_seed(seed)
            if self.checkpoint is not None:
                self._restore(self.checkpoint)
            try:
                with warnings.catch_warnings():
                    # Lightning 2.6 uses a class that torch 2.13 deprecates; and it gives advice.
                    warnings.filterwarnings("ignore", message=".*LeafSpec.*")
                    warnings.filterwarnings("ignore", category=PossibleUserWarning)
                    trainer = self._trainer(interrupt, device, precision)
                    trainer.fit(self.module, self.loader, self.validation_loader)
            except (Interrupted, SystemExit):
                raise KeyboardInterrupt(
                    f"Training of {self.name} stopped at step {self.state.step:,} of"
                    f" {self.total_steps:,}; the same command goes on from its last checkpoint."
                ) from None

    def _restore(self, checkpoint: dict[str, Any]) -> None:
        torch.set_rng_state(checkpoint["rng"])
        if checkpoint["cuda_rng"]:
            torch.cuda.set_rng_state_all(checkpoint["cuda_rng"])
        self.module.carried = [tuple(layer) for layer in checkpoint["carried"]]

        def restore_optimizer(optimizer: Optimizer, scheduler: LambdaLR) -> None:
            optimizer.load_state_dict(checkpoint["optimizer"])
            scheduler.load_state_dict(checkpoint["scheduler"])

        self.module.restore = restore_optimizer

    def _trainer(self, interrupt: DeferredInterrupt, device: str, precision: str) -> Trainer:
        """A Trainer that says nothing, writes nothing and decides nothing."""
        for logger in _LIGHTNING_LOGGERS:
            logging.getLogger(logger).setLevel(logging.ERROR)
        epochs_done = self.state.step // self.loader.chunks_per_epoch
        return Trainer(
            accelerator="gpu" if device == "cuda" else "cpu",
            devices=1,
            precision="bf16-mixed" if precision == "bfloat16" else "32-true",
            max_epochs=self.training.epochs - epochs_done,
            callbacks=[
                Journal(self.module, self.loader, self._save_best),
                Progress(self.name, self.state, self.total_steps),
                Checkpoints(self.module, self.loader, self.folder, interrupt),
            ],
            default_root_dir=self.folder.folder,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
        )

    def _save_best(self) -> None:
        save_network(self.folder.best_folder, self.name, self.network)
