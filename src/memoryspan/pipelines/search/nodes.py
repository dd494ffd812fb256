"""Nodes of the search pipeline: the same function for every network."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.search.parameters import SearchParameters
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.pipelines.models import NEURAL
from memoryspan.text.streams import TokenStream


def searcher(name: str) -> Callable[..., pd.DataFrame]:
    """A node function that tries configurations of the network of one namespace."""

    def search_network(
        network: NetworkParameters,
        training: TrainingParameters,
        own_training: dict[str, Any],
        search: SearchParameters,
        train_stream: TokenStream,
        validation_stream: TokenStream,
        study: Path,
        checkpoint_folder: str,
        seed: int,
    ) -> pd.DataFrame:
        from memoryspan.neural.search.study import search as search_for

        return search_for(
            name,
            network,
            training.with_values(own_training),
            search,
            train_stream,
            validation_stream,
            seed,
            study,
            Path(checkpoint_folder) / "search" / name,
        )

    return search_network


def write_best(search: SearchParameters, seed: int, **parts: Any) -> str:
    """The best values of every network as YAML, and where they come from."""
    from memoryspan.neural.search.found import found_configuration

    tokens = "all" if search.train_tokens is None else f"{search.train_tokens:,}"
    origin = (
        f"# Found by `kedro run --pipelines search`: {search.trials} trials of each network,"
        f" {tokens} training tokens\n# each in {search.epochs} epoch(s), seed {seed}. The loss is"
        " that of the validation split.\n"
    )
    return origin + found_configuration(
        {model: parts[f"{model}_search"] for model in NEURAL},
        {model: NetworkParameters.model_validate(parts[f"{model}_network"]) for model in NEURAL},
        {model: parts[f"{model}_training"] for model in NEURAL},
    )


def draw_learning_rates(search_trials: pd.DataFrame) -> Any:
    """Validation loss by learning rate."""
    from memoryspan.reporting.figures.learning_rates import learning_rates_figure

    return learning_rates_figure(search_trials)
