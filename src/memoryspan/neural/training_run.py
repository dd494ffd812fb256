"""One run of Lightning's Trainer over a network, fresh or resumed, in one process of the run."""

import logging
import warnings
from typing import Any

import numpy as np
import torch
from lightning_fabric.plugins.environments.lightning import LightningEnvironment
from lightning_fabric.utilities.warnings import PossibleUserWarning
from numpy.typing import NDArray
from pytorch_lightning import Callback, Trainer
from pytorch_lightning.strategies import DDPStrategy
from torch.optim import Optimizer

from memoryspan.neural.batching import Chunking, StreamLoader
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.interrupts import Interrupted, StopRequest
from memoryspan.neural.listening import Listener, Listening
from memoryspan.neural.model_files import save_network
from memoryspan.neural.module import TruncatedBackpropagation
from memoryspan.neural.network import Network
from memoryspan.neural.progress import Progress
from memoryspan.neural.run_state import RunState
from memoryspan.neural.softmax import objective_of
from memoryspan.neural.training_callbacks import Checkpoints, Journal
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.text.streams import TokenStream

log = logging.getLogger(__name__)

_LIGHTNING_LOGGERS = ("pytorch_lightning", "lightning_fabric", "lightning.pytorch", "lightning")
_COUNTED_AT_ONCE = 1 << 22
_EXPECTED_WARNINGS = (
    ".*LeafSpec.*",  # Lightning 2.6 uses a class that torch 2.13 deprecates
    ".*RNN module weights are not part of single contiguous.*",  # cuDNN on DropConnect
)


class TrainingRun:
    """A network on its way from the first step to the last.

    Args:
        name: of the model.
        network: with its initial weights; a checkpoint's weights replace them.
        training: how.
        train_stream: N ids.
        validation_stream: read in parallel streams too, with the full softmax.
        seed: of dropout, negatives, resets and lengths of chunks.
        folder: holds the checkpoint to go on from, if any.
        rank: of this process among ``training.devices`` × ``training.nodes``.
        listener: told the validation losses.
    """

    def __init__(
        self,
        name: str,
        network: Network,
        training: TrainingParameters,
        train_stream: TokenStream,
        validation_stream: TokenStream,
        seed: int,
        folder: CheckpointFolder,
        rank: int = 0,
        listener: Listener | None = None,
    ) -> None:
        self.name = name
        self.network = network
        self.training = training
        self.folder = folder
        self.seed = seed
        self.rank = rank
        self.listener = listener
        self.state = RunState()
        self.checkpoint = folder.checkpoint()
        if self.checkpoint is not None:
            self.state = RunState.from_dict(self.checkpoint["run"])
            self.state.resumed += 1
            network.load_state_dict(self.checkpoint["weights"])
        world = training.devices * training.nodes
        self.alone = world == 1
        chunking = Chunking(training.bptt, training.variable_bptt, seed)
        self.loader = StreamLoader(
            train_stream,
            training.streams,
            chunking,
            self.state.epoch,
            self.state.chunk,
            rank,
            world,
        )
        self.validation_loader = StreamLoader(
            validation_stream,
            training.streams,
            Chunking(training.bptt),
            rank=rank,
            world_size=world,
        )
        objective = objective_of(training, network.output_layer, lambda: token_counts(train_stream))
        total_steps = self.loader.steps(training.epochs)
        self.module = TruncatedBackpropagation(
            network, training, objective, total_steps, self.state
        )

    def fit(self, device: str, precision: str, stop: StopRequest) -> None:
        """Train to the end, or until asked to stop.

        Raises:
            BreakdownError: if the loss is no longer finite.
            Interrupted: after a checkpoint was saved.
        """
        if self.checkpoint is not None:
            log.info("%s: resumed after step %s", self.name, f"{self.state.step:,}")
        if self.state.finished:
            return
        # One of several processes has no random state that anybody else would miss.
        gpus = range(torch.cuda.device_count()) if self.alone else ()
        with torch.random.fork_rng(devices=gpus):
            # Every process draws other dropout masks and negatives.
            torch.manual_seed(self.seed + 1_000_003 * self.rank)
            if self.checkpoint is not None:
                self._restore(self.checkpoint)
            with warnings.catch_warnings():
                for about in _EXPECTED_WARNINGS:
                    warnings.filterwarnings("ignore", message=about)
                warnings.filterwarnings("ignore", category=PossibleUserWarning)
                trainer = self._trainer(stop, device, precision)
                try:
                    trainer.fit(self.module, self.loader, self.validation_loader)
                except SystemExit:  # Lightning's answer to a second Ctrl-C
                    raise Interrupted from None

    def _restore(self, checkpoint: dict[str, Any]) -> None:
        nats, tokens = checkpoint["interval"][self.rank]
        self.state.tokens += int(tokens) - self.state.interval.tokens
        self.state.interval.nats, self.state.interval.tokens = nats, int(tokens)
        carried = checkpoint["carried"]
        self.module.carried = [tuple(each[self.rank] for each in layer) for layer in carried]
        self.module.averaging.load_state_dict(checkpoint["average"])

        def restore_optimizer(optimizer: Optimizer) -> None:
            optimizer.load_state_dict(checkpoint["optimizer"])

        def restore_random_state() -> None:
            torch.set_rng_state(checkpoint["rng"][self.rank])
            if checkpoint["cuda_rng"]:
                torch.cuda.set_rng_state(checkpoint["cuda_rng"][self.rank], self.module.device)

        self.module.restore_optimizer = restore_optimizer
        self.module.restore_random_state = restore_random_state

    def _trainer(self, stop: StopRequest, device: str, precision: str) -> Trainer:
        """A Trainer that says nothing, writes nothing and decides nothing."""
        for logger in _LIGHTNING_LOGGERS:
            logging.getLogger(logger).setLevel(logging.ERROR)
        timed = self.training.max_minutes is not None
        callbacks: list[Callback] = [Journal(self.module, self.loader, self._save_best)]
        if self.rank == 0:
            callbacks.append(Progress(self.name, self.module))
        if self.listener is not None:
            callbacks.append(
                Listening(self.module, self.loader, self.validation_loader, self.listener)
            )
        callbacks.append(Checkpoints(self.module, self.loader, self.folder, stop))
        return Trainer(
            accelerator="gpu" if device == "cuda" else "cpu",
            devices=self.training.devices,
            num_nodes=self.training.nodes,
            strategy="auto" if self.alone else DDPStrategy(gradient_as_bucket_view=True),
            # Or a batch system's variables would be taken for an order to start processes.
            plugins=[LightningEnvironment()],
            precision="bf16-mixed" if precision == "bfloat16" else "32-true",
            max_epochs=-1 if timed else self.training.epochs - self.state.epoch,
            callbacks=callbacks,
            default_root_dir=self.folder.folder,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
        )

    def _save_best(self) -> None:
        if self.rank == 0:
            save_network(self.folder.best_folder, self.name, self.module.averaging.evaluated)


def token_counts(stream: TokenStream) -> NDArray[np.int64]:
    """Occurrences [V] of every token; reads a memory map block by block."""
    counts = np.zeros(stream.vocabulary_size, np.int64)
    for start in range(0, len(stream), _COUNTED_AT_ONCE):
        block = stream.ids[start : start + _COUNTED_AT_ONCE]
        counts += np.bincount(block, minlength=stream.vocabulary_size)
    return counts
