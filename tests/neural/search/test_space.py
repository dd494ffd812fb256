import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.neural.conftest import VOCABULARY_SIZE, network_parameters, training_parameters
from tests.neural.search.conftest import NETWORK

from memoryspan.errors import MemoryspanError
from memoryspan.neural.search.parameters import SearchParameters, SearchSpace
from memoryspan.neural.search.space import Space
from memoryspan.neural.sizing import parameter_count, sized

EVERYTHING = SearchSpace(
    learning_rate=(0.001, 0.1),
    layers=(1, 2, 3),
    recurrent_gain=(0.1, 1.0),
    clip_norm=(0.1, 2.0),
    dropout=(0.0, 0.5),
)


def space(kind="rnn", ranges=EVERYTHING, training=None, **changes):
    network = network_parameters(kind, **(NETWORK | changes))
    return Space(kind, network, training_parameters(**(training or {})), ranges)


@given(rate=st.floats(0.001, 0.1), depth=st.integers(1, 3), dropout=st.floats(0, 0.5))
def test_values_stand_where_they_are_configured(rate, depth, dropout):
    values = {"learning_rate": rate, "layers": depth, "dropout": dropout, "clip_norm": 0.3}
    network, training = space().applied(values)
    assert (network.learning_rate, network.layers) == (rate, depth)
    assert training.input_dropout == training.hidden_dropout == training.output_dropout == dropout
    assert training.clip_norm == 0.3
    assert (network.kind, training.streams) == ("rnn", 4)  # all else stays


@given(seed=st.integers(0, 2**31))
def test_what_is_drawn_is_inside_and_short_enough_to_write_down(seed):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    for key, value in space().drawn(study.ask()).items():
        bounds = getattr(EVERYTHING, key)
        assert value in bounds if key == "layers" else bounds[0] <= value <= bounds[1]
        assert value == float(f"{value:.3g}")


def test_the_configuration_comes_first_and_unrounded():
    searched = space(learning_rate=0.0123456)
    references = searched.references()
    assert references[0]["learning_rate"] == 0.0123456
    assert [values["layers"] for values in references] == [1, 2, 3]
    network, training = searched.applied(references[0])
    assert network == searched.network
    assert training == searched.training
    study = optuna.create_study()
    study.enqueue_trial(references[0])
    assert searched.drawn(study.ask()) == references[0]


@pytest.mark.parametrize("kind", ["feedforward", "rnn", "gru", "lstm", "transformer"])
def test_depths_have_the_same_number_of_weights(kind):
    searched = space(kind, recurrent_gain=1.0, parameters=20_000)
    assert ("recurrent_gain" in searched.ranges) == (kind == "rnn")
    shapes = [
        sized(searched.applied(values)[0], VOCABULARY_SIZE) for values in searched.references()
    ]
    sizes = [parameter_count(shape, VOCABULARY_SIZE, shape.hidden_size) for shape in shapes]
    assert max(sizes) < 1.05 * min(sizes)
    assert len({shape.hidden_size for shape in shapes}) == 3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"learning_rate": 0.5}, r"learning_rate 0\.5, outside of search\.space\.learning_rate"),
        ({"layers": 4}, r"layers 4, outside of search\.space\.layers"),
        ({"training": {"clip_norm": None}}, "clip_norm None, outside"),
        ({"training": {"input_dropout": 0.1}}, r"search\.space\.dropout is one value"),
        ({"hidden_size": 8, "parameters": None}, r"rnn\.network\.parameters"),
    ],
)
def test_a_configuration_that_cannot_be_the_first_trial_is_refused(changes, said):
    with pytest.raises(MemoryspanError, match=said):
        space(**changes)


def test_a_space_without_anything_for_a_kind_is_refused():
    gain_only = SearchSpace(learning_rate=None, layers=None, recurrent_gain=(0.1, 1.0))
    assert space("rnn", gain_only).ranges == {"recurrent_gain": (0.1, 1.0)}
    with pytest.raises(MemoryspanError, match="nothing to vary for gru"):
        space("gru", gain_only)
    with pytest.raises(ValueError, match="nothing is searched"):
        SearchSpace(learning_rate=None, layers=None, recurrent_gain=None)


def test_a_trial_has_the_length_that_the_search_says():
    configured = training_parameters(max_minutes=3, max_train_tokens=99, patience=1)
    training = SearchParameters(epochs=2, train_tokens=50).training_of_a_trial(configured)
    assert (training.epochs, training.max_minutes, training.max_train_tokens) == (2, None, 50)
    everything = SearchParameters(train_tokens=None).training_of_a_trial(configured)
    assert everything.max_train_tokens == 99
