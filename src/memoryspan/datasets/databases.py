"""Databases that are used while they are worked with: for counting, and for a search."""

from pathlib import Path
from typing import Any, Literal, NoReturn

from kedro.io import AbstractDataset, DatasetError

from memoryspan.ngram.out_of_core.databases import duckdb_database, spark_with
from memoryspan.ngram.out_of_core.engine import Connect


class CountingDatabase(AbstractDataset[NoReturn, Connect]):
    """Says how to open a database; it is opened only when n-grams are counted with it.

    Args:
        backend: ``duckdb`` (embedded) or ``spark`` (the extra ``spark``).
        settings: of Spark, such as ``{spark.master: "local[2]"}``.
        metadata: for Kedro plugins only (kedro-viz layers).
    """

    def __init__(
        self,
        *,
        backend: Literal["duckdb", "spark"] = "duckdb",
        settings: dict[str, str] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        if backend not in ("duckdb", "spark"):
            raise DatasetError(f"there is no backend {backend!r}; choose duckdb or spark")
        if settings and backend != "spark":
            raise DatasetError("settings are those of Spark; leave them out for duckdb")
        self._backend = backend
        self._settings = settings or {}
        self.metadata = metadata

    def load(self) -> Connect:
        """What opens the database."""
        return duckdb_database if self._backend == "duckdb" else spark_with(self._settings)

    def save(self, data: NoReturn) -> None:
        """Nothing is ever saved.

        Raises:
            DatasetError: always.
        """
        raise DatasetError("a counting database is only read")

    def _exists(self) -> bool:
        return True

    def _describe(self) -> dict[str, Any]:
        return {"backend": self._backend, "settings": self._settings}


class StudyFile(AbstractDataset[NoReturn, Path]):
    """Where the sqlite file of a search is: the search itself makes it and goes on with it.

    Args:
        filepath: of the file.
        metadata: for Kedro plugins only (kedro-viz layers).
    """

    def __init__(self, *, filepath: str, metadata: dict[str, Any] | None = None) -> None:
        self._filepath = Path(filepath)
        self.metadata = metadata

    def load(self) -> Path:
        """The path, whether or not there is a file yet."""
        return self._filepath

    def save(self, data: NoReturn) -> None:
        """Nothing is ever saved.

        Raises:
            DatasetError: always.
        """
        raise DatasetError("a study is written by the search itself")

    def _exists(self) -> bool:
        return True

    def _describe(self) -> dict[str, Any]:
        return {"filepath": str(self._filepath)}
