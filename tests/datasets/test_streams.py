import json

import numpy as np
import pytest

from memoryspan.datasets.streams import TokenStreamDataset
from memoryspan.errors import MemoryspanError
from memoryspan.text.streams import TokenStream


def stream(length: int = 7) -> TokenStream:
    return TokenStream(
        ids=np.arange(length, dtype=np.int32),
        vocabulary_size=100,
        documents=("甲", "b"),
        document_bounds=np.array([0, 3, length]),
        document_bytes=np.array([30, 40]),
        document_words=np.array([3, 4]),
    )


@pytest.fixture
def dataset(tmp_path) -> TokenStreamDataset:
    return TokenStreamDataset(filepath=str(tmp_path / "train_stream.json"))


def test_round_trip_is_a_memory_map(dataset):
    dataset.save(stream())
    loaded = dataset.load()
    assert isinstance(loaded.ids, np.memmap)
    np.testing.assert_array_equal(loaded.ids, stream().ids)
    assert loaded.documents == ("甲", "b")
    np.testing.assert_array_equal(loaded.document_bounds, [0, 3, 7])
    np.testing.assert_array_equal(loaded.document_bytes, [30, 40])
    np.testing.assert_array_equal(loaded.document_words, [3, 4])


def test_saving_again_leaves_one_file_of_ids(dataset, tmp_path):
    dataset.save(stream(7))
    open_map = dataset.load().ids
    dataset.save(stream(9))
    assert len(dataset.load()) == 9
    assert len(list(tmp_path.glob("*.npy"))) == 1
    assert len(open_map) == 7, "a map that is still open keeps what it showed"


def test_failed_save_keeps_the_old_stream(dataset, monkeypatch):
    dataset.save(stream(7))
    monkeypatch.setattr(json, "dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(Exception, match="division"):
        dataset.save(stream(9))
    monkeypatch.undo()
    assert len(dataset.load()) == 7


def test_missing_or_short_ids_are_named(dataset, tmp_path):
    dataset.save(stream())
    ids = next(tmp_path.glob("*.npy"))
    np.save(ids, np.zeros(3, dtype=np.int32))
    with pytest.raises(Exception, match=r"3 tokens.*7.*tokenize") as caught:
        dataset.load()
    assert isinstance(caught.value.__cause__ or caught.value, MemoryspanError)
    ids.unlink()
    with pytest.raises(Exception, match="cannot be read"):
        dataset.load()
