"""Nodes of the ngram pipeline."""

import time
from collections.abc import Callable
from typing import Any

import pandas as pd

from memoryspan.language_model import LanguageModel
from memoryspan.ngram.arpa.renaming import sayable
from memoryspan.ngram.chance import UniformModel, UnigramModel
from memoryspan.ngram.continuations import choose_contexts, top_continuations
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.estimators import make_estimator
from memoryspan.ngram.growth import growth_curve, heaps_fit
from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.out_of_core.choice import count_ngrams
from memoryspan.ngram.out_of_core.engine import Connect
from memoryspan.ngram.parameters import (
    CountingParameters,
    EstimatorName,
    NgramParameters,
    TableParameters,
)
from memoryspan.ngram.sparsity import seen_ngrams
from memoryspan.ngram.text_model import TextModel
from memoryspan.pipelines.models import ORDERS
from memoryspan.pipelines.summaries import check_same_tokens, model_summary
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer

Estimated = tuple[LanguageModel, dict[str, Any]]


def count(
    train_stream: TokenStream, counting: CountingParameters, database: Connect
) -> NgramCounts:
    """Count all n-grams of the training split up to the highest order."""
    return count_ngrams(train_stream, max(ORDERS), counting, database)


def list_ngrams(order: int) -> Callable[[NgramCounts, Tokenizer], pd.DataFrame]:
    """A node function that lists the n-grams of one order."""

    def table(counts: NgramCounts, tokenizer: Tokenizer) -> pd.DataFrame:
        return counts.table(order, tokenizer.vocabulary)

    return table


def count_counts(counts: NgramCounts) -> pd.DataFrame:
    """How many n-grams of each order occur once, twice, …"""
    return counts.counts_of_counts()


def measure_growth(
    all_types_stream: TokenStream, tables: TableParameters
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How many distinct n-grams the first N tokens have, and Heaps' law fitted to it."""
    growth = growth_curve(all_types_stream, max(ORDERS), tables.growth_points)
    return growth, heaps_fit(growth)


def look_up_test_ngrams(counts: NgramCounts, test_stream: TokenStream, seed: int) -> pd.DataFrame:
    """The share of the test split's n-grams that the training split has."""
    return seen_ngrams(counts, test_stream, seed)


def list_continuations(
    counts: NgramCounts, tokenizer: Tokenizer, tables: TableParameters, **kneser_ney: Any
) -> pd.DataFrame:
    """What follows the configured contexts, with the probabilities made of the counts."""
    models: dict[int, LanguageModel] = {}
    for n in ORDERS:
        check_same_tokens(kneser_ney[f"kneser_ney_{n}_summary"], tokenizer.vocabulary.digest)
        models[n] = kneser_ney[f"kneser_ney_{n}_model"]
    contexts = choose_contexts(tables, counts, tokenizer.encode)
    return top_continuations(counts, tokenizer.vocabulary, models, contexts, tables.continuations)


def maximum_likelihood(order: int) -> Callable[[NgramCounts, TokenStream], Estimated]:
    """A node function: the count ratio of the lecture, for one order."""

    def estimate(counts: NgramCounts, train_stream: TokenStream) -> Estimated:
        return timed(lambda: MaximumLikelihood().estimate(counts, order), train_stream)

    return estimate


def with_words(model: NgramModel, summary: dict[str, Any], tokenizer: Tokenizer) -> TextModel:
    """The model together with its words, under the names that they have in an ARPA file."""
    check_same_tokens(summary, tokenizer.vocabulary.digest)
    return TextModel(model, sayable(tokenizer.vocabulary))


def smoothed(estimator: EstimatorName, order: int) -> Callable[..., Estimated]:
    """A node function: one estimator at one order."""

    def estimate(
        counts: NgramCounts,
        train_stream: TokenStream,
        parameters: NgramParameters,
        validation_stream: TokenStream | None = None,
    ) -> Estimated:
        def make() -> LanguageModel:
            return make_estimator(estimator, parameters, validation_stream).estimate(counts, order)

        return timed(make, train_stream)

    return estimate


def estimate_uniform(train_stream: TokenStream) -> Estimated:
    """Every token equally likely: the upper chance row."""
    return timed(lambda: UniformModel(train_stream.vocabulary_size), train_stream)


def estimate_unigram(train_stream: TokenStream) -> Estimated:
    """Relative frequencies without context: the lower chance row."""
    return timed(lambda: UnigramModel.of(train_stream), train_stream)


def timed(estimate: Callable[[], LanguageModel], train_stream: TokenStream) -> Estimated:
    """The model and its summary, with the seconds that the estimate took."""
    start = time.perf_counter()
    model = estimate()
    return model, model_summary(model, time.perf_counter() - start, train_stream)
