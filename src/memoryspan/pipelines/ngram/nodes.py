"""Nodes of the ngram pipeline."""

import time
from collections.abc import Callable
from typing import Any

import pandas as pd

from memoryspan.language_model import LanguageModel
from memoryspan.ngram.chance import UniformModel, UnigramModel
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.estimators import make_estimator
from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
from memoryspan.ngram.parameters import EstimatorName, NgramParameters
from memoryspan.pipelines.models import ORDERS
from memoryspan.pipelines.summaries import model_summary
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer

Estimated = tuple[LanguageModel, dict[str, Any]]


def count(train_stream: TokenStream) -> NgramCounts:
    """Count all n-grams of the training split up to the highest order."""
    return NgramCounts.of(train_stream, max(ORDERS))


def list_ngrams(order: int) -> Callable[[NgramCounts, Tokenizer], pd.DataFrame]:
    """A node function that lists the n-grams of one order."""

    def table(counts: NgramCounts, tokenizer: Tokenizer) -> pd.DataFrame:
        return counts.table(order, tokenizer.vocabulary)

    return table


def maximum_likelihood(order: int) -> Callable[[NgramCounts, TokenStream], Estimated]:
    """A node function: the count ratio of the lecture, for one order."""

    def estimate(counts: NgramCounts, train_stream: TokenStream) -> Estimated:
        return timed(lambda: MaximumLikelihood().estimate(counts, order), train_stream)

    return estimate


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
