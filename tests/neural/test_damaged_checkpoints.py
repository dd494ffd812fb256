"""A finished or half-finished run whose files are damaged is named, or trained again."""

import pytest
from tests.neural.conftest import network_parameters, training_parameters

from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.training import train


@pytest.mark.parametrize("content", [b"", b"junk", bytes(range(64)), b"PK\x03\x04" + b"x" * 40])
def test_damaged_checkpoint_is_named(tmp_path, content):
    (tmp_path / "checkpoint.pt").write_bytes(content)
    with pytest.raises(MemoryspanError, match=r"checkpoint\.pt"):
        CheckpointFolder(tmp_path, "f").checkpoint()


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe"])
def test_damaged_result_is_named(tmp_path, content):
    (tmp_path / "result.json").write_bytes(content)
    with pytest.raises(MemoryspanError, match=r"result\.json"):
        CheckpointFolder(tmp_path, "f").result()


@pytest.mark.parametrize("damage", ["junk", "gone"])
def test_a_finished_run_without_its_model_is_trained_again_to_the_same_bits(
    tmp_path, train_stream, validation_stream, damage
):
    network = network_parameters("gru")

    def run():
        training = training_parameters()
        return train("gru", network, training, train_stream, validation_stream, 1, tmp_path)

    first = run()
    model = tmp_path / "best" / "model.safetensors"
    weights = model.read_bytes()
    model.unlink()
    if damage == "junk":
        model.write_bytes(b"junk")
    again = run()
    assert model.read_bytes() == weights
    kept = "best_validation_nats_per_token"
    assert again.summary[kept] == first.summary[kept]
