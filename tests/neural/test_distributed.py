"""Two processes on this machine's CPUs. Programs run in ``several_runs``."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch
from safetensors.torch import load_file
from tests.neural.conftest import network_parameters, training_parameters
from tests.neural.several_runs import RUNS, SEED, TRAIN_STREAM, VALIDATION_STREAM

from memoryspan.errors import MemoryspanError
from memoryspan.neural.listening import Listener
from memoryspan.neural.training import train

ROOT = Path(__file__).resolve().parents[2]
SHARED_EXACTLY = ("full", "adaptive", "transformer", "averaged")


def program(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tests.neural.several_runs", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folder of all runs, each trained by two processes."""
    folder = tmp_path_factory.mktemp("runs")
    done = program(folder / "main")
    # The program's own run was replaced by all the others.
    assert "does not hold the model" in done.stderr
    assert "Warning" not in done.stderr
    return folder


def weights_of(folder):
    return load_file(folder / "best" / "model.safetensors")


def outcome_of(folder):
    outcome = json.loads((folder / "result.json").read_text())
    rows = [{**row, "seconds": 0.0} for row in outcome["history"]]
    return outcome["summary"], rows


@pytest.mark.parametrize("name", SHARED_EXACTLY)
def test_two_processes_take_the_steps_that_one_takes(runs, name, tmp_path):
    network, training = RUNS[name]
    alone = training.model_copy(update={"devices": 1})
    train(name, network, alone, TRAIN_STREAM, VALIDATION_STREAM, SEED, tmp_path)
    together, expected = weights_of(runs / name), weights_of(tmp_path)
    for key, wanted in expected.items():
        torch.testing.assert_close(together[key], wanted, rtol=1e-3, atol=1e-5, msg=key)
    (summary, rows), (alone_summary, alone_rows) = outcome_of(runs / name), outcome_of(tmp_path)
    assert summary["processes"] == 2
    for key in ("steps", "train_tokens", "best_epoch"):
        assert summary[key] == alone_summary[key]
    for row, wanted in zip(rows, alone_rows, strict=True):
        assert row == pytest.approx(wanted, rel=1e-3, nan_ok=True)


def test_what_is_compared_has_been_trained(runs):
    for name in SHARED_EXACTLY:
        summary, rows = outcome_of(runs / name)
        assert rows[-1]["train_nats_per_token"] < rows[0]["train_nats_per_token"]
        assert summary["train_tokens"] == len(TRAIN_STREAM) * summary["epochs"]
    factors = {row["learning_rate"] for row in outcome_of(runs / "averaged")[1]}
    assert len(factors) > 2  # lengths vary, and a plateau was met


def test_two_processes_share_a_budget_of_time(runs):
    summary, rows = outcome_of(runs / "timed")
    assert 1 <= summary["train_seconds"] < 10
    assert np.isfinite(rows[-1]["validation_nats_per_token"])


def assert_nobody_is_left(folder):
    """Not even a moment after the parent has died."""
    pids = [int(path.read_text()) for path in folder.parent.glob(f"{folder.name}-*.pid")]
    assert len(pids) == 2
    end = time.monotonic() + 10
    while any(map(runs_still, pids)):
        assert time.monotonic() < end
        time.sleep(0.1)


def runs_still(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_killed_processes_leave_a_run_that_goes_on_to_the_same_bits(runs, tmp_path):
    folder = tmp_path / "model"
    done = program(folder, "noisy", 1, 8)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "A training process of model was ended by signal 9; if nobody did so, there is not enough"
        " memory for 2 of them. The same command goes on from the last checkpoint."
    )
    assert "Traceback" not in done.stderr
    assert_nobody_is_left(folder)

    done = program(folder, "noisy", "parent", 20)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert_nobody_is_left(folder)
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)["run"]
    assert 20 <= saved["step"] < 25  # of 30: they were stopped
    assert saved["resumed"] == 1

    environment = dict(os.environ)
    network, training = RUNS["noisy"]
    result = train("model", network, training, TRAIN_STREAM, VALIDATION_STREAM, SEED, folder)
    assert dict(os.environ) == environment
    summary, rows = outcome_of(runs / "noisy")
    assert result.summary["resumed"] == 2
    assert result.summary["train_tokens"] == summary["train_tokens"] == 2 * len(TRAIN_STREAM)
    wanted = weights_of(runs / "noisy")
    assert all(torch.equal(wanted[key], tensor) for key, tensor in weights_of(folder).items())
    for row, expected in zip(outcome_of(folder)[1], rows, strict=True):
        assert row == pytest.approx(expected, rel=0, abs=0, nan_ok=True)
    assert sorted(path.name for path in folder.iterdir()) == ["best", "result.json"]


def several(**changes):
    return training_parameters(**{"nodes": 2, "streams": 4, **changes})


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "MASTER_ADDR, MASTER_PORT, NODE_RANK is not set"),
        ({"MASTER_ADDR": "a", "NODE_RANK": "1"}, "MASTER_PORT is not set"),
        ({"MASTER_ADDR": "a", "MASTER_PORT": "1", "NODE_RANK": "2"}, "NODE_RANK is '2'"),
        ({"MASTER_ADDR": "a", "MASTER_PORT": "1", "NODE_RANK": "first"}, "NODE_RANK is 'first'"),
        ({"MASTER_ADDR": "a", "MASTER_PORT": "ssh", "NODE_RANK": "0"}, "MASTER_PORT is 'ssh'"),
    ],
)
def test_several_machines_must_be_named(
    monkeypatch, folder, train_stream, validation_stream, variables, message
):
    for name in ("MASTER_ADDR", "MASTER_PORT", "NODE_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(MemoryspanError, match=message):
        train(
            "gru", network_parameters("gru"), several(), train_stream, validation_stream, 7, folder
        )


def test_a_listener_needs_one_process(folder, train_stream, validation_stream):
    listener = Listener(lambda epochs, nats: None)
    shape, training = network_parameters("gru"), training_parameters(devices=2)
    with pytest.raises(MemoryspanError, match=r"training\.devices"):
        train("gru", shape, training, train_stream, validation_stream, 7, folder, listener)
