"""Nodes of the evaluate pipeline: no node knows a model's family."""

from typing import Any

import pandas as pd

from memoryspan.evaluation.comparison import compare_with_reference
from memoryspan.evaluation.generation import samples
from memoryspan.evaluation.parameters import GenerationParameters
from memoryspan.evaluation.perplexity import perplexity_table
from memoryspan.evaluation.scores import ModelScores
from memoryspan.language_model import LanguageModel
from memoryspan.pipelines.summaries import check_same_tokens
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer


def score(
    model: LanguageModel,
    summary: dict[str, Any],
    validation_stream: TokenStream,
    test_stream: TokenStream,
) -> ModelScores:
    """Log-probabilities of every token of the validation and the test split."""
    check_same_tokens(summary, test_stream.vocabulary_digest)
    return ModelScores.of(model, summary["train_seconds"], validation_stream, test_stream)


def compare(
    validation_stream: TokenStream, test_stream: TokenStream, seed: int, *scores: ModelScores
) -> tuple[pd.DataFrame, list[str]]:
    """The perplexity table and what it says of each neural model."""
    by_name = {score.name: score for score in scores}
    table = perplexity_table(by_name, test_stream, validation_stream, seed)
    return table, compare_with_reference(table)


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
