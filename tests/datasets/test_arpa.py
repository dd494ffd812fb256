from pathlib import Path

import pytest
from kedro.io import DatasetError

from memoryspan.datasets.arpa import ArpaDataset
from memoryspan.ngram import train


def test_round_trip(tmp_path: Path) -> None:
    dataset = ArpaDataset(filepath=str(tmp_path / "new" / "model.arpa.gz"))
    assert not dataset.exists()
    with pytest.raises(DatasetError, match="does not exist yet"):
        dataset.load()
    model = train(["a b", "b c"], 2)
    dataset.save(model)
    assert dataset.exists()
    assert dataset.load().perplexity(["a c"]) == pytest.approx(model.perplexity(["a c"]), rel=1e-6)
