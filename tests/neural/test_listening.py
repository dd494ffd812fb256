"""A listener hears how a training goes, and changes nothing of it."""

import numpy as np
import pytest
import torch
from tests.neural.conftest import network_parameters, training_parameters

from memoryspan.neural.listening import Listener
from memoryspan.neural.training import train


class StopError(Exception):
    pass


@pytest.mark.parametrize("kind", ["feedforward", "lstm", "transformer"])
def test_validation_in_mid_epoch_changes_nothing(kind, folder, train_stream, validation_stream):
    network, training = network_parameters(kind), training_parameters(input_dropout=0.3)
    arguments = (kind, network, training, train_stream, validation_stream, 7)
    heard = []
    listener = Listener(lambda epochs, nats: heard.append((epochs, nats)), per_epoch=3)
    with_listener = train(*arguments, folder, listener)
    alone = train(*arguments, folder.with_name("alone"))
    weights = with_listener.model.network.state_dict()
    expected = alone.model.network.state_dict()
    assert all(torch.equal(weights[name], expected[name]) for name in expected)
    # 400 tokens in 4 streams are 15 chunks of 7.
    assert [epochs for epochs, _ in heard] == pytest.approx(
        [5 / 15, 10 / 15, 1, 20 / 15, 25 / 15, 2]
    )
    ends = alone.history["validation_nats_per_token"].dropna()
    assert [heard[2][1], heard[5][1]] == ends.tolist()
    assert np.isfinite([nats for _, nats in heard]).all()


def test_a_listener_can_end_the_run(folder, train_stream, validation_stream):
    def hear(epochs, nats):
        if epochs > 0.3:
            raise StopError

    network, training = network_parameters("gru"), training_parameters()
    arguments = ("gru", network, training, train_stream, validation_stream, 7, folder)
    with pytest.raises(StopError):
        train(*arguments, Listener(hear, per_epoch=4))
    assert not (folder / "best").exists()  # stopped before the end of the first epoch
    assert train(*arguments).summary["steps"] == 30


def test_more_validations_than_chunks(folder, train_stream, validation_stream):
    heard = []
    listener = Listener(lambda epochs, nats: heard.append(epochs), per_epoch=100)
    network, training = network_parameters("gru"), training_parameters(epochs=1)
    train("gru", network, training, train_stream, validation_stream, 7, folder, listener)
    assert heard == pytest.approx([chunk / 15 for chunk in range(1, 16)])
