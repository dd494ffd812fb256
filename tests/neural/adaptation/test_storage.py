import json

import numpy as np
import pytest
from tests.neural.conftest import random_stream

from memoryspan.errors import MemoryspanError
from memoryspan.neural.adaptation.neural_cache import NeuralCache
from memoryspan.neural.adaptation.storage import load_adapting


@pytest.fixture
def adapting(model):
    return NeuralCache(model, size=5, flatness=0.4, weight=0.25, name="lstm_neural_cache")


def test_what_is_saved_comes_back_to_the_bit(adapting, tmp_path):
    folder, stream = tmp_path / "model", random_stream(30)
    for _ in range(2):  # the second takes the place of the first
        adapting.save(folder)
        loaded = load_adapting(folder)
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
def test_damage_is_named(adapting, tmp_path, changes, message):
    folder = tmp_path / "model"
    adapting.save(folder)
    damage(folder, **changes)
    with pytest.raises(MemoryspanError, match=message) as caught:
        load_adapting(folder)
    assert "adaptation.json" in str(caught.value)


def test_missing_files_are_named(adapting, tmp_path):
    with pytest.raises(MemoryspanError, match=r"There is no file .*adaptation\.json"):
        load_adapting(tmp_path)
    adapting.save(tmp_path / "model")
    (tmp_path / "model/network/model.safetensors").unlink()
    with pytest.raises(MemoryspanError, match=r"model\.safetensors is missing"):
        load_adapting(tmp_path / "model")
