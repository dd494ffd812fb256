from pathlib import Path

import pytest
from kedro.io import DatasetError

from memoryspan.datasets.artefacts import ArtefactDataset


class Note:
    def __init__(self, text: str) -> None:
        self.text = text

    def save(self, path: Path) -> None:
        path.write_text(self.text, encoding="utf-8")


def test_saves_by_itself_and_loads_by_the_named_loader(tmp_path):
    dataset = ArtefactDataset(
        filepath=str(tmp_path / "deep" / "note"), loader="pathlib:Path.read_text"
    )
    assert not dataset.exists()
    dataset.save(Note("remember"))
    assert dataset.exists()
    assert dataset.load() == "remember"


def test_missing_artefact_is_named(tmp_path):
    with pytest.raises(DatasetError, match="nothing"):
        ArtefactDataset(filepath=str(tmp_path / "nothing"), loader="pathlib:Path.read_text").load()
