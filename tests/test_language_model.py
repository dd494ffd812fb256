"""Sentences on their own, for every family: against one text after the other."""

from itertools import pairwise
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.language_model import SentenceScorer, sentence_log_probs
from memoryspan.mixture.cache import UnigramCache
from memoryspan.mixture.model import Mixture
from memoryspan.ngram import (
    KneserNey,
    NgramCounts,
    NgramParameters,
    UniformModel,
    UnigramModel,
    make_estimator,
)
from memoryspan.ngram.parameters import EstimatorName
from memoryspan.text.streams import TokenStream

V = 12


def stream(tokens: int, seed: int = 0) -> TokenStream:
    """Sentences of unequal length, some of them empty, the last one unfinished."""
    ids = np.random.default_rng(seed).integers(0, V, tokens).astype(np.int32)
    ids[[4, 5, 20]] = 1
    ids[-1] = 3
    return TokenStream.of(ids, V)


def one_after_the_other(model, text: TokenStream):
    bounds = text.sentence_bounds
    sentences = [text.ids[a:b] for a, b in pairwise(bounds)]
    return np.concatenate([model.token_log_probs(TokenStream.of(ids, V)) for ids in sentences])


@given(st.lists(st.integers(0, 3), max_size=30))
def test_sentences_are_what_ends_with_their_end_token(ids):
    text = TokenStream.of(np.array(ids, np.int32), 4)
    bounds = text.sentence_bounds
    assert (bounds[0], bounds[-1]) == (0, len(ids))
    assert (np.diff(bounds) > 0).all()
    for begin, end in pairwise(bounds):
        assert 1 not in ids[begin : end - 1]
        assert ids[end - 1] == 1 or end == len(ids)


@pytest.mark.parametrize("name", get_args(EstimatorName))
@pytest.mark.parametrize("order", [1, 3])
def test_ngrams_begin_anew_at_every_sentence_anyhow(name, order):
    counts = NgramCounts.of(stream(500, seed=1), 3)
    model = make_estimator(name, NgramParameters(), stream(90, seed=2)).estimate(counts, order)
    text = stream(60)
    expected = one_after_the_other(model, text)
    np.testing.assert_allclose(sentence_log_probs(model, text), expected, atol=1e-12)
    np.testing.assert_array_equal(sentence_log_probs(model, text), model.token_log_probs(text))


def test_a_model_that_knows_no_better_is_asked_sentence_by_sentence():
    cache, text = UnigramCache(50, V), stream(60)
    assert not isinstance(cache, SentenceScorer)
    scores = sentence_log_probs(cache, text)
    np.testing.assert_array_equal(scores, one_after_the_other(cache, text))
    assert not np.allclose(scores, cache.token_log_probs(text))


def test_a_mixture_asks_its_components():
    counts = NgramCounts.of(stream(500, seed=1), 3)
    models = [KneserNey().estimate(counts, 3), UniformModel(V), UnigramCache(50, V)]
    mixture, text = Mixture(models, [0.5, 0.2, 0.3]), stream(60)
    expected = one_after_the_other(mixture, text)
    np.testing.assert_allclose(sentence_log_probs(mixture, text), expected, atol=1e-12)


def test_no_tokens_are_no_sentences():
    empty = TokenStream.of(np.empty(0, np.int32), V)
    for model in (UnigramCache(5, V), UnigramModel.of(stream(50))):
        assert sentence_log_probs(model, empty).shape == (0,)
