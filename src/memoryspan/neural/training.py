"""Training of one model from start, or from where it was interrupted, to its end.

Lightning runs the loop (device, autocast, optimiser, hooks). Resuming is ours, by plain values:
Lightning's own restores neither the random state nor the place in the data. A run that was
killed and resumed gives bit for bit the model of a run that was not.
"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from memoryspan.errors import MemoryspanError
from memoryspan.neural import distributed
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.environment import restore_environment
from memoryspan.neural.interrupts import DeferredInterrupt, Interrupted
from memoryspan.neural.job import Job, fit
from memoryspan.neural.listening import Listener
from memoryspan.neural.model import NeuralLanguageModel, load
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.sizing import sized
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.text.streams import TokenStream

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrainingResult:
    """What a training run gives.

    Attributes:
        model: of the epoch with the lowest validation loss.
        history: a row per interval of steps: step, epoch (fraction of epochs done), tokens,
            seconds, train_nats_per_token (mean over the interval; an estimate with the sampled
            softmax), gradient_norm_mean and gradient_norm_max (before clipping), learning_rate,
            validation_nats_per_token (NaN but at the ends of epochs and of the run).
        summary: figures of the run as a whole.
    """

    model: NeuralLanguageModel
    history: pd.DataFrame
    summary: dict[str, Any]


def train(
    name: str,
    network: NetworkParameters,
    training: TrainingParameters,
    train_stream: TokenStream,
    validation_stream: TokenStream,
    seed: int,
    checkpoint_folder: Path,
    listener: Listener | None = None,
) -> TrainingResult:
    """Train a model, or go on with it, or take it as it is if it is finished.

    Args:
        name: of the model.
        network: its shape.
        training: how to train it.
        train_stream: predicted once per epoch.
        validation_stream: decides which epoch is best and when to stop.
        seed: of initial weights, dropout, negatives and resets.
        checkpoint_folder: for this model alone. What it holds is used only if it comes from the
            same parameters, seed, data and versions, and removed otherwise.
        listener: told the validation losses (one process only).

    Raises:
        MemoryspanError: if the data do not fit the parameters.
        BreakdownError: if the loss is no longer finite.
        KeyboardInterrupt: after a checkpoint was saved.
    """
    restore_environment()
    train_stream = _first(train_stream, training.max_train_tokens)
    validation_stream = _first(validation_stream, training.max_validation_tokens)
    _check_streams(name, training, train_stream, validation_stream)
    shape = sized(network, train_stream.vocabulary_size)
    device = _device(training)
    precision = _precision(training, device)
    job = Job(
        name,
        shape,
        training,
        train_stream,
        validation_stream,
        seed,
        checkpoint_folder,
        device,
        precision,
    )
    folder = job.checkpoint_folder()
    result = _finished(name, folder)
    if result is not None:
        log.info("%s: already trained, taken from %s", name, checkpoint_folder)
        return result
    _run(job, folder, listener)
    result = _finished(name, folder)
    if result is None:
        raise MemoryspanError(f"{folder.folder} does not hold the model that was trained there.")
    return result


def _finished(name: str, folder: CheckpointFolder) -> TrainingResult | None:
    """The result of this very run, if it is there and can be read; what is damaged is removed."""
    outcome = folder.result()
    if outcome is None:
        return None
    try:
        model = load(folder.best_folder)
    except MemoryspanError as error:
        log.warning("%s: trained again, since its finished model is unusable: %s", name, error)
        folder.clear()
        return None
    return TrainingResult(model, pd.DataFrame(outcome["history"]), outcome["summary"])


def _run(job: Job, folder: CheckpointFolder, listener: Listener | None) -> None:
    """Train in this process or in several."""
    try:
        if job.processes > 1:
            if listener is not None:
                raise MemoryspanError(
                    f"{job.name}: somebody wants to hear how it goes, which only a single"
                    " process can tell. Set training.devices and training.nodes to 1."
                )
            distributed.launch(job, folder)
            return
        if folder.checkpoint() is None:
            folder.clear()
        with DeferredInterrupt() as interrupt:
            fit(job, folder, interrupt, listener=listener)
    except Interrupted:
        raise KeyboardInterrupt(
            f"Training of {job.name} stopped; the same command goes on from its last checkpoint."
        ) from None


def _first(stream: TokenStream, tokens: int | None) -> TokenStream:
    """A stream's first tokens (one document), or all of it."""
    if tokens is None or tokens >= len(stream):
        return stream
    return TokenStream.of(stream.ids[:tokens], stream.vocabulary_size)


def _check_streams(
    name: str, training: TrainingParameters, train_stream: TokenStream, validation: TokenStream
) -> None:
    for split, stream in (("training", train_stream), ("validation", validation)):
        if len(stream) < training.streams:
            raise MemoryspanError(
                f"{name}: the {split} split has {len(stream):,} tokens, fewer than the"
                f" {training.streams} parallel streams. Lower `training.streams` or give more text."
            )
    if train_stream.vocabulary_size != validation.vocabulary_size:
        raise MemoryspanError(
            f"{name}: the training split has a vocabulary of {train_stream.vocabulary_size:,}"
            f" tokens, the validation split one of {validation.vocabulary_size:,}."
            " Run the tokenize pipeline again."
        )


def _device(training: TrainingParameters) -> str:
    available = torch.cuda.is_available()
    if available and training.accelerator != "cpu" and training.devices > torch.cuda.device_count():
        raise MemoryspanError(
            f"training.devices is {training.devices}, but torch sees {torch.cuda.device_count()}"
            " CUDA devices here. Lower it, or set accelerator to cpu."
        )
    if training.accelerator == "gpu" and not available:
        raise MemoryspanError(
            "accelerator is gpu, but torch sees no CUDA device here."
            " Set accelerator to auto or cpu, or install a CUDA build of torch."
        )
    return "cuda" if available and training.accelerator != "cpu" else "cpu"


def _precision(training: TrainingParameters, device: str) -> str:
    """bfloat16 only where the hardware computes in it: emulated, it is slower than float32."""
    if training.precision != "auto":
        return training.precision
    if device == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        native = bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return "bfloat16" if native else "float32"
