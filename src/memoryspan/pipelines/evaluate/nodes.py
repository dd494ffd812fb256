"""Nodes of the evaluate pipeline: no node knows a model's family."""

import logging
import time
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from memoryspan.evaluation.comparison import compare_with_reference
from memoryspan.evaluation.generation import samples
from memoryspan.evaluation.modes import modes_table
from memoryspan.evaluation.parameters import GenerationParameters, SentenceResetParameters
from memoryspan.evaluation.perplexity import perplexity_table
from memoryspan.evaluation.scores import ModelScores
from memoryspan.language_model import LanguageModel
from memoryspan.mixture.cache import UnigramCache
from memoryspan.mixture.model import Mixture
from memoryspan.mixture.parameters import MixtureParameters
from memoryspan.neural.adaptation.parameters import (
    DynamicEvaluationParameters,
    NeuralCacheParameters,
)
from memoryspan.pipelines.summaries import check_same_tokens, model_summary
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer

if TYPE_CHECKING:
    from memoryspan.neural.model import NeuralLanguageModel

logger = logging.getLogger(__name__)


def add_neural_cache(
    model: LanguageModel,
    summary: dict[str, Any],
    parameters: NeuralCacheParameters,
    validation_stream: TokenStream,
) -> tuple[LanguageModel, dict[str, Any]]:
    """A network with the neural cache that suits it, by the validation split."""
    from memoryspan.neural.adaptation.cache_tuning import tuned_neural_cache

    check_same_tokens(summary, validation_stream.vocabulary_digest)
    start = time.perf_counter()
    cached = tuned_neural_cache(
        f"{model.name}_neural_cache",
        cast("NeuralLanguageModel", model),
        parameters,
        validation_stream,
    )
    about = model_summary(cached, time.perf_counter() - start, validation_stream)
    return cached, {**about, "tuned": cached.tuned}


def let_follow(
    model: LanguageModel,
    summary: dict[str, Any],
    parameters: DynamicEvaluationParameters,
    train_stream: TokenStream,
    validation_stream: TokenStream,
) -> tuple[LanguageModel, dict[str, Any]]:
    """A network that goes on learning as it reads, as fast as suits the validation split."""
    from memoryspan.neural.adaptation.dynamic_tuning import tuned_dynamic_evaluation

    check_same_tokens(summary, validation_stream.vocabulary_digest)
    start = time.perf_counter()
    dynamic = tuned_dynamic_evaluation(
        f"{model.name}_dynamic",
        cast("NeuralLanguageModel", model),
        parameters,
        train_stream,
        validation_stream,
    )
    about = model_summary(dynamic, time.perf_counter() - start, validation_stream)
    return dynamic, {**about, "tuned": dynamic.tuned}


def mix(
    validation_stream: TokenStream,
    parameters: MixtureParameters,
    *models_and_scores: LanguageModel | ModelScores,
) -> tuple[Mixture, dict[str, Any]]:
    """The mixture of some models and a cache, its weights from the validation split.

    Args:
        validation_stream: where the cache is scored; the others' scores are given.
        parameters: of the cache.
        models_and_scores: M models, then the scores of each.
    """
    half = len(models_and_scores) // 2
    components = list(cast("tuple[LanguageModel, ...]", models_and_scores[:half]))
    scores = cast("tuple[ModelScores, ...]", models_and_scores[half:])
    start = time.perf_counter()
    validation = {score.name: score.validation_log_probs for score in scores}
    if parameters.cache_tokens:
        cache = UnigramCache(parameters.cache_tokens, validation_stream.vocabulary_size)
        components.append(cache)
        validation[cache.name] = cache.token_log_probs(validation_stream)
    mixture = Mixture.fitted(components, validation)
    shares = ", ".join(f"{name} {weight:.3f}" for name, weight in mixture.weight_of.items())
    logger.info("weights of the mixture: %s", shares)
    summary = model_summary(mixture, time.perf_counter() - start, validation_stream)
    return mixture, {**summary, "weights": mixture.weight_of}


def score(
    model: LanguageModel,
    summary: dict[str, Any],
    validation_stream: TokenStream,
    test_stream: TokenStream,
    sentence_reset: SentenceResetParameters,
) -> ModelScores:
    """Log-probabilities of every token of the validation and the test split."""
    check_same_tokens(summary, test_stream.vocabulary_digest)
    seconds, tokens = summary["train_seconds"], sentence_reset.tokens
    return ModelScores.of(model, seconds, validation_stream, test_stream, tokens)


def compare(
    validation_stream: TokenStream, test_stream: TokenStream, seed: int, *scores: ModelScores
) -> tuple[pd.DataFrame, list[str], pd.DataFrame]:
    """The perplexity table, what it says of each neural model, and the two modes."""
    by_name = {score.name: score for score in scores}
    table = perplexity_table(by_name, test_stream, validation_stream, seed)
    return table, compare_with_reference(table), modes_table(by_name, test_stream, seed)


def continue_prompts(
    model: LanguageModel,
    summary: dict[str, Any],
    tokenizer: Tokenizer,
    generation: GenerationParameters,
    seed: int,
) -> pd.DataFrame:
    """One model's continuation of each prompt."""
    check_same_tokens(summary, tokenizer.vocabulary.digest)
    return samples(model, tokenizer, generation, seed)


def collect(*tables: pd.DataFrame) -> pd.DataFrame:
    """All models' tables below each other."""
    return pd.concat(tables, ignore_index=True)
