"""Everything that a training run is made from: what one process hands to another."""

import resource
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import memoryspan
from memoryspan.neural.checkpoints import CheckpointFolder, fingerprint, stream_digest
from memoryspan.neural.environment import cpu_threads, keep_large_buffers
from memoryspan.neural.interrupts import StopRequest
from memoryspan.neural.listening import Listener
from memoryspan.neural.networks import initial_network
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.progress import perplexity
from memoryspan.neural.run_state import RunState
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.neural.training_run import TrainingRun
from memoryspan.text.streams import TokenStream


@dataclass(frozen=True)
class Job:
    """One training run.

    Attributes:
        name: of the model.
        network: its shape, with the hidden size resolved.
        training: how to train it.
        train_stream: predicted once per epoch.
        validation_stream: decides which epoch is best and when to stop.
        seed: of everything random.
        folder: of this model alone.
        device: cpu or cuda.
        precision: float32 or bfloat16.
    """

    name: str
    network: NetworkParameters
    training: TrainingParameters
    train_stream: TokenStream
    validation_stream: TokenStream
    seed: int
    folder: Path
    device: str
    precision: str

    @property
    def processes(self) -> int:
        """How many processes train together."""
        return self.training.devices * self.training.nodes

    def checkpoint_folder(self) -> CheckpointFolder:
        """Where its files are; reads all of the text for the fingerprint."""
        facts = {
            "network": self.network.model_dump(mode="json"),
            "training": self.training.model_dump(
                exclude={"checkpoint_minutes", "accelerator", "precision"}
            ),
            "name": self.name,
            "seed": self.seed,
            "data": [stream_digest(self.train_stream), stream_digest(self.validation_stream)],
            "vocabulary_size": self.train_stream.vocabulary_size,
            "versions": [str(torch.__version__), memoryspan.__version__],
            "device": [self.device, self.precision],
        }
        return CheckpointFolder(self.folder, fingerprint(facts))


def fit(
    job: Job,
    folder: CheckpointFolder,
    stop: StopRequest,
    rank: int = 0,
    listener: Listener | None = None,
) -> None:
    """Train in this process, alone or as one of several; rank 0 leaves the result in the folder.

    Args:
        job: what to train.
        folder: holds the checkpoint to go on from, if any.
        stop: looked at after every step.
        rank: of this process.
        listener: told the validation losses.

    Raises:
        BreakdownError: if the loss is no longer finite.
        MemoryspanError: if the checkpoint cannot be read.
        Interrupted: after a checkpoint was saved.
    """
    if job.device == "cpu":
        torch.set_num_threads(max(1, cpu_threads() // job.training.devices))
        keep_large_buffers()
    network = initial_network(job.network, job.train_stream.vocabulary_size, job.seed)
    run = TrainingRun(
        job.name,
        network,
        job.training,
        job.train_stream,
        job.validation_stream,
        job.seed,
        folder,
        rank,
        listener,
    )
    run.fit(job.device, job.precision, stop)
    if rank == 0:
        summary = {
            "name": job.name,
            "kind": job.network.kind,
            "hidden_size": job.network.hidden_size,
            "parameters": network.parameter_count,
            **_figures(run.state),
            "peak_memory_mb": _peak_memory_mb(job.device),
            "device": job.device,
            "precision": job.precision,
            "processes": job.processes,
        }
        folder.save_result({"summary": summary, "history": run.state.history})


def _figures(state: RunState) -> dict[str, Any]:
    return {
        "steps": state.step,
        "epochs": state.epoch,
        "train_tokens": state.tokens,
        "train_seconds": state.seconds,
        "tokens_per_second": state.tokens / state.seconds,
        "best_validation_nats_per_token": state.best_nats,
        "best_validation_perplexity": perplexity(state.best_nats),
        "best_epoch": state.best_epoch,
        "stopped_early": state.stopped_early,
        "resumed": state.resumed,
    }


def _peak_memory_mb(device: str) -> float:
    """Of the CUDA device, or the resident memory of the whole process so far."""
    if device == "cuda":
        return torch.cuda.max_memory_allocated() / 2**20
    unit = 1 if sys.platform == "darwin" else 1024  # getrusage(2): bytes there, kilobytes here
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
