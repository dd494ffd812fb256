import io
import logging
import sys

import pytest
from tests.neural.conftest import network_parameters, training_parameters

from memoryspan.neural import progress
from memoryspan.neural.progress import perplexity
from memoryspan.neural.training import train


@pytest.fixture
def run(folder, train_stream, validation_stream):
    def run(**changes):
        training = training_parameters(**changes)
        shape = network_parameters("gru")
        return train("gru", shape, training, train_stream, validation_stream, 7, folder)

    return run


def test_without_a_terminal_there_are_few_lines(run, caplog):
    caplog.set_level(logging.INFO, "memoryspan")
    result = run()
    assert len(caplog.messages) == 2
    best = result.summary["best_validation_perplexity"]
    assert f"epoch {result.summary['best_epoch']}" in caplog.text
    assert f"perplexity {best:.2f}" in caplog.text


def test_a_long_epoch_says_where_it_stands(run, caplog, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    caplog.set_level(logging.INFO, "memoryspan")
    run()
    lines = [message for message in caplog.messages if "tokens/s" in message]
    assert len(lines) == 30
    assert lines[-1].startswith("gru: step 30 of 30")
    assert lines[-1].endswith(" 0 s left")


def test_on_a_terminal_there_is_a_bar(run, caplog, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    caplog.set_level(logging.INFO, "memoryspan")
    run()
    assert caplog.messages == []
    assert "30/30" in terminal.getvalue()
    assert "tokens/s, loss" in terminal.getvalue()


def test_the_perplexity_of_a_broken_model_is_infinite():
    assert perplexity(0.0) == 1
    assert perplexity(1e4) == float("inf")
