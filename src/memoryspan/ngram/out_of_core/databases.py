"""The databases that count: DuckDB inside this process, or Spark."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.out_of_core.engine import Connect

SHARE_OF_DATABASE = 0.6
"""Of the memory budget; the rest is for what is assembled beside it."""
SMALLEST_LIMIT_MB = 64
SMALLEST_SPARK_MB = 1024  # it refuses to start with less than 450 MB


@contextmanager
def duckdb_database(folder: Path, memory_budget_mb: int) -> Iterator[Any]:
    """A DuckDB that spills to a folder. It never installs or loads extensions by itself."""
    import ibis

    limit = max(SMALLEST_LIMIT_MB, int(memory_budget_mb * SHARE_OF_DATABASE))
    database = ibis.duckdb.connect(
        str(folder / "counts.duckdb"),
        temp_directory=str(folder / "spilled"),
        memory_limit=f"{limit}MB",
        autoinstall_known_extensions=False,
        autoload_known_extensions=False,
    )
    database.raw_sql("SET enable_progress_bar = false")  # it would write to standard output
    try:
        yield database
    finally:
        database.disconnect()


def spark_with(settings: dict[str, str]) -> Connect:
    """A Spark session.

    Args:
        settings: of Spark, such as ``{"spark.master": "local[2]"}``.
    """

    @contextmanager
    def connect(folder: Path, memory_budget_mb: int) -> Iterator[Any]:
        try:
            import ibis
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise MemoryspanError(
                "Spark is not installed. Install the extra `spark` and a Java runtime, or count "
                "with DuckDB."
            ) from error
        builder = SparkSession.builder.appName("memoryspan")
        builder = builder.config(
            "spark.driver.memory", f"{max(SMALLEST_SPARK_MB, memory_budget_mb)}m"
        )
        for name, value in settings.items():
            builder = builder.config(name, value)
        builder = builder.config("spark.local.dir", str(folder))
        session = builder.config("spark.sql.warehouse.dir", str(folder)).getOrCreate()
        try:
            yield ibis.pyspark.connect(session)
        finally:
            session.stop()

    return connect
