from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.ngram import model as model_module
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
from memoryspan.ngram.model import NgramModel
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

V = 6
words = st.sampled_from([0, 2, 3, 4, 5])
sentences = st.lists(st.lists(words, max_size=9), min_size=1, max_size=9)
estimators = st.sampled_from([KneserNey().estimate, MaximumLikelihood().estimate])
Estimator = Callable[[NgramCounts, int], NgramModel]


def one_by_one(model: NgramModel, stream: TokenStream, window: int | None) -> np.ndarray:
    """Each token from the row of its own context."""
    history = [END_ID, *stream.ids.tolist()]
    log_probs = []
    for p, token in enumerate(stream.ids):
        context = history[: p + 1] if window is None else history[max(0, p + 1 - window) : p + 1]
        row = model.next_log_probs(np.array([context], np.int32).reshape(1, -1))[0]
        log_probs.append(row[token])
    return np.array(log_probs)


@settings(deadline=None)
@given(
    train=sentences,
    test=sentences,
    order=st.integers(1, 4),
    window=st.none() | st.integers(0, 5),
    estimate=estimators,
)
def test_scores_are_the_rows_of_their_contexts(
    stream_of: Any,
    train: list[list[int]],
    test: list[list[int]],
    order: int,
    window: int | None,
    estimate: Estimator,
) -> None:
    model = estimate(NgramCounts.of(stream_of(train, V), order), order)
    stream = stream_of(test, V)
    np.testing.assert_allclose(
        model.token_log_probs(stream, window), one_by_one(model, stream, window), rtol=1e-12
    )


@given(train=sentences, test=sentences, order=st.integers(1, 4), estimate=estimators)
def test_flat_from_its_order_on(
    stream_of: Any,
    train: list[list[int]],
    test: list[list[int]],
    order: int,
    estimate: Estimator,
) -> None:
    """What lies n−1 or more tokens back cannot matter: equal to the last bit."""
    model = estimate(NgramCounts.of(stream_of(train, V), order), order)
    stream = stream_of(test, V)
    whole = model.token_log_probs(stream)
    for window in (order - 1, order, order + 7):
        np.testing.assert_array_equal(model.token_log_probs(stream, window), whole)


def test_windows_below_the_order_matter(tinyshakespeare: Any) -> None:
    model = KneserNey().estimate(tinyshakespeare.counts, 4)
    nats = [-model.token_log_probs(tinyshakespeare.test, k).mean() for k in range(4)]
    assert nats[0] > nats[1] > nats[2] > nats[3] - 1e-3


def test_parts_scored_by_threads_are_those_of_one_pass(
    tinyshakespeare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = KneserNey().estimate(tinyshakespeare.counts, 5)
    whole = model.score(tinyshakespeare.test)
    monkeypatch.setattr(model_module, "TOKENS_PER_TASK", 97)
    parts = model.score(tinyshakespeare.test)
    np.testing.assert_array_equal(parts.log_probs, whole.log_probs)
    np.testing.assert_array_equal(parts.matched, whole.matched)


def test_matched_orders(corpus_of: Any) -> None:
    corpus = corpus_of(["a b c", "b c"], ["a b c", "c a b d"])
    model = KneserNey().estimate(corpus.counts, 3)
    assert model.score(corpus.test).matched.tolist() == [2, 3, 3, 3, 1, 1, 2, 1, 1]


def test_is_a_language_model(corpus_of: Any) -> None:
    assert isinstance(KneserNey().estimate(corpus_of(["a"]).counts, 2), LanguageModel)


def test_an_empty_stream_and_no_contexts(corpus_of: Any) -> None:
    model = KneserNey().estimate(corpus_of(["a b"]).counts, 2)
    assert model.token_log_probs(TokenStream.of(np.empty(0, np.int32), 4)).shape == (0,)
    assert model.next_log_probs(np.empty((0, 3), np.int32)).shape == (0, 4)


@pytest.mark.parametrize("token", [-1, 4])
def test_ids_outside_the_vocabulary(corpus_of: Any, token: int) -> None:
    model = KneserNey().estimate(corpus_of(["a b"]).counts, 2)
    ids = np.array([2, token], np.int32)
    with pytest.raises(MemoryspanError, match="outside the 4 tokens"):
        model.token_log_probs(TokenStream.of(ids, 9))
    with pytest.raises(MemoryspanError, match="outside the 4 tokens"):
        model.next_log_probs(ids.reshape(1, 2))
