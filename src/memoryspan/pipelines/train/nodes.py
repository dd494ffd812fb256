"""Nodes of the train pipeline: the same function for every neural model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from memoryspan.language_model import LanguageModel
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.pipelines.summaries import model_summary
from memoryspan.text.streams import TokenStream

Trained = tuple[LanguageModel, dict[str, Any], pd.DataFrame]


def trainer(name: str) -> Callable[..., Trained]:
    """A node function that trains the network of one namespace."""

    def train_network(
        network: NetworkParameters,
        training: TrainingParameters,
        own_training: dict[str, Any],
        train_stream: TokenStream,
        validation_stream: TokenStream,
        checkpoint_folder: str,
        seed: int,
    ) -> Trained:
        from memoryspan.neural.training import train

        training = training.with_values(own_training)
        result = train(
            name,
            network,
            training,
            train_stream,
            validation_stream,
            seed,
            Path(checkpoint_folder) / name,
        )
        seconds = result.summary["train_seconds"]
        settings = {
            "network": result.model.parameters.model_dump(mode="json"),
            "training": training.model_dump(mode="json"),
            "seed": seed,
        }
        summary = result.summary | settings | model_summary(result.model, seconds, train_stream)
        return result.model, summary, result.history

    return train_network
