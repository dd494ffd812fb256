"""Searches of seconds, on a text that can be learnt."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.neural.conftest import VOCABULARY_SIZE, network_parameters, training_parameters

from memoryspan.neural.search.parameters import SearchParameters
from memoryspan.neural.search.study import search
from memoryspan.text.streams import TokenStream

Search = Callable[..., pd.DataFrame]

NETWORK = {"hidden_size": None, "parameters": 3000, "learning_rate": 0.02}


def search_parameters(**changes: object) -> SearchParameters:
    """A few trials of 300 tokens."""
    space = {"learning_rate": (1e-5, 1.0), "layers": (1, 2)}
    values = {
        "trials": 3,
        "train_tokens": 300,
        "validation_tokens": 60,
        "startup_trials": 2,
        "space": space,
    }
    return SearchParameters.model_validate({**values, **changes})


def regular_stream(tokens: int) -> TokenStream:
    """A text that repeats itself."""
    text = np.tile(np.array([5, 9, 2, 7, 7, 3], dtype=np.int32), -(-tokens // 6))
    return TokenStream.of(text[:tokens], VOCABULARY_SIZE)


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """Where the study is."""
    return tmp_path / "studies" / "gru.db"


@pytest.fixture
def searched(storage: Path, folder: Path) -> Search:
    """Searches for a GRU: ``searched(trials=3)``."""

    def run(
        network: dict[str, object] | None = None,
        training: dict[str, object] | None = None,
        seed: int = 7,
        **changes: object,
    ) -> pd.DataFrame:
        return search(
            "gru",
            network_parameters("gru", **(NETWORK | (network or {}))),
            training_parameters(**(training or {})),
            search_parameters(**changes),
            regular_stream(400),
            regular_stream(90),
            seed,
            storage,
            folder,
        )

    return run
