import pandas as pd
import pytest
from kedro.io import DatasetError

from memoryspan.datasets.tables import JsonDataset, TableDataset, TextDataset
from memoryspan.errors import MemoryspanError

WORDS = pd.DataFrame(
    {"word": ["nan", "null", "NA", "None", 'say "no", now', "甲\n乙"], "n": range(6)}
)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_words_that_look_like_missing_values_survive(tmp_path, suffix):
    dataset = TableDataset(filepath=str(tmp_path / f"words.{suffix}"))
    dataset.save(WORDS)
    pd.testing.assert_frame_equal(dataset.load(), WORDS)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_preview_shows_the_first_rows(tmp_path, suffix):
    dataset = TableDataset(filepath=str(tmp_path / f"long.{suffix}"))
    dataset.save(pd.DataFrame({"text": ["x" * 999] * 100, "n": range(100)}))
    preview = dataset.preview()
    assert preview["columns"] == ["text", "n"]
    assert len(preview["data"]) == 40
    assert len(preview["data"][0][0]) == 200


def test_infinite_perplexity_survives_csv(tmp_path):
    dataset = TableDataset(filepath=str(tmp_path / "p.csv"))
    dataset.save(pd.DataFrame({"perplexity": [float("inf"), 2.5]}))
    assert dataset.load()["perplexity"].tolist() == [float("inf"), 2.5]


@pytest.mark.parametrize(
    ("kind", "value"), [(JsonDataset, {"a": [1, "甲"]}), (TextDataset, "甲\r\n乙\n")]
)
def test_json_and_text_round_trip(tmp_path, kind, value):
    dataset = kind(filepath=str(tmp_path / "deep" / "file"))
    assert not dataset.exists()
    dataset.save(value)
    assert dataset.exists()
    assert dataset.load() == value


def test_failed_write_leaves_the_old_file_and_no_litter(tmp_path):
    dataset = JsonDataset(filepath=str(tmp_path / "value.json"))
    dataset.save({"old": 1})
    with pytest.raises(DatasetError):
        dataset.save({"not": object()})
    assert dataset.load() == {"old": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["value.json"]


def test_missing_file_is_named(tmp_path):
    with pytest.raises(DatasetError, match=r"nothing\.csv"):
        TableDataset(filepath=str(tmp_path / "nothing.csv")).load()


@pytest.mark.parametrize("content", ["junk\n", "model,family\n", ""])
def test_a_table_of_another_kind_is_named(tmp_path, content):
    (tmp_path / "perplexity.csv").write_text(content)
    dataset = TableDataset(filepath=str(tmp_path / "perplexity.csv"), columns=["model", "family"])
    with pytest.raises(DatasetError) as caught:
        dataset.load()
    assert isinstance(caught.value.__cause__, MemoryspanError)
    assert "perplexity.csv is damaged" in str(caught.value.__cause__)


@pytest.mark.parametrize("name", ["table.parquet", "value.json"])
def test_damaged_files_are_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\xfejunk")
    kind = TableDataset if name.endswith("parquet") else JsonDataset
    with pytest.raises(DatasetError) as caught:
        kind(filepath=str(tmp_path / name)).load()
    assert "Run the pipeline that makes it again" in str(caught.value.__cause__)


def test_an_unwritable_folder_is_named(tmp_path):
    (tmp_path / "folder").write_text("a file where a folder should be")
    with pytest.raises(DatasetError) as caught:
        JsonDataset(filepath=str(tmp_path / "folder" / "value.json")).save({})
    assert "Cannot write" in str(caught.value.__cause__)
