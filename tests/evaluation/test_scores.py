import numpy as np
import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.evaluation.scores import ModelScores
from memoryspan.text.streams import TokenStream

SCORES = ModelScores(
    "größer-5",
    "n-gram",
    None,
    12,
    0.5,
    np.array([-1.5, -np.inf, -0.1]),
    np.array([-2.0]),
    np.array([-1.25, -np.inf]),
)


@pytest.mark.parametrize("order", [None, 0, 4])
def test_what_is_saved_comes_back_to_the_bit(tmp_path, order):
    path = tmp_path / "new" / "scores.npz"
    saved = ModelScores(
        **{**vars(SCORES), "context_order": order},
    )
    saved.save(path)
    loaded = ModelScores.load(path)
    assert (loaded.name, loaded.family, loaded.context_order) == ("größer-5", "n-gram", order)
    assert (loaded.parameters, loaded.train_seconds) == (12, 0.5)
    np.testing.assert_array_equal(loaded.test_log_probs, SCORES.test_log_probs)
    np.testing.assert_array_equal(loaded.validation_log_probs, SCORES.validation_log_probs)
    np.testing.assert_array_equal(loaded.test_reset_log_probs, SCORES.test_reset_log_probs)
    assert loaded.test_log_probs.dtype == np.float64
    assert [file.name for file in path.parent.iterdir()] == ["scores.npz"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "scores.npz"
    SCORES.save(path)
    before = path.read_bytes()
    broken = ModelScores(**{**vars(SCORES), "test_log_probs": np.array([object()])})
    with pytest.raises(ValueError, match="allow_pickle"):
        broken.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_missing_and_broken_files_are_named(tmp_path):
    with pytest.raises(MemoryspanError, match=r"no file .*absent\.npz"):
        ModelScores.load(tmp_path / "absent.npz")
    for name, content in {"text.npz": b"not a zip", "empty.npz": b""}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(MemoryspanError, match=name):
            ModelScores.load(tmp_path / name)
    path = tmp_path / "cut.npz"
    SCORES.save(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(MemoryspanError, match=r"cut\.npz"):
        ModelScores.load(path)
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(MemoryspanError, match=r"other\.npz"):
        ModelScores.load(tmp_path / "other.npz")


def test_of_asks_the_model_for_both_streams():
    class Halving:
        name, family, vocabulary_size, context_order, parameter_count = "half", "chance", 9, 0, 7

        def token_log_probs(self, stream, window=None):
            return np.full(len(stream), np.log(0.5))

        def next_log_probs(self, contexts):
            raise NotImplementedError

    validation, test = (TokenStream.of(np.ones(n, dtype=np.int32), 9) for n in (4, 6))
    found = ModelScores.of(Halving(), 3.0, validation, test, reset_tokens=5)
    assert (found.name, found.parameters, found.context_order) == ("half", 7, 0)
    assert (len(found.validation_log_probs), len(found.test_log_probs)) == (4, 6)
    assert len(found.test_reset_log_probs) == 5
    of_all = ModelScores.of(Halving(), 3.0, validation, test, reset_tokens=None)
    assert len(of_all.test_reset_log_probs) == 6
