"""Nodes of the probe pipeline."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from memoryspan.language_model import LanguageModel
from memoryspan.pipelines.summaries import check_same_tokens
from memoryspan.probes.context_length import (
    context_curve,
    context_length_items,
    effective_context,
)
from memoryspan.probes.gradient import Stage, Unroll, gradient_items
from memoryspan.probes.gradient_summary import gradient_curve, gradient_summary
from memoryspan.probes.parameters import ContextLengthParameters, GradientParameters
from memoryspan.text.streams import TokenStream

if TYPE_CHECKING:
    from torch import Tensor

    from memoryspan.neural.recurrent import RecurrentNetwork


def measure_context(
    model: LanguageModel,
    summary: dict[str, Any],
    test_stream: TokenStream,
    context_length: ContextLengthParameters,
    seed: int,
) -> pd.DataFrame:
    """Surprisal of the same targets with only the last k tokens visible."""
    check_same_tokens(summary, test_stream.vocabulary_digest)
    return context_length_items(model, test_stream, context_length, seed)


def summarise_context(seed: int, *items: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The curves of all models, and the effective context length of each."""
    together = pd.concat(items, ignore_index=True)
    return context_curve(together, seed), effective_context(together, seed)


def measure_gradient(
    model: Any,
    summary: dict[str, Any],
    test_stream: TokenStream,
    gradient: GradientParameters,
    seed: int,
) -> pd.DataFrame:
    """The gradient by lag of a recurrent model, as it began and as it was trained."""
    from memoryspan.neural.model import initial_model

    check_same_tokens(summary, test_stream.vocabulary_digest)
    initial: Any = initial_model(model.parameters, model.vocabulary_size, seed, model.name)
    stages: tuple[tuple[Stage, Any], ...] = (("initialisation", initial), ("trained", model))
    items = [
        gradient_items(
            model.name, stage, float64_unroll(of_stage.network), test_stream, gradient, seed
        )
        for stage, of_stage in stages
    ]
    return pd.concat(items, ignore_index=True)


def float64_unroll(network: "RecurrentNetwork") -> Unroll:
    """The joint states of a float64 copy of the network, step by step from the zero state."""
    from copy import deepcopy

    precise = deepcopy(network).double()

    def unroll(tokens_BT: "Tensor") -> "list[Tensor]":
        return precise.unroll(tokens_BT, precise.initial_state(len(tokens_BT))).states

    return unroll


def summarise_gradient(seed: int, *items: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The curves of all models and stages, and their decay."""
    together = pd.concat(items, ignore_index=True)
    return gradient_curve(together, seed), gradient_summary(together, seed)
