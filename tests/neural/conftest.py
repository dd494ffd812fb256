"""What the tests of neural models share."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.text.streams import TokenStream

VOCABULARY_SIZE = 30
KINDS = ("feedforward", "rnn", "gru", "lstm", "transformer")
RECURRENT_KINDS = KINDS[1:4]


def network_parameters(kind: str, **changes: object) -> NetworkParameters:
    """A network of a few hundred weights."""
    values = {"kind": kind, "hidden_size": 12, "embedding_size": 8, "window": 3, "heads": 2}
    return NetworkParameters.model_validate({**values, **changes})


def training_parameters(**changes: object) -> TrainingParameters:
    """A training of a second, in exact arithmetic."""
    values = {
        "streams": 4,
        "bptt": 7,
        "epochs": 2,
        "negatives": 10,
        "log_steps": 5,
        "accelerator": "cpu",
        "precision": "float32",
    }
    return TrainingParameters.model_validate({**values, **changes})


def random_stream(tokens: int, seed: int = 0) -> TokenStream:
    """Tokens with unequal frequencies."""
    generator = np.random.default_rng(seed)
    ids = generator.integers(0, VOCABULARY_SIZE, tokens) * generator.integers(0, 2, tokens)
    return TokenStream.of(ids.astype(np.int32), VOCABULARY_SIZE)


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tiny matrices gain nothing from threads, and lose much on a busy machine."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def train_stream() -> TokenStream:
    """400 tokens."""
    return random_stream(400, seed=1)


@pytest.fixture
def validation_stream() -> TokenStream:
    """90 tokens."""
    return random_stream(90, seed=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint folder."""
    return tmp_path / "checkpoints"
