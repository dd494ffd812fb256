import pytest
from kedro.io import DatasetError

from memoryspan.datasets.databases import CountingDatabase, StudyFile
from memoryspan.ngram.out_of_core.databases import duckdb_database


def test_duckdb_is_the_default_and_there_is_nothing_to_save() -> None:
    dataset = CountingDatabase()
    assert dataset.exists()
    assert dataset.load() is duckdb_database
    with pytest.raises(DatasetError, match="only read"):
        dataset.save("something")  # type: ignore[arg-type]


def test_spark_takes_settings_and_starts_nothing() -> None:
    dataset = CountingDatabase(backend="spark", settings={"spark.master": "local[2]"})
    assert callable(dataset.load())


def test_what_it_refuses() -> None:
    with pytest.raises(DatasetError, match="no backend 'oracle'"):
        CountingDatabase(backend="oracle")  # type: ignore[arg-type]
    with pytest.raises(DatasetError, match="settings are those of Spark"):
        CountingDatabase(settings={"x": "y"})


def test_a_study_is_where_it_will_be(tmp_path) -> None:
    dataset = StudyFile(filepath=str(tmp_path / "gru.db"))
    assert dataset.exists()
    assert dataset.load() == tmp_path / "gru.db"
    with pytest.raises(DatasetError, match="by the search itself"):
        dataset.save(b"")  # type: ignore[arg-type]
    assert "gru.db" in str(dataset)
