import json

import numpy as np
import pytest
from tests.neural.adaptation.conftest import vivid_model
from tests.neural.conftest import random_stream

from memoryspan.errors import MemoryspanError
from memoryspan.neural.adaptation.adapting_network import mean_squared_gradients
from memoryspan.neural.adaptation.dynamic_evaluation import DynamicEvaluation
from memoryspan.neural.adaptation.neural_cache import NeuralCache
from memoryspan.neural.adaptation.storage import load_adapting


def cached(model):
    return NeuralCache(model, size=5, flatness=0.4, weight=0.25, name="lstm_neural_cache")


def dynamic(model, **changes):
    return DynamicEvaluation(model, 4, 0.1, 0.01, name="lstm_dynamic", **changes)


def normalised(model):
    squares = mean_squared_gradients(model.network, random_stream(100), 60, 5, 4)
    return dynamic(model, epsilon=0.1, mean_squares=squares)


@pytest.fixture(params=[cached, dynamic, normalised])
def adapting(request, model):
    return request.param(model)


def test_what_is_saved_comes_back_to_the_bit(adapting, tmp_path):
    folder, stream = tmp_path / "model", random_stream(30)
    for _ in range(2):  # the second takes the place of the first
        adapting.save(folder)
        loaded = load_adapting(folder)
        assert type(loaded) is type(adapting)
        assert (loaded.name, loaded.tuned) == (adapting.name, adapting.tuned)
        assert np.array_equal(loaded.token_log_probs(stream), adapting.token_log_probs(stream))
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def damage(folder, **changes):
    path = folder / "adaptation.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "its format is 99"),
        ({"kind": "piano"}, "its kind is 'piano'"),
        ({"values": {"weight": 0.1}}, "missing"),
        ({"values": {"size": 0, "flatness": 1.0, "weight": 0.1}}, "no neural cache"),
    ],
)
def test_damage_is_named(model, tmp_path, changes, message):
    folder = tmp_path / "model"
    cached(model).save(folder)
    damage(folder, **changes)
    with pytest.raises(MemoryspanError, match=message) as caught:
        load_adapting(folder)
    assert "adaptation.json" in str(caught.value)


def test_missing_files_are_named(model, tmp_path):
    with pytest.raises(MemoryspanError, match=r"There is no file .*adaptation\.json"):
        load_adapting(tmp_path)
    cached(model).save(tmp_path / "model")
    (tmp_path / "model/network/model.safetensors").unlink()
    with pytest.raises(MemoryspanError, match=r"model\.safetensors is missing"):
        load_adapting(tmp_path / "model")


def test_mean_squares_that_are_missing_or_others_are_named(model, tmp_path):
    folder = tmp_path / "model"
    normalised(model).save(folder)
    squares = folder / "mean_squares.safetensors"
    data = squares.read_bytes()
    squares.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(MemoryspanError, match="not the file that was saved with it"):
        load_adapting(folder)
    squares.unlink()
    with pytest.raises(MemoryspanError, match=r"There is no file .*mean_squares"):
        load_adapting(folder)


def test_mean_squares_of_another_network_are_refused(tmp_path):
    for kind in ("lstm", "gru"):
        normalised(vivid_model(kind)).save(tmp_path / kind)
    for name in ("mean_squares.safetensors", "adaptation.json"):
        (tmp_path / "gru" / name).replace(tmp_path / "lstm" / name)
    with pytest.raises(MemoryspanError, match="not those of the network"):
        load_adapting(tmp_path / "lstm")
