import numpy as np
import pytest
import torch
from tests.neural.adaptation.conftest import ADAPTABLE, text_of_topics, vivid_model
from tests.neural.conftest import VOCABULARY_SIZE, random_stream

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.neural.adaptation.adapting_network import mean_squared_gradients
from memoryspan.neural.adaptation.dynamic_evaluation import DynamicEvaluation
from memoryspan.neural.adaptation.dynamic_tuning import tuned_dynamic_evaluation
from memoryspan.neural.adaptation.parameters import DynamicEvaluationParameters
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

SETTINGS = {"chunk": 4, "learning_rate": 0.3, "decay": 0.05}


@pytest.fixture(params=ADAPTABLE, ids=lambda variant: "-".join([variant[0], *variant[1]]))
def dynamic(request):
    kind, changes = request.param
    return DynamicEvaluation(vivid_model(kind, **changes), **SETTINGS)


@pytest.fixture
def of_lstm():
    return DynamicEvaluation(vivid_model("lstm"), **SETTINGS)


def perplexity(model, stream):
    return np.exp(-model.token_log_probs(stream).mean())


def test_it_is_a_language_model(of_lstm):
    assert isinstance(of_lstm, LanguageModel)
    assert of_lstm.context_order is None
    assert of_lstm.family == "adaptive"
    assert of_lstm.parameter_count == of_lstm.model.parameter_count + 2


def test_each_token_gets_what_the_rows_say(dynamic):
    stream = random_stream(18)
    scores = dynamic.token_log_probs(stream)
    for position, token in enumerate(stream.ids):
        context = np.concatenate([[END_ID], stream.ids[:position]]).astype(np.int32)
        row = dynamic.next_log_probs(context[np.newaxis])[0]
        assert scores[position] == pytest.approx(row[token], abs=1e-4)


@pytest.mark.parametrize("window", [0, 1, 4, 5, 9, 17, 18, 100])
def test_windows_equal_contexts_with_nothing_before_them(dynamic, window):
    stream = random_stream(18)
    scores = dynamic.token_log_probs(stream, window=window)
    history = np.concatenate([[END_ID], stream.ids]).astype(np.int32)
    for position, token in enumerate(stream.ids):
        context = history[max(0, position + 1 - window) : position + 1]
        expected = dynamic.next_log_probs(context[np.newaxis])[0, token]
        assert scores[position] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("length", [0, 1, 4, 5, 11])
def test_distributions_sum_to_one(dynamic, length):
    log_probs = dynamic.next_log_probs(random_stream(4 * length).ids.reshape(4, length))
    assert log_probs.shape == (4, VOCABULARY_SIZE)
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-12)


def test_no_token_knows_of_those_after_it(dynamic):
    stream = random_stream(24)
    scores = dynamic.token_log_probs(stream)
    for position in (3, 4, 10):
        changed = stream.ids.copy()
        changed[position:] = (changed[position:] + 7) % VOCABULARY_SIZE
        others = dynamic.token_log_probs(TokenStream.of(changed, VOCABULARY_SIZE))
        np.testing.assert_allclose(others[:position], scores[:position], atol=1e-6)
        assert not np.array_equal(others, scores)


def test_the_first_chunk_is_the_networks_and_later_ones_are_not(dynamic):
    stream = random_stream(12)
    scores, alone = dynamic.token_log_probs(stream), dynamic.model.token_log_probs(stream)
    np.testing.assert_allclose(scores[:4], alone[:4], atol=1e-5)
    assert np.abs(scores[4:] - alone[4:]).max() > 1e-3


@pytest.mark.parametrize("window", [None, 0, 3, 9])
@pytest.mark.parametrize("decay", [0.0, 1.0])
def test_without_a_learning_rate_it_is_the_model_bit_for_bit(dynamic, window, decay):
    frozen = DynamicEvaluation(dynamic.model, 4, 0.0, decay)
    stream, contexts = random_stream(20), random_stream(40).ids.reshape(5, 8)
    expected = dynamic.model.token_log_probs(stream, window)
    assert np.array_equal(frozen.token_log_probs(stream, window), expected)
    assert np.array_equal(frozen.next_log_probs(contexts), dynamic.model.next_log_probs(contexts))
    # and by the long way, through copies, gradients and updates
    inputs, targets = dynamic.model.inputs_and_targets(stream)
    alone = dynamic.model.token_log_probs(stream)
    np.testing.assert_allclose(frozen.adapting().read(inputs, targets, 4), alone, atol=1e-5)


def test_nothing_is_kept_between_calls_and_the_model_stays_as_it_is(dynamic):
    before = {key: t.clone() for key, t in dynamic.model.network.state_dict().items()}
    stream = random_stream(18)
    alone, first = dynamic.model.token_log_probs(stream), dynamic.token_log_probs(stream)
    dynamic.token_log_probs(random_stream(18, seed=5))
    dynamic.next_log_probs(random_stream(12).ids.reshape(2, 6))
    assert np.array_equal(dynamic.token_log_probs(stream), first)
    assert np.array_equal(dynamic.model.token_log_probs(stream), alone)
    for key, tensor in dynamic.model.network.state_dict().items():
        assert torch.equal(tensor, before[key])
        assert not tensor.requires_grad


def test_what_comes_again_and_again_becomes_likely(dynamic):
    stream = TokenStream.of(np.tile(random_stream(8, seed=3).ids, 25), VOCABULARY_SIZE)
    careful = DynamicEvaluation(dynamic.model, chunk=4, learning_rate=0.03, decay=0.05)
    scores = careful.token_log_probs(stream)
    assert perplexity(careful, stream) < 0.5 * perplexity(dynamic.model, stream)
    assert scores[-40:].mean() > scores[:40].mean() + 0.3


def test_no_contexts_and_no_tokens_are_no_problem(of_lstm):
    assert of_lstm.next_log_probs(np.empty((0, 9), np.int32)).shape == (0, VOCABULARY_SIZE)
    empty = TokenStream.of(np.empty(0, np.int32), VOCABULARY_SIZE)
    assert of_lstm.token_log_probs(empty).size == 0
    assert of_lstm.token_log_probs(empty, window=9).size == 0


@pytest.mark.parametrize(
    "changes", [{"chunk": 0}, {"learning_rate": -1}, {"decay": 1.1}, {"epsilon": 0}]
)
def test_impossible_settings_are_refused(of_lstm, changes):
    with pytest.raises(ValueError, match="no dynamic evaluation"):
        DynamicEvaluation(of_lstm.model, **{**SETTINGS, **changes})


def test_mean_squares_of_another_network_are_refused(of_lstm):
    squares = mean_squared_gradients(vivid_model("gru").network, random_stream(50), 20, 5, 2)
    with pytest.raises(ValueError, match="not those of the network"):
        DynamicEvaluation(of_lstm.model, **SETTINGS, mean_squares=squares)


def test_a_foreign_vocabulary_is_refused(of_lstm):
    with pytest.raises(MemoryspanError, match="vocabulary"):
        of_lstm.token_log_probs(TokenStream.of(np.zeros(3, np.int32), VOCABULARY_SIZE + 1))


def test_weights_that_run_away_are_named():
    runaway = DynamicEvaluation(vivid_model("lstm"), 1, 1e38, 0.0, name="lstm_dynamic")
    with pytest.raises(MemoryspanError, match=r"lstm_dynamic.*Lower the learning rate"):
        runaway.token_log_probs(random_stream(50))
    with pytest.raises(MemoryspanError, match="ran away"):
        runaway.next_log_probs(random_stream(50).ids[np.newaxis])


GRID = {"chunk": 5, "learning_rates": (0.05, 0.1), "decays": (0.0, 0.1), "tuning_tokens": 90}


@pytest.mark.parametrize("rule", ["sgd", "rms"])
def test_tuning_takes_the_best_of_the_grid_on_the_first_validation_tokens(caplog, rule):
    model, train = vivid_model("lstm"), text_of_topics(500, 1)
    parameters = DynamicEvaluationParameters(**GRID, rule=rule, epsilon=1.0, statistics_tokens=200)
    with caplog.at_level("INFO"):
        dynamic = tuned_dynamic_evaluation("dyn", model, parameters, train, text_of_topics(400, 2))
    cut = TokenStream.of(text_of_topics(400, 2).ids[:90], VOCABULARY_SIZE)
    assert (dynamic.mean_squares is None) == (rule == "sgd")
    scores = {
        (rate, decay): DynamicEvaluation(model, 5, rate, decay, 1.0, dynamic.mean_squares)
        .token_log_probs(cut)
        .sum()
        for rate in (0.05, 0.1)
        for decay in (0.0, 0.1)
    }
    assert (dynamic.learning_rate, dynamic.decay) == max(scores, key=scores.__getitem__)
    assert (dynamic.name, dynamic.chunk, dynamic.epsilon) == ("dyn", 5, 1.0)
    assert "perplexity of 90 validation tokens" in caplog.text


def test_where_nothing_helps_the_network_stays_as_it_is():
    parameters = DynamicEvaluationParameters(
        rule="sgd", chunk=5, learning_rates=(50.0, 100.0), decays=(0.0,)
    )
    train, validation = text_of_topics(300, 1), text_of_topics(200, 2)
    dynamic = tuned_dynamic_evaluation("dyn", vivid_model("lstm"), parameters, train, validation)
    assert dynamic.learning_rate == 0


def test_a_trained_network_gains_on_a_text_of_topics(topical):
    parameters = DynamicEvaluationParameters(
        chunk=10,
        learning_rates=(0.0005, 0.001, 0.002),
        decays=(0.0, 0.02),
        epsilon=0.01,
        statistics_tokens=2000,
    )
    train, validation, test = (
        text_of_topics(n, seed) for n, seed in ((4000, 1), (600, 2), (600, 3))
    )
    dynamic = tuned_dynamic_evaluation("dyn", topical, parameters, train, validation)
    gain = dynamic.token_log_probs(test) - topical.token_log_probs(test)
    assert gain.mean() > 0.03
    rare = test.ids >= 10
    assert gain[rare].mean() > gain[~rare].mean()
