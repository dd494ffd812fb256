"""Real searches: what is tried, what is pruned, and what an interruption changes (nothing)."""

import sqlite3

import optuna
import pytest
import torch
from tests.neural.conftest import network_parameters, training_parameters
from tests.neural.search.conftest import NETWORK, regular_stream, search_parameters

from memoryspan.errors import MemoryspanError
from memoryspan.neural.module import TruncatedBackpropagation
from memoryspan.neural.search.found import best_row
from memoryspan.neural.training import train

TIMELESS = [
    *("trial", "origin", "outcome", "validation_nats_per_token", "tokens", "reason"),
    *("hidden_size", "learning_rate", "layers"),
]


class Killed(BaseException):  # as sudden as a signal
    pass


def disturb(monkeypatch, step, what):
    """Let ``what(module, loss)`` answer training step number ``step`` (over all trials)."""
    original = TruncatedBackpropagation.training_step
    steps = 0

    def training_step(module, chunk, batch_idx):
        nonlocal steps
        steps += 1
        loss = original(module, chunk, batch_idx)
        return what(module, loss) if steps == step else loss

    monkeypatch.setattr(TruncatedBackpropagation, "training_step", training_step)


def kill(module, loss):
    raise Killed


def states(storage):
    with sqlite3.connect(storage) as database:
        return [state for (state,) in database.execute("select state from trials order by number")]


def test_first_the_configuration_then_it_at_another_depth(searched, folder):
    table = searched(trials=3)
    assert table["origin"].tolist() == ["configuration", "other depth", "sampler"]
    assert table["trial"].tolist() == [1, 2, 3]
    first = table.iloc[0]
    assert (first["learning_rate"], first["layers"], first["outcome"]) == (0.02, 1, "complete")
    assert table["layers"].tolist()[1] == 2
    assert table["hidden_size"].tolist()[1] < first["hidden_size"]
    assert not folder.exists()  # of all trials' checkpoints nothing stays

    training = search_parameters().training_of_a_trial(training_parameters())
    network = network_parameters("gru", **NETWORK)
    streams = regular_stream(400), regular_stream(90)
    alone = train("alone", network, training, *streams, 7, folder)
    assert first["validation_nats_per_token"] == alone.summary["best_validation_nats_per_token"]
    assert first["tokens"] == alone.summary["train_tokens"] == 300


@pytest.mark.parametrize("step", [3, 26])  # in the first trial; in one that TPE has drawn
def test_a_killed_search_ends_like_one_that_was_not(monkeypatch, searched, storage, step):
    with monkeypatch.context() as patch:
        disturb(patch, step, kill)
        with pytest.raises(Killed):
            searched(trials=5)
    assert states(storage)[-1] == "RUNNING"
    resumed = searched(trials=5)
    assert states(storage).count("FAIL") == 1
    assert len(states(storage)) == 6
    storage.unlink()
    assert resumed[TIMELESS].equals(searched(trials=5)[TIMELESS])


def test_more_trials_go_on_where_fewer_ended(searched, storage):
    few = searched(trials=2)
    assert searched(trials=2).equals(few)  # read, not done again
    more = searched(trials=4)
    assert more.head(2).equals(few)
    storage.unlink()
    assert more[TIMELESS].equals(searched(trials=4)[TIMELESS])


def test_what_does_worse_than_the_median_is_pruned(searched, storage):
    table = searched(trials=7)
    pruned = table[table["outcome"] == "pruned"]
    assert len(pruned) >= 1
    assert (pruned["origin"] == "sampler").all()
    assert (pruned["tokens"] < 300).all()
    complete = table[table["outcome"] == "complete"]
    assert (complete["tokens"] == 300).all()
    best = best_row(table)
    assert best["outcome"] == "complete"
    assert best["validation_nats_per_token"] == complete["validation_nats_per_token"].min()


def test_a_training_that_breaks_down_is_noted_and_the_search_goes_on(
    monkeypatch, searched, storage
):
    disturb(monkeypatch, 12, lambda module, loss: loss * torch.inf)  # 11 steps per trial
    table = searched(trials=3)
    assert table["outcome"].tolist()[1] == "broken"
    assert "step 1" in table["reason"].tolist()[1]
    assert table["validation_nats_per_token"].isna().tolist() == [False, True, False]
    assert best_row(table)["trial"] != 2
    assert states(storage)[1] == "PRUNED"  # so that the sampler knows


def test_a_search_without_any_result_says_so(monkeypatch, searched, storage):
    original = TruncatedBackpropagation.training_step
    monkeypatch.setattr(
        TruncatedBackpropagation,
        "training_step",
        lambda module, chunk, batch_idx: original(module, chunk, batch_idx) * torch.nan,
    )
    with pytest.raises(MemoryspanError, match=r"No trial of gru came to its end.*gru\.db"):
        searched(trials=2)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"space": {"learning_rate": [0.001, 0.1], "layers": None}}, r"space\.layers, search"),
        ({"train_tokens": 200}, r"training\.max_train_tokens"),
        ({"training": {"weight_decay": 0.5}}, r"training\.weight_decay"),
        ({"network": {"learning_rate": 0.05}}, r"network\.learning_rate"),
        ({"seed": 8}, "seed"),
    ],
)
def test_another_search_is_not_gone_on_with(searched, storage, change, named):
    searched(trials=1)
    with pytest.raises(MemoryspanError, match=rf"gru\.db.*{named}.*Delete or rename"):
        searched(trials=1, **change)
    assert states(storage) == ["COMPLETE"]


def test_how_it_is_computed_may_change(searched):
    few = searched(trials=1)
    assert searched(trials=1, training={"checkpoint_minutes": 1, "log_steps": 3}).equals(few)


@pytest.mark.parametrize("content", [b"no database at all " * 60, b"SQLite format 3\0" * 80])
def test_a_damaged_file_is_named(searched, storage, content):
    storage.parent.mkdir()
    storage.write_bytes(content)
    with pytest.raises(MemoryspanError, match=r"gru\.db cannot be used.*Delete or rename"):
        searched(trials=1)
    assert storage.read_bytes() == content


def test_another_programs_database_stays_as_it_is(searched, storage):
    storage.parent.mkdir()
    with sqlite3.connect(storage) as database:
        database.execute("create table runs (name text)")
    with pytest.raises(MemoryspanError, match="another program's database"):
        searched(trials=1)
    with sqlite3.connect(storage) as database:
        tables = database.execute("select name from sqlite_master").fetchall()
    assert tables == [("runs",)]


def test_optuna_says_nothing_of_its_own(searched, capfd):
    searched(trials=1)
    assert optuna.logging.get_verbosity() == optuna.logging.WARNING
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
