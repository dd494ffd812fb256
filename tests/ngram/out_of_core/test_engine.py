"""Both engines give the same counts, bit for bit; and what is said in trouble."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.ngram.out_of_core import windows
from memoryspan.ngram.out_of_core.choice import count_ngrams
from memoryspan.ngram.out_of_core.databases import duckdb_database, spark_with
from memoryspan.ngram.out_of_core.engine import count_out_of_core
from memoryspan.ngram.parameters import CountingParameters
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

V = 7


def same(ours: NgramCounts, theirs: NgramCounts) -> None:
    for name, array in {**theirs.trie.arrays(), "raw": theirs.raw}.items():
        found = {**ours.trie.arrays(), "raw": ours.raw}[name]
        assert found.dtype == array.dtype, name
        np.testing.assert_array_equal(found, array, err_msg=name)


def both(ids: list[int], order: int, folder: Path, connect: Any = duckdb_database) -> None:
    stream = TokenStream.of(np.array(ids, np.int32), V)
    same(count_out_of_core(stream, order, connect, 200, folder), NgramCounts.of(stream, order))
    assert not list(folder.iterdir())


@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.integers(0, V - 1), min_size=1, max_size=60), st.integers(1, 6))
def test_on_any_stream(tmp_path: Path, ids: list[int], order: int) -> None:
    both(ids, order, tmp_path)


@pytest.mark.parametrize("ids", [
    [2, END_ID], [END_ID], [2] * 50 + [END_ID], [2, 2, END_ID] * 20, [END_ID] * 5,
])  # fmt: skip
def test_on_extreme_streams(tmp_path: Path, ids: list[int]) -> None:
    both(ids, 4, tmp_path)


def test_on_many_groups_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows that reach from one group of rows into the next, and batches of n-grams."""
    from memoryspan.ngram.out_of_core import engine

    monkeypatch.setattr(windows, "PLACES_PER_GROUP", 3)
    monkeypatch.setattr(engine, "BATCH_ROWS", 2)
    both([2, 3, 4, 2, 3, 5, END_ID, 2, 3, 4, END_ID, 6, 2, 3], 5, tmp_path)


def test_on_a_real_text(tmp_path: Path, tinyshakespeare: Any) -> None:
    counts = count_out_of_core(tinyshakespeare.train, 5, duckdb_database, 200, tmp_path)
    same(counts, tinyshakespeare.counts)
    model = KneserNey().estimate(counts, 5)
    expected = KneserNey().estimate(tinyshakespeare.counts, 5)
    np.testing.assert_array_equal(model.log_prob, expected.log_prob)
    counts.save(tmp_path / "counts.npz")
    same(NgramCounts.load(tmp_path / "counts.npz"), tinyshakespeare.counts)


def test_windows_end_with_their_sentence() -> None:
    tokens = np.array([1, 2, 3, 1, 1, 2], np.int32)
    columns = windows.windows(tokens, 6, 3)
    assert np.stack(columns, axis=1).tolist() == [
        [1, 2, 3], [2, 3, 1], [3, 1, -1], [1, 1, -1], [1, 2, -1], [2, -1, -1],
    ]  # fmt: skip


@pytest.mark.parametrize(("engine", "budget", "database"), [
    ("auto", 8000, False), ("auto", 100, False), ("memory", 100, False), ("out_of_core", 8000, True)
])  # fmt: skip
def test_the_choice(engine: Any, budget: int, database: bool, caplog: Any) -> None:
    opened = []

    @contextmanager
    def connect(folder: Path, memory_budget_mb: int) -> Iterator[Any]:
        opened.append(memory_budget_mb)
        with duckdb_database(folder, memory_budget_mb) as found:
            yield found

    stream = TokenStream.of(np.array([2, 3, END_ID], np.int32), V)
    parameters = CountingParameters(engine=engine, memory_budget_mb=budget)
    same(count_ngrams(stream, 3, parameters, connect), NgramCounts.of(stream, 3))
    assert opened == ([budget] if database else [])


def test_auto_goes_by_the_size_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from memoryspan.ngram.out_of_core import choice

    monkeypatch.setattr(choice, "count_out_of_core", lambda *_: "database")
    monkeypatch.setattr(choice.NgramCounts, "of", lambda *_: "memory")
    for tokens, expected in ((1_000_000, "memory"), (2_000_000, "database")):
        stream = TokenStream.of(np.zeros(tokens, np.int32), V)
        assert count_ngrams(stream, 5, CountingParameters(memory_budget_mb=100)) == expected


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("boom\nx")])
def test_failures_are_one_message_and_leave_nothing(tmp_path: Path, error: Exception) -> None:
    @contextmanager
    def connect(folder: Path, memory_budget_mb: int) -> Iterator[Any]:
        raise error
        yield

    stream = TokenStream.of(np.array([2, 3, END_ID], np.int32), V)
    with pytest.raises(MemoryspanError, match=r"out of core failed in .*(No space left|boom)\S*"):
        count_out_of_core(stream, 3, connect, 200, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    stream = TokenStream.of(np.array([2, 3, END_ID], np.int32), V)
    with pytest.raises(MemoryspanError, match="Cannot make a folder for temporary files"):
        count_out_of_core(stream, 3, duckdb_database, 200, tmp_path / "file")


def test_what_cannot_be_counted(tmp_path: Path) -> None:
    for ids, order, message in (([], 2, "no tokens"), ([2], 11, "order 11"), ([V], 2, "outside")):
        stream = TokenStream.of(np.array(ids, np.int32), V)
        with pytest.raises(MemoryspanError, match=message):
            count_out_of_core(stream, order, duckdb_database, 200, tmp_path)


def test_spark_counts_the_same(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the extra `spark` is not installed")
    ids = np.random.default_rng(1).integers(0, V, 2000).tolist()
    connect = spark_with({"spark.master": "local[2]", "spark.ui.enabled": "false"})
    both(ids, 4, tmp_path, connect)


def test_without_spark_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    stream = TokenStream.of(np.array([2, 3, END_ID], np.int32), V)
    with pytest.raises(MemoryspanError, match="Install the extra `spark`"):
        count_out_of_core(stream, 3, spark_with({}), 200, tmp_path)
