"""Training of one model from start, or from where it was interrupted, to its end.

Lightning runs the loop (device, autocast, optimiser, hooks). Resuming is ours, by plain values:
Lightning's own restores neither the random state nor the place in the data. A run that was
killed and resumed gives bit for bit the model of a run that was not.
"""

import logging
import math
import resource
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch

import memoryspan
from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import CheckpointFolder, fingerprint, stream_digest
from memoryspan.neural.environment import cpu_threads, keep_large_buffers
from memoryspan.neural.model import NeuralLanguageModel, load
from memoryspan.neural.networks import initial_network
from memoryspan.neural.parameters import NetworkParameters, TrainingParameters
from memoryspan.neural.run_state import RunState
from memoryspan.neural.sizing import sized
from memoryspan.neural.training_run import TrainingRun
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
            validation_nats_per_token (NaN but at the ends of epochs).
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

    Raises:
        MemoryspanError: if the data do not fit the parameters, or the loss is no longer finite.
        KeyboardInterrupt: after a checkpoint was saved.
    """
    train_stream = _first(train_stream, training.max_train_tokens)
    validation_stream = _first(validation_stream, training.max_validation_tokens)
    _check_streams(name, training, train_stream, validation_stream)
    streams = [train_stream, validation_stream]
    shape = sized(network, train_stream.vocabulary_size)
    device = _device(training)
    precision = _precision(training, device)
    folder = CheckpointFolder(
        checkpoint_folder, _fingerprint(name, shape, training, seed, streams, [device, precision])
    )
    finished = folder.result()
    if finished is not None:
        try:
            result = _result(folder, finished)
        except MemoryspanError as error:
            log.warning("%s: trained again, since its finished model is unusable: %s", name, error)
            folder.clear()
        else:
            log.info("%s: already trained, taken from %s", name, checkpoint_folder)
            return result
    if device == "cpu":
        torch.set_num_threads(cpu_threads())
        keep_large_buffers()
    initial = initial_network(shape, train_stream.vocabulary_size, seed)
    run = TrainingRun(name, initial, training, train_stream, validation_stream, folder)
    run.fit(seed, device, precision)
    summary = {
        "name": name,
        "kind": shape.kind,
        "hidden_size": shape.hidden_size,
        "parameters": initial.parameter_count,
        **_figures(run.state),
        "peak_memory_mb": _peak_memory_mb(device),
        "device": device,
        "precision": precision,
    }
    outcome = {"summary": summary, "history": run.state.history}
    folder.save_result(outcome)
    return _result(folder, outcome)


def _fingerprint(
    name: str,
    shape: NetworkParameters,
    training: TrainingParameters,
    seed: int,
    streams: list[TokenStream],
    device_and_precision: list[str],
) -> str:
    """Of everything that the trained weights depend on."""
    facts = {
        "network": shape.model_dump(),
        "training": training.model_dump(exclude={"checkpoint_minutes", "accelerator", "precision"}),
        "name": name,
        "seed": seed,
        "data": [stream_digest(stream) for stream in streams],
        "vocabulary_size": streams[0].vocabulary_size,
        "versions": [str(torch.__version__), memoryspan.__version__],
        "device": device_and_precision,
    }
    return fingerprint(facts)


def _result(folder: CheckpointFolder, outcome: dict[str, Any]) -> TrainingResult:
    history = pd.DataFrame(outcome["history"])
    return TrainingResult(load(folder.best_folder), history, outcome["summary"])


def _figures(state: RunState) -> dict[str, Any]:
    return {
        "steps": state.step,
        "train_tokens": state.tokens,
        "train_seconds": state.seconds,
        "tokens_per_second": state.tokens / state.seconds,
        "best_validation_nats_per_token": state.best_nats,
        "best_validation_perplexity": math.exp(state.best_nats),
        "best_epoch": state.best_epoch,
        "stopped_early": state.stopped_early,
        "resumed": state.resumed,
    }


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


def _peak_memory_mb(device: str) -> float:
    """Of the CUDA device, or the resident memory of the whole process so far."""
    if device == "cuda":
        return torch.cuda.max_memory_allocated() / 2**20
    unit = 1 if sys.platform == "darwin" else 1024  # getrusage(2): bytes there, kilobytes here
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
