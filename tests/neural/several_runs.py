"""What the tests of several processes run as a program of its own.

``python -m tests.neural.several_runs FOLDER`` trains every run of ``RUNS`` by two processes that
start once, for starting is what takes the time. With ``RUN VICTIM STEP`` after the folder it
trains that run alone, the usual way, and process number VICTIM, or ``parent``, is killed at that
step. The processes import this module too, so that what it replaces is replaced in them.
"""

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from tests.neural.conftest import network_parameters, random_stream, training_parameters

from memoryspan.errors import MemoryspanError
from memoryspan.neural import worker
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.job import fit
from memoryspan.neural.module import TruncatedBackpropagation
from memoryspan.neural.training import train

NO_NOISE = {
    "negatives": 0,
    "reset_share": 0,
    "input_dropout": 0,
    "hidden_dropout": 0,
    "output_dropout": 0,
}
NOISE = {"word_dropout": 0.1, "recurrent_dropout": 0.3, "reset_share": 0.2, "hidden_dropout": 0.3}

# Two streams of 99 and 98 tokens: the last chunk has one target, and none in the second process.
TRAIN_STREAM, VALIDATION_STREAM = random_stream(197, seed=1), random_stream(90, seed=2)
SEED = 7

RUNS = {
    "noisy": (
        network_parameters("lstm", layers=2),
        training_parameters(streams=2, devices=2, checkpoint_minutes=0, **NOISE),
    ),
    "full": (
        network_parameters("gru"),
        training_parameters(
            streams=2, devices=2, temporal_regularisation=1.0, label_smoothing=0.1, **NO_NOISE
        ),
    ),
    "adaptive": (
        network_parameters("rnn", tied=False, output_layer="adaptive", cutoffs=(20,)),
        training_parameters(streams=2, devices=2, **NO_NOISE),
    ),
    "transformer": (
        # Not AdamW: the bias of the keys has a gradient of zero but for rounding.
        network_parameters("transformer", learning_rate=0.05),
        training_parameters(streams=2, devices=2, optimizer="sgd", clip_norm=None, **NO_NOISE),
    ),
    "averaged": (
        network_parameters("feedforward", learning_rate=1.0),
        training_parameters(
            streams=2,
            devices=2,
            epochs=5,
            patience=5,
            optimizer="nt_asgd",
            averaging_patience=1,
            schedule="plateau",
            variable_bptt=True,
            **NO_NOISE,
        ),
    ),
    "timed": (
        network_parameters("gru"),
        training_parameters(streams=2, devices=2, max_minutes=1 / 60, patience=1000, **NO_NOISE),
    ),
}


def train_all(job, folder, stop, rank):
    """In place of ``fit``: all runs one after the other, in folders beside each other."""
    for name, (network, training) in RUNS.items():
        own = CheckpointFolder(job.folder.parent / name, folder.fingerprint)
        if rank == 0:
            own.clear()
        fit(
            replace(job, network=network, training=training, folder=own.folder),
            own,
            stop,
            rank,
        )


def train_and_die(victim, death):
    """Every process notes its number; the victim is killed before the step ``death``."""
    original = TruncatedBackpropagation.training_step

    def training_step(module, chunk, batch_idx):
        if batch_idx == 0:
            Path(f"{sys.argv[1]}-{module.global_rank}.pid").write_text(str(os.getpid()))
        if module.run.step == death and str(module.global_rank) == victim:
            os.kill(os.getpid(), signal.SIGKILL)
        if module.run.step == death and victim == "parent" and module.global_rank == 0:
            os.kill(os.getppid(), signal.SIGKILL)
        if module.run.step >= death:  # who survives has time to be seen
            time.sleep(0.1)
        return original(module, chunk, batch_idx)

    return training_step


if len(sys.argv) == 2:
    worker.fit = train_all
elif len(sys.argv) == 5:
    TruncatedBackpropagation.training_step = train_and_die(sys.argv[3], int(sys.argv[4]))

if __name__ == "__main__":
    chosen = sys.argv[2] if len(sys.argv) == 5 else "noisy"
    try:
        train(
            "model", *RUNS[chosen], TRAIN_STREAM, VALIDATION_STREAM, SEED, Path(sys.argv[1]), None
        )
    except MemoryspanError as error:
        sys.exit(str(error))
