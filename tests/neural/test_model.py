import json

import numpy as np
import pytest
from tests.neural.conftest import (
    KINDS,
    RECURRENT_KINDS,
    VOCABULARY_SIZE,
    network_parameters,
    random_stream,
)

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel, StatefulLanguageModel
from memoryspan.neural.model import initial_model, load
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID


@pytest.fixture(params=KINDS)
def model(request):
    shape = network_parameters(request.param, forget_bias=2.0)
    model = initial_model(shape, VOCABULARY_SIZE, seed=4, name=request.param)
    # Larger weights than at initialisation, so that contexts make a difference.
    for parameter in model.network.parameters():
        parameter.mul_(2.0)
    return model


def test_models_are_language_models(model):
    assert isinstance(model, LanguageModel)
    assert isinstance(model, StatefulLanguageModel) == (model.name in RECURRENT_KINDS)
    assert model.context_order == {"feedforward": 3, "transformer": 3}.get(model.name)
    families = {"feedforward": "feed-forward", "transformer": "transformer"}
    assert model.family == families.get(model.name, "recurrent")
    assert model.parameter_count == sum(p.numel() for p in model.network.parameters())


def test_each_token_is_predicted_from_all_before_it(model):
    stream = random_stream(25)
    scores = model.token_log_probs(stream)
    assert scores.dtype == np.float64
    for position, token in enumerate(stream.ids):
        context = np.concatenate([[END_ID], stream.ids[:position]]).astype(np.int32)
        expected = model.next_log_probs(context[np.newaxis])[0, token]
        assert scores[position] == pytest.approx(expected, abs=1e-5)


def test_blocks_of_the_softmax_do_not_change_the_scores(model, monkeypatch):
    stream = random_stream(50)
    whole = model.token_log_probs(stream)
    windowed = model.token_log_probs(stream, window=2)
    monkeypatch.setattr("memoryspan.neural.model._LOGITS_AT_ONCE", 7 * VOCABULARY_SIZE)
    monkeypatch.setattr("memoryspan.neural.contexts.TOKENS_AT_ONCE", 6)
    np.testing.assert_allclose(model.token_log_probs(stream), whole, atol=1e-5)
    np.testing.assert_allclose(model.token_log_probs(stream, window=2), windowed, atol=1e-5)


@pytest.mark.parametrize("window", [0, 1, 2, 5, 24, 25, 100])
def test_windows_equal_contexts_with_nothing_before_them(model, window):
    stream = random_stream(25)
    scores = model.token_log_probs(stream, window=window)
    history = np.concatenate([[END_ID], stream.ids]).astype(np.int32)
    for position, token in enumerate(stream.ids):
        context = history[max(0, position + 1 - window) : position + 1]
        expected = model.next_log_probs(context[np.newaxis])[0, token]
        assert scores[position] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("length", [0, 1, 2, 7])
def test_distributions_sum_to_one(model, length):
    contexts = random_stream(4 * length).ids.reshape(4, length)
    log_probs = model.next_log_probs(contexts)
    assert log_probs.shape == (4, VOCABULARY_SIZE)
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-12)


def test_no_contexts_and_no_tokens_are_no_problem(model):
    assert model.next_log_probs(np.empty((0, 3), np.int32)).shape == (0, VOCABULARY_SIZE)
    assert model.token_log_probs(TokenStream.of(np.empty(0, np.int32), VOCABULARY_SIZE)).size == 0


def test_equal_calls_give_equal_bits(model):
    contexts = random_stream(40).ids.reshape(8, 5)
    assert np.array_equal(model.next_log_probs(contexts), model.next_log_probs(contexts))
    stream = random_stream(30)
    assert np.array_equal(model.token_log_probs(stream), model.token_log_probs(stream))


def test_what_lies_beyond_the_window_changes_no_bit():
    model = initial_model(network_parameters("feedforward", window=3), VOCABULARY_SIZE, seed=0)
    contexts = random_stream(400).ids.reshape(50, 8)
    edited = contexts.copy()
    edited[:, :5] = random_stream(250, seed=9).ids.reshape(50, 5)
    both = model.next_log_probs(np.concatenate([contexts, edited]))
    assert np.array_equal(both[:50], both[50:])
    assert np.array_equal(model.next_log_probs(contexts), model.next_log_probs(edited))


@pytest.mark.parametrize("kind", RECURRENT_KINDS)
def test_steps_equal_the_distribution_of_the_whole_context(kind):
    model = initial_model(network_parameters(kind, layers=2), VOCABULARY_SIZE, seed=4)
    contexts = random_stream(20).ids.reshape(4, 5)
    state = model.initial_state(4)
    before = [tensor.clone() for layer in state for tensor in layer]
    for tokens in contexts.T:
        log_probs, next_state = model.step(tokens, state)
        assert all(a.equal(b) for a, b in zip(before, (t for x in state for t in x), strict=True))
        state = next_state
        before = [tensor.clone() for layer in state for tensor in layer]
    np.testing.assert_allclose(log_probs, model.next_log_probs(contexts), atol=1e-5)


def test_probabilities_of_all_texts_of_a_length_sum_to_one():
    size = 3
    for kind in KINDS:
        model = initial_model(network_parameters(kind), size, seed=1)
        texts = np.stack(np.meshgrid(*[np.arange(size)] * 4), axis=-1).reshape(-1, 4)
        totals = [
            model.token_log_probs(TokenStream.of(text.astype(np.int32), size)).sum()
            for text in texts
        ]
        assert np.exp(totals).sum() == pytest.approx(1, abs=1e-6)


def test_saved_and_loaded_models_are_the_same(model, tmp_path):
    model.save(tmp_path)
    loaded = load(tmp_path)
    assert (loaded.name, loaded.parameters) == (model.name, model.parameters)
    assert type(loaded) is type(model)
    stream = random_stream(20)
    assert np.array_equal(loaded.token_log_probs(stream), model.token_log_probs(stream))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "model.safetensors"]


def test_a_foreign_vocabulary_is_refused(model):
    with pytest.raises(MemoryspanError, match="vocabulary"):
        model.token_log_probs(TokenStream.of(np.zeros(3, np.int32), VOCABULARY_SIZE + 1))


def damage_weights(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])


def damage_description(folder):
    (folder / "model.json").write_text("{", encoding="utf-8")


def raise_format(folder):
    path = folder / "model.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}), encoding="utf-8")


def remove_weights(folder):
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damage_weights, "damaged"),
        (damage_description, "does not describe"),
        (raise_format, "format 99"),
        (remove_weights, "missing"),
    ],
)
def test_damaged_files_are_named(model, tmp_path, damage, message):
    model.save(tmp_path)
    damage(tmp_path)
    with pytest.raises(MemoryspanError, match=message) as caught:
        load(tmp_path)
    assert str(tmp_path) in str(caught.value)
