import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryspan import archive
from memoryspan.errors import MemoryspanError
from memoryspan.ngram.chance import UniformModel, UnigramModel
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.storage import load_model

LINES = ["a b c", "b c", "a", "c a b"]


@pytest.fixture
def models(corpus_of: Any) -> list[Any]:
    corpus = corpus_of(LINES, order=4)
    single = NgramParameters(precision="single")
    return [
        *(KneserNey().estimate(corpus.counts, order) for order in (1, 2, 4)),
        KneserNey(single).estimate(corpus.counts, 3),
        MaximumLikelihood().estimate(corpus.counts, 3),
        UniformModel(5),
        UnigramModel.of(corpus.train),
    ]


def test_round_trip(corpus_of: Any, models: list[Any], tmp_path: Path) -> None:
    test = corpus_of(LINES, ["c b a", "d a b c"]).test
    for model in models:
        model.save(tmp_path / "model.npz")
        loaded = load_model(tmp_path / "model.npz")
        np.testing.assert_array_equal(loaded.token_log_probs(test), model.token_log_probs(test))
        assert type(loaded) is type(model)
        for name in ("name", "family", "vocabulary_size", "context_order", "parameter_count"):
            assert getattr(loaded, name) == getattr(model, name)
        assert getattr(loaded, "discounts", None) == getattr(model, "discounts", None)
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def test_every_truncation_is_noticed(models: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    models[2].save(path)
    content = path.read_bytes()
    for size in range(0, len(content), 97):
        path.write_bytes(content[:size])
        with pytest.raises(MemoryspanError, match=r"model\.npz is damaged"):
            load_model(path)


def test_changed_bytes_never_crash(models: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    models[2].save(path)
    content = path.read_bytes()
    noticed = 0
    for position in range(0, len(content), 13):
        changed = bytearray(content)
        changed[position] ^= 0x5A
        path.write_bytes(changed)
        try:
            load_model(path)
        except MemoryspanError:
            noticed += 1
    assert noticed > 0.8 * len(content) / 13  # the rest is padding and dates of the container


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("child", np.array([1, 6, 9, 2**30], np.int32)),
        ("suffix", None),
        ("log_prob", np.zeros(3)),
        ("word", np.zeros(3, np.int64)),
    ],
)
def test_arrays_that_do_not_fit(
    models: list[Any], tmp_path: Path, name: str, value: np.ndarray | None
) -> None:
    path = tmp_path / "model.npz"
    models[2].save(path)
    header, arrays = archive.read_archive(path)
    if value is None:
        arrays[name] = arrays[name][::-1].copy()
    else:
        arrays[name] = value
    archive.write_archive(path, header, arrays)
    with pytest.raises(MemoryspanError, match="damaged"):
        load_model(path)


def test_files_of_another_kind(corpus_of: Any, models: list[Any], tmp_path: Path) -> None:
    corpus_of(LINES).counts.save(tmp_path / "counts.npz")
    models[0].save(tmp_path / "model.npz")
    (tmp_path / "text.npz").write_text("not an archive")
    np.save(tmp_path / "array.npz.npy", np.zeros(3))
    for name in ("counts.npz", "text.npz", "array.npz.npy"):
        with pytest.raises(MemoryspanError, match="damaged"):
            load_model(tmp_path / name)
    with pytest.raises(MemoryspanError, match="damaged"):
        NgramCounts.load(tmp_path / "model.npz")
    with pytest.raises(MemoryspanError, match="no file"):
        load_model(tmp_path / "absent.npz")
    with pytest.raises(MemoryspanError, match="damaged"):
        load_model(tmp_path)


def test_a_full_disk_leaves_the_old_model(
    models: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    models[0].save(path)
    before = path.read_bytes()

    def fail(file: Any, **arrays: Any) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archive.np, "savez", fail)
    with pytest.raises(MemoryspanError, match="No space left"):
        models[1].save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.npz"]


def test_no_such_folder(models: list[Any], tmp_path: Path) -> None:
    with pytest.raises(MemoryspanError, match="Cannot write"):
        models[0].save(tmp_path / "absent" / "model.npz")
