import logging
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.neural.conftest import (
    KINDS,
    VOCABULARY_SIZE,
    network_parameters,
    random_stream,
    training_parameters,
)

from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.model import initial_model
from memoryspan.neural.module import TruncatedBackpropagation
from memoryspan.neural.training import train
from memoryspan.text.streams import TokenStream

STEPS = 30  # 400 tokens in 4 streams of 100 = 15 chunks of 7, twice
EVERY_DROPOUT = {
    "word_dropout": 0.1,
    "input_dropout": 0.3,
    "recurrent_dropout": 0.3,
    "reset_share": 0.2,
}


class KilledError(Exception):
    pass


def kill_at(monkeypatch, step):
    """Make the training raise just before optimiser step number ``step``."""
    original = TruncatedBackpropagation.training_step

    def training_step(module, chunk, batch_idx):
        if module.run.step == step:
            raise KilledError
        return original(module, chunk, batch_idx)

    monkeypatch.setattr(TruncatedBackpropagation, "training_step", training_step)


def assert_same_result(got, wanted):
    weights, expected = got.model.network.state_dict(), wanted.model.network.state_dict()
    assert all(torch.equal(weights[name], expected[name]) for name in expected)
    columns = [name for name in wanted.history.columns if name != "seconds"]
    assert got.history[columns].equals(wanted.history[columns])
    assert got.summary["train_tokens"] == wanted.summary["train_tokens"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_run_ends_like_one_that_was_not(
    kind, monkeypatch, folder, train_stream, validation_stream
):
    arguments = (
        kind,
        network_parameters(kind),
        training_parameters(checkpoint_minutes=0, **EVERY_DROPOUT),
        train_stream,
        validation_stream,
        7,
    )
    uninterrupted = train(*arguments, folder.with_name("whole"))
    assert uninterrupted.summary["resumed"] == 0
    for step in (4, 15, 23):
        with monkeypatch.context() as patch:
            kill_at(patch, step)
            with pytest.raises(KilledError):
                train(*arguments, folder)
    resumed = train(*arguments, folder)
    assert resumed.summary["resumed"] == 3
    assert_same_result(resumed, uninterrupted)


def test_steps_since_the_last_checkpoint_are_repeated(
    monkeypatch, folder, train_stream, validation_stream
):
    arguments = (
        "lstm",
        network_parameters("lstm", layers=2),
        training_parameters(checkpoint_minutes=60, **EVERY_DROPOUT),
        train_stream,
        validation_stream,
        7,
    )
    uninterrupted = train(*arguments, folder.with_name("whole"))
    with monkeypatch.context() as patch:
        kill_at(patch, 23)
        with pytest.raises(KilledError):
            train(*arguments, folder)
    assert torch.load(folder / "checkpoint.pt", weights_only=True)["run"]["step"] == 15
    assert_same_result(train(*arguments, folder), uninterrupted)


PROGRAM = """
import logging, sys
from pathlib import Path
from tests.neural.conftest import network_parameters, random_stream, training_parameters
from memoryspan.neural.module import TruncatedBackpropagation
from memoryspan.neural.training import train
import os, signal

original = TruncatedBackpropagation.training_step
def training_step(module, chunk, batch_idx):
    if module.run.step == 20:
        os.kill(os.getpid(), signal.SIGKILL)
    return original(module, chunk, batch_idx)
TruncatedBackpropagation.training_step = training_step
train("gru", network_parameters("gru"), training_parameters(checkpoint_minutes=0),
      random_stream(400, seed=1), random_stream(90, seed=2), 7, Path(sys.argv[1]))
"""


def test_a_run_survives_the_death_of_its_process(folder, train_stream, validation_stream):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        cwd=Path(__file__).resolve().parents[2],
        check=False,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    arguments = (
        "gru",
        network_parameters("gru"),
        training_parameters(checkpoint_minutes=0),
        train_stream,
        validation_stream,
        7,
    )
    resumed = train(*arguments, folder)
    assert resumed.summary["resumed"] == 1
    assert_same_result(resumed, train(*arguments, folder.with_name("whole")))


def test_ctrl_c_saves_and_stops_the_command(monkeypatch, folder, train_stream, validation_stream):
    arguments = (
        "rnn",
        network_parameters("rnn"),
        training_parameters(checkpoint_minutes=60),
        train_stream,
        validation_stream,
        7,
    )
    original = TruncatedBackpropagation.training_step

    def training_step(module, chunk, batch_idx):
        if module.run.step == 8:
            signal.raise_signal(signal.SIGINT)
        return original(module, chunk, batch_idx)

    handler = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(TruncatedBackpropagation, "training_step", training_step)
        with pytest.raises(KeyboardInterrupt, match="same command goes on"):
            train(*arguments, folder)
    assert signal.getsignal(signal.SIGINT) is handler
    resumed = train(*arguments, folder)
    assert resumed.summary["resumed"] == 1
    assert_same_result(resumed, train(*arguments, folder.with_name("whole")))


def test_a_finished_run_is_used_again(monkeypatch, caplog, folder, train_stream, validation_stream):
    arguments = (
        "gru",
        network_parameters("gru"),
        training_parameters(),
        train_stream,
        validation_stream,
    )
    first = train(*arguments, 7, folder)
    kill_at(monkeypatch, 0)
    caplog.set_level(logging.INFO, "memoryspan")
    again = train(*arguments, 7, folder)
    assert_same_result(again, first)
    assert again.summary == first.summary
    assert "already trained" in caplog.text
    with pytest.raises(KilledError):
        train(*arguments, 8, folder)
    assert not (folder / "result.json").exists()


@pytest.mark.parametrize("change", ["text", "seed", "learning_rate", "dropout"])
def test_checkpoints_of_another_run_are_not_used(
    monkeypatch, folder, train_stream, validation_stream, change
):
    network, training, seed = (
        network_parameters("gru"),
        training_parameters(checkpoint_minutes=0),
        7,
    )
    with monkeypatch.context() as patch:
        kill_at(patch, 20)
        with pytest.raises(KilledError):
            train("gru", network, training, train_stream, validation_stream, seed, folder)
    if change == "text":
        train_stream = random_stream(400, seed=99)
    elif change == "seed":
        seed = 8
    elif change == "learning_rate":
        network = network_parameters("gru", learning_rate=0.002)
    else:
        training = training_parameters(checkpoint_minutes=0, output_dropout=0.25)
    result = train("gru", network, training, train_stream, validation_stream, seed, folder)
    assert result.summary["resumed"] == 0


def test_a_damaged_checkpoint_is_named(monkeypatch, folder, train_stream, validation_stream):
    arguments = (
        "gru",
        network_parameters("gru"),
        training_parameters(),
        train_stream,
        validation_stream,
        7,
        folder,
    )
    with monkeypatch.context() as patch:
        kill_at(patch, 20)
        with pytest.raises(KilledError):
            train(*arguments)
    checkpoint = folder / "checkpoint.pt"
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    with pytest.raises(MemoryspanError, match=r"checkpoint\.pt cannot be read"):
        train(*arguments)


def test_history_and_summary_say_what_happened(folder, train_stream, validation_stream):
    training = training_parameters()
    result = train(
        "lstm", network_parameters("lstm"), training, train_stream, validation_stream, 7, folder
    )
    history, summary = result.history, result.summary
    assert history["step"].tolist() == [5, 10, 15, 20, 25, 30]
    assert history["tokens"].tolist()[-1] == summary["train_tokens"] == 800
    evaluated = history["validation_nats_per_token"].dropna()
    assert evaluated.index.tolist() == [2, 5]
    assert summary["best_validation_nats_per_token"] == evaluated.min()
    assert (history["gradient_norm_max"] >= history["gradient_norm_mean"]).all()
    assert history["learning_rate"].iloc[-1] < history["learning_rate"].max() <= 0.004
    assert history["seconds"].is_monotonic_increasing
    assert summary["parameters"] == result.model.parameter_count
    assert summary["tokens_per_second"] > 0
    # Validation reads four streams with the full softmax; the model's own scores read one.
    nats = -result.model.token_log_probs(validation_stream).mean()
    assert nats == pytest.approx(summary["best_validation_nats_per_token"], abs=0.05)


def test_one_stream_is_validated_exactly_as_the_model_scores_it(folder, validation_stream):
    result = train(
        "gru",
        network_parameters("gru"),
        training_parameters(streams=1, epochs=1),
        validation_stream,
        validation_stream,
        7,
        folder,
    )
    nats = -result.model.token_log_probs(validation_stream).mean()
    assert nats == pytest.approx(result.summary["best_validation_nats_per_token"], abs=1e-5)


@pytest.mark.parametrize("negatives", [0, 8])
@pytest.mark.parametrize("kind", KINDS)
def test_a_regular_text_is_learnt(kind, negatives, folder):
    text = np.tile(np.array([5, 9, 2, 7, 7, 3], dtype=np.int32), 150)
    stream = TokenStream.of(text, VOCABULARY_SIZE)
    training = training_parameters(
        epochs=6, negatives=negatives, input_dropout=0, hidden_dropout=0, output_dropout=0
    )
    shape = network_parameters(kind, learning_rate=0.02)
    result = train(kind, shape, training, stream, stream, 7, folder)
    assert result.summary["best_validation_perplexity"] < 1.15
    context = np.array([[5, 9, 2, 7]], dtype=np.int32)
    assert result.model.next_log_probs(context).argmax() == 7


def test_training_stops_when_validation_gets_worse(folder, train_stream):
    result = train(
        "gru",
        network_parameters("gru", learning_rate=0.05),
        training_parameters(epochs=20, patience=2),
        train_stream,
        random_stream(90, seed=3),
        7,
        folder,
    )
    assert result.summary["stopped_early"]
    assert result.summary["steps"] == 15 * (result.summary["best_epoch"] + 2) < 15 * 20


def test_the_best_epoch_is_what_comes_back(folder, validation_stream):
    # The better a regular text is learnt, the worse another one is predicted.
    text = np.tile(np.array([5, 9, 2, 7, 7, 3], dtype=np.int32), 60)
    result = train(
        "gru",
        network_parameters("gru", learning_rate=0.02),
        training_parameters(epochs=6, patience=6, streams=1),
        TokenStream.of(text, VOCABULARY_SIZE),
        validation_stream,
        7,
        folder,
    )
    assert result.summary["best_epoch"] < 6
    nats = -result.model.token_log_probs(validation_stream).mean()
    assert nats == pytest.approx(result.summary["best_validation_nats_per_token"], abs=1e-5)


def test_the_untrained_model_is_where_training_begins(
    monkeypatch, folder, train_stream, validation_stream
):
    seen = {}
    original = TruncatedBackpropagation.training_step

    def training_step(module, chunk, batch_idx):
        weights = module.network.state_dict()
        seen.setdefault("weights", {name: weights[name].clone() for name in weights})
        return original(module, chunk, batch_idx)

    monkeypatch.setattr(TruncatedBackpropagation, "training_step", training_step)
    shape = network_parameters("lstm", chrono_length=20)
    train("lstm", shape, training_parameters(), train_stream, validation_stream, 7, folder)
    initial = initial_model(shape, VOCABULARY_SIZE, seed=7).network.state_dict()
    assert all(torch.equal(seen["weights"][name], initial[name]) for name in initial)


def test_a_loss_that_is_not_finite_stops_with_advice(
    monkeypatch, folder, train_stream, validation_stream
):
    original = TruncatedBackpropagation.training_step

    def training_step(module, chunk, batch_idx):
        loss = original(module, chunk, batch_idx)
        return loss * torch.inf if module.run.step == 9 else loss

    monkeypatch.setattr(TruncatedBackpropagation, "training_step", training_step)
    with pytest.raises(MemoryspanError, match=r"step 10: .*learning_rate"):
        train(
            "rnn",
            network_parameters("rnn"),
            training_parameters(),
            train_stream,
            validation_stream,
            7,
            folder,
        )


def test_texts_that_do_not_fit_are_refused(folder, train_stream, validation_stream):
    shape, training = network_parameters("gru"), training_parameters(streams=100)
    with pytest.raises(MemoryspanError, match="validation split has 90 tokens"):
        train("gru", shape, training, train_stream, validation_stream, 7, folder)
    foreign = TokenStream.of(validation_stream.ids, VOCABULARY_SIZE + 1)
    with pytest.raises(MemoryspanError, match="vocabulary"):
        train("gru", shape, training_parameters(), train_stream, foreign, 7, folder)


def test_nothing_is_written_elsewhere_and_the_random_state_stays(
    monkeypatch, capfd, folder, train_stream, validation_stream
):
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    torch.manual_seed(0)
    before = torch.get_rng_state()
    train(
        "gru",
        network_parameters("gru"),
        training_parameters(),
        train_stream,
        validation_stream,
        7,
        folder,
    )
    assert torch.equal(torch.get_rng_state(), before)
    assert list(elsewhere.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["best", "result.json"]
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_training_works_outside_the_main_thread(folder, train_stream, validation_stream):
    results = []
    arguments = (
        "gru",
        network_parameters("gru"),
        training_parameters(epochs=1),
        train_stream,
        validation_stream,
        7,
        folder,
    )
    thread = threading.Thread(target=lambda: results.append(train(*arguments)))
    thread.start()
    thread.join()
    assert len(results) == 1


def test_bfloat16_trains_where_the_cpu_has_it(folder, train_stream, validation_stream):
    if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        pytest.skip("this CPU computes no bfloat16")
    result = train(
        "lstm",
        network_parameters("lstm"),
        training_parameters(precision="auto"),
        train_stream,
        validation_stream,
        7,
        folder,
    )
    assert result.summary["precision"] == "bfloat16"
    assert np.isfinite(result.summary["best_validation_nats_per_token"])


def test_a_folder_without_a_run_has_nothing(tmp_path):
    folder = CheckpointFolder(tmp_path / "none", "fingerprint")
    assert folder.result() is None
    assert folder.checkpoint() is None
