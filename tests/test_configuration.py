"""The configuration that ships: complete, valid everywhere, equal to the defaults of the code."""

from pathlib import Path

import pytest
from kedro.config import OmegaConfigLoader
from pydantic import BaseModel

from memoryspan.errors import MemoryspanError
from memoryspan.hooks import check_parameters
from memoryspan.neural.networks import network_without_memory
from memoryspan.neural.search.parameters import SearchSpace
from memoryspan.neural.sizing import sized
from memoryspan.ngram.parameters import TableParameters
from memoryspan.pipelines.models import NEURAL
from memoryspan.pipelines.parameters import RunParameters
from memoryspan.settings import CONFIG_LOADER_ARGS
from memoryspan.tracking.parameters import TrackingParameters

CONF = Path(__file__).resolve().parents[1] / "conf"
GROUPS = (
    *("corpus", "tokenizer", "ngram", "training", "search", "lstm_neural_cache", "lstm_dynamic"),
    *("mixture", "sentence_reset", "generation", "context_length", "gradient"),
)


def loader(environment: str) -> OmegaConfigLoader:
    return OmegaConfigLoader(str(CONF), env=environment, **CONFIG_LOADER_ARGS)


ENVIRONMENTS = sorted(path.parent.name for path in CONF.glob("*/parameters*.yml"))


@pytest.mark.parametrize("environment", sorted(set(ENVIRONMENTS)))
def test_every_environment_is_valid_and_gives_all_networks_as_many_weights(environment):
    parameters = RunParameters.model_validate(loader(environment)["parameters"])
    networks = [getattr(parameters, model).network for model in NEURAL]
    vocabulary_size = parameters.tokenizer.vocabulary_size + 2
    if parameters.tokenizer.kind == "character":
        vocabulary_size = 67
    shapes = [sized(network, vocabulary_size) for network in networks]
    sizes = [network_without_memory(shape, vocabulary_size).parameter_count for shape in shapes]
    assert max(sizes) < 1.05 * min(sizes)
    TrackingParameters.model_validate(loader(environment)["tracking"])


@pytest.mark.parametrize("group", GROUPS)
def test_base_states_every_parameter_with_the_default_of_the_code(group):
    stated = loader("base")["parameters"][group]
    kind = RunParameters.model_fields[group].annotation
    assert isinstance(kind, type)
    assert issubclass(kind, BaseModel)
    assert set(stated) == set(kind.model_fields), "conf/base is where users look parameters up"
    if group == "ngram":
        assert set(stated["tables"]) == set(TableParameters.model_fields)
    if group == "search":
        assert set(stated["space"]) == set(SearchSpace.model_fields)
    assert kind.model_validate(stated) == kind()


def test_paths_are_absolute_whatever_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Path(loader("base")["parameters"]["raw_folder"]).is_absolute()
    assert loader("base")["tracking"]["tracking_uri"].startswith("sqlite:////")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"corpus": {"sorce": "x"}}, "corpus.sorce: unknown key"),
        ({"foo": 1}, "foo: unknown key"),
        ({"training": {"epochs": 0}}, "training.epochs = 0"),
        ({"ngram": {"tables": {"context": []}}}, "ngram.tables.context: unknown key"),
        ({"ngram": {"tables": {"contexts": [""]}}}, "ngram.tables.contexts.0"),
        ({"seed": "abc"}, "seed = 'abc'"),
        ({"search": {"trails": 3}}, "search.trails: unknown key"),
        (
            {"search": {"space": {"learning_rates": [0.1, 1]}}},
            "search.space.learning_rates: unknown",
        ),
        (
            {"search": {"space": {"learning_rate": [0.1, 0.01]}}},
            "search.space.learning_rate.*lower",
        ),
        ({"search": {"space": {"layers": [1]}}}, "search.space.layers.*two different"),
        ({"lstm": {"training": {"clipnorm": 1}}}, "lstm.training.clipnorm: unknown key"),
        ({"lstm": {"training": {"streams": 0}}}, "lstm.training.streams = 0"),
    ],
)
def test_a_wrong_parameter_is_named(change, said):
    parameters = loader("base")["parameters"]
    for key, value in change.items():
        merged = parameters.get(key, {}) | value if isinstance(value, dict) else value
        parameters = parameters | {key: merged}
    with pytest.raises(MemoryspanError, match=said):
        check_parameters(parameters)


def test_a_missing_group_is_named():
    parameters = loader("base")["parameters"]
    del parameters["training"]
    with pytest.raises(MemoryspanError, match="training: missing"):
        check_parameters(parameters)


def test_training_of_one_network_is_checked_together_with_what_all_share():
    parameters = loader("base")["parameters"]
    parameters["lstm"]["training"] = {"label_smoothing": 0.1}
    with pytest.raises(MemoryspanError, match=r"lstm\.training.*full softmax"):
        check_parameters(parameters)
    parameters["training"]["negatives"] = 0
    check_parameters(parameters)


def test_a_network_is_trained_as_all_are_but_for_what_it_says_itself():
    given = loader("base")["parameters"]
    given["training"] |= {"epochs": 7}
    given["rnn"]["training"] = {"clip_norm": 2.0}
    parameters = RunParameters.model_validate(given)
    assert parameters.training_of("lstm") == parameters.training
    assert parameters.training_of("rnn") == parameters.training.with_values({"clip_norm": 2.0})
