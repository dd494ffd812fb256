"""What the tests of adapting models share."""

import numpy as np
import pytest
from tests.neural.conftest import (
    KINDS,
    RECURRENT_KINDS,
    VOCABULARY_SIZE,
    network_parameters,
    training_parameters,
)

from memoryspan.neural.model import NeuralLanguageModel, initial_model
from memoryspan.neural.training import train
from memoryspan.text.streams import TokenStream

ADAPTABLE = [
    *((kind, {}) for kind in KINDS),
    ("rnn", {"activation": "sigmoid"}),
    ("lstm", {"layers": 2, "layer_norm": True, "tied": False, "projection": False}),
    ("gru", {"tied": False, "output_layer": "adaptive", "cutoffs": (12,)}),
]
"""Networks of every kind, and with every part that a network can have."""


def vivid_model(kind: str, **changes: object) -> NeuralLanguageModel:
    """An untrained model with larger weights than usual, so that contexts make a difference."""
    model = initial_model(network_parameters(kind, **changes), VOCABULARY_SIZE, seed=4, name=kind)
    for parameter in model.network.parameters():
        parameter.mul_(2.0)
    return model


def text_of_topics(tokens: int, seed: int) -> TokenStream:
    """Sentences of frequent words (2 … 9), and in each stretch of text two rare ones often."""
    generator = np.random.default_rng(seed)
    ids = generator.integers(2, 10, tokens)
    for start in range(0, tokens, 60):
        topic = generator.choice(np.arange(10, VOCABULARY_SIZE), 2, replace=False)
        places = start + np.arange(60)[generator.random(60) < 0.4]
        places = places[places < tokens]
        ids[places] = generator.choice(topic, len(places))
    ids[6::7] = 1
    return TokenStream.of(ids.astype(np.int32), VOCABULARY_SIZE)


@pytest.fixture(params=RECURRENT_KINDS)
def model(request) -> NeuralLanguageModel:
    """One of each recurrent kind."""
    return vivid_model(request.param)


@pytest.fixture(scope="session")
def topical(tmp_path_factory) -> NeuralLanguageModel:
    """An LSTM trained on a text of topics, too small to remember them."""
    return train(
        "lstm",
        network_parameters("lstm", learning_rate=0.02),
        training_parameters(epochs=4, bptt=10, negatives=0),
        text_of_topics(4000, 1),
        text_of_topics(600, 2),
        1,
        tmp_path_factory.mktemp("topical"),
    ).model
