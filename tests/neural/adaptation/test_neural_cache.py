import math

import numpy as np
import pytest
import torch
from tests.neural.adaptation.conftest import text_of_topics, vivid_model
from tests.neural.conftest import VOCABULARY_SIZE, random_stream

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.neural.adaptation.cache_tuning import tuned_neural_cache
from memoryspan.neural.adaptation.neural_cache import NeuralCache
from memoryspan.neural.adaptation.parameters import NeuralCacheParameters
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

SETTINGS = {"size": 6, "flatness": 0.7, "weight": 0.3}


@pytest.fixture
def cache(model):
    return NeuralCache(model, **SETTINGS)


def weights_of(model):
    return {key: tensor.clone() for key, tensor in model.network.state_dict().items()}


def one_by_one(model, stream, size, flatness, weight):
    """The equations, a place at a time in plain floats, on the network's own hidden states."""
    read = torch.tensor([[END_ID, *stream.ids.tolist()]])
    with torch.inference_mode():
        reading = model.network.read(read, model.network.initial_state(1))
        vocab = model.network.output_layer.log_probs(reading.output_BTE[0]).exp()
    h = reading.hidden_BTH[0].double()
    expected = []
    for t, token in enumerate(stream.ids.tolist()):
        p = vocab[t, token].item()
        places = range(max(0, t - size), t)
        if places:
            scores = {i: math.exp(flatness * float(h[t] @ h[i])) for i in places}
            matching = sum(scores[i] for i in places if stream.ids[i] == token)
            p = (1 - weight) * p + weight * matching / sum(scores.values())
        expected.append(math.log(p))
    return np.array(expected)


@pytest.mark.parametrize("settings", [
    SETTINGS,
    {"size": 1, "flatness": 2.0, "weight": 0.5},
    {"size": 1000, "flatness": 0.0, "weight": 0.9},
])  # fmt: skip
def test_scores_are_those_of_the_equations(model, settings):
    stream = random_stream(60)
    scores = NeuralCache(model, **settings).token_log_probs(stream)
    np.testing.assert_allclose(scores, one_by_one(model, stream, **settings), atol=1e-5)


def test_it_is_a_language_model(cache, model):
    assert isinstance(cache, LanguageModel)
    assert cache.context_order is None
    assert cache.family == "adaptive"
    assert cache.parameter_count == model.parameter_count + 2


def test_each_token_gets_what_the_rows_say(cache):
    stream = random_stream(25)
    scores = cache.token_log_probs(stream)
    for position, token in enumerate(stream.ids):
        context = np.concatenate([[END_ID], stream.ids[:position]]).astype(np.int32)
        row = cache.next_log_probs(context[np.newaxis])[0]
        assert scores[position] == pytest.approx(row[token], abs=1e-5)


@pytest.mark.parametrize("window", [0, 1, 2, 5, 7, 24, 25, 100])
def test_windows_equal_contexts_with_nothing_before_them(cache, window):
    stream = random_stream(25)
    scores = cache.token_log_probs(stream, window=window)
    history = np.concatenate([[END_ID], stream.ids]).astype(np.int32)
    for position, token in enumerate(stream.ids):
        context = history[max(0, position + 1 - window) : position + 1]
        expected = cache.next_log_probs(context[np.newaxis])[0, token]
        assert scores[position] == pytest.approx(expected, abs=1e-5)


def test_blocks_do_not_change_the_scores(cache, monkeypatch):
    stream = random_stream(50)
    whole, windowed = cache.token_log_probs(stream), cache.token_log_probs(stream, window=4)
    monkeypatch.setattr("memoryspan.neural.model._LOGITS_AT_ONCE", 7 * VOCABULARY_SIZE)
    monkeypatch.setattr("memoryspan.neural.contexts.TOKENS_AT_ONCE", 9)
    for products in (1, 18, 1000):
        monkeypatch.setattr("memoryspan.neural.adaptation.cache_stream.PRODUCTS_AT_ONCE", products)
        np.testing.assert_allclose(cache.token_log_probs(stream), whole, atol=1e-5)
    np.testing.assert_allclose(cache.token_log_probs(stream, window=4), windowed, atol=1e-5)


@pytest.mark.parametrize("length", [0, 1, 2, 7, 20])
def test_distributions_sum_to_one(cache, length):
    contexts = random_stream(4 * length).ids.reshape(4, length)
    log_probs = cache.next_log_probs(contexts)
    assert log_probs.shape == (4, VOCABULARY_SIZE)
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("window", [None, 0, 3])
def test_without_weight_it_is_the_model_bit_for_bit(model, window):
    cache = NeuralCache(model, size=5, flatness=0.4, weight=0.0)
    stream = random_stream(40)
    assert np.array_equal(
        cache.token_log_probs(stream, window), model.token_log_probs(stream, window)
    )
    contexts = random_stream(40).ids.reshape(8, 5)
    assert np.array_equal(cache.next_log_probs(contexts), model.next_log_probs(contexts))


def test_nothing_is_kept_between_calls_and_the_model_stays_as_it_is(cache, model):
    before, stream = weights_of(model), random_stream(30)
    first = cache.token_log_probs(stream)
    cache.token_log_probs(random_stream(30, seed=5))
    cache.next_log_probs(random_stream(12).ids.reshape(2, 6))
    assert np.array_equal(cache.token_log_probs(stream), first)
    assert all(torch.equal(tensor, before[key]) for key, tensor in weights_of(model).items())


def test_no_contexts_and_no_tokens_are_no_problem(cache):
    assert cache.next_log_probs(np.empty((0, 3), np.int32)).shape == (0, VOCABULARY_SIZE)
    empty = TokenStream.of(np.empty(0, np.int32), VOCABULARY_SIZE)
    assert cache.token_log_probs(empty).size == 0
    assert cache.token_log_probs(empty, window=2).size == 0


def test_probabilities_of_all_texts_of_a_length_sum_to_one():
    cache = NeuralCache(vivid_model("lstm"), size=2, flatness=1.0, weight=0.4)
    size = 4  # of 30 tokens, only the first four
    texts = np.stack(np.meshgrid(*[np.arange(size)] * 4), axis=-1).reshape(-1, 4)
    total = sum(
        np.exp(cache.token_log_probs(TokenStream.of(text.astype(np.int32), VOCABULARY_SIZE)).sum())
        for text in texts
    )
    assert 0 < total < 1
    # P(first in the four) · P(second in the four | first) · …, summed from the rows
    reached = {(): 1.0}
    for _ in range(4):
        rows = {
            text: cache.next_log_probs(np.array([[END_ID, *text]], np.int32))[0] for text in reached
        }
        reached = {
            (*text, token): p * math.exp(rows[text][token])
            for text, p in reached.items()
            for token in range(size)
        }
    assert total == pytest.approx(sum(reached.values()), rel=1e-5)


@pytest.mark.parametrize("changes", [{"size": 0}, {"flatness": -1}, {"weight": 1.0}])
def test_impossible_settings_are_refused(model, changes):
    with pytest.raises(ValueError, match="no neural cache"):
        NeuralCache(model, **{**SETTINGS, **changes})


def test_a_foreign_vocabulary_is_refused(cache):
    with pytest.raises(MemoryspanError, match="vocabulary"):
        cache.token_log_probs(TokenStream.of(np.zeros(3, np.int32), VOCABULARY_SIZE + 1))


def test_tuning_takes_the_best_of_the_grid(model, caplog):
    grid = {"sizes": (3, 20), "flatness": (0.0, 0.5), "weights": (0.05, 0.2)}
    parameters = NeuralCacheParameters(**grid, tuning_tokens=200)
    with caplog.at_level("INFO"):
        cache = tuned_neural_cache("cached", model, parameters, random_stream(300))
    stream = TokenStream.of(random_stream(300).ids[:200], VOCABULARY_SIZE)
    scores = {
        (size, flatness, weight): NeuralCache(model, size, flatness, weight)
        .token_log_probs(stream)
        .sum()
        for size in grid["sizes"]
        for flatness in grid["flatness"]
        for weight in grid["weights"]
    }
    assert tuple(cache.tuned.values()) == max(scores, key=scores.__getitem__)
    assert cache.name == "cached"
    assert "perplexity of 200 validation tokens" in caplog.text


def test_rare_words_that_come_again_become_likelier(topical):
    validation, test = text_of_topics(600, 2), text_of_topics(600, 3)
    cache = tuned_neural_cache("cache", topical, NeuralCacheParameters(), validation)
    assert cache.weight > 0
    rare = test.ids >= 10
    gain = cache.token_log_probs(test) - topical.token_log_probs(test)
    assert gain.mean() > 0.1
    assert gain[rare].mean() > gain[~rare].mean()
