import numpy as np
import pandas as pd

from memoryspan.reporting.tables import (
    flattened,
    ngram_view,
    table_view,
    with_intervals,
    with_ratio,
)


def text_rows(frame: pd.DataFrame, *columns: str) -> list[list[str]]:
    view = table_view(frame, columns or None)
    assert view is not None
    return [[cell.text for cell in row] for row in view.rows]


def test_models_are_in_order_with_the_best_marked(perplexity: pd.DataFrame) -> None:
    view = table_view(perplexity, ("model", "test_perplexity", "absent"), lowest="test_perplexity")
    assert view is not None
    assert [row[0].name for row in view.rows] == [
        *("uniform", "maximum_likelihood_2", "kneser_ney_3", "lstm")
    ]
    assert view.best == {3}
    assert [cell.text for cell in view.headings] == ["model", "test perplexity"]
    assert [row[1].text for row in view.rows] == ["10\u202f000", "∞", "100.0", "90.00"]


def test_missing_values_say_what_they_mean(perplexity: pd.DataFrame) -> None:
    assert text_rows(perplexity, "model", "context_order")[-1] == ["LSTM", "unbounded"]
    empty = pd.DataFrame({"model": ["rnn"], "lag_1_percent": [np.nan], "half_life": [np.nan]})
    assert text_rows(empty) == [["RNN", "beyond"]]


def test_nothing_makes_no_table() -> None:
    assert table_view(None) is None
    assert table_view(pd.DataFrame()) is None
    assert with_intervals(None) is None


def test_intervals_are_one_column(effective_context: pd.DataFrame) -> None:
    joined = with_intervals(effective_context)
    assert joined is not None
    assert list(joined.columns) == ["model", "effective_context", "interval", "longest"]
    assert joined["interval"].tolist() == ["[2, 2]", "[8, –]"]


def test_ratio_column(perplexity: pd.DataFrame) -> None:
    words = with_ratio(perplexity)["ratio_and_interval"].tolist()
    assert words == ["0.900 [0.880, 0.920]", "100.0 [98.00, 102.0]", "∞", "1.000 [1.000, 1.000]"]


def test_ngrams_are_joined_and_cut() -> None:
    frame = pd.DataFrame({"w1": list("abc"), "w2": list("xyz"), "count": [3000, 2, 1]})
    view = ngram_view(frame, 2, rows=2)
    assert [[cell.text for cell in row] for row in view.rows] == [
        ["a x", "3\u202f000"],
        ["b y", "2"],
    ]


def test_nested_parameters_have_dotted_names() -> None:
    assert flattened({"a": {"b": {"c": 1}, "d": []}, "e": {}}) == [
        *(("a.b.c", 1), ("a.d", []), ("e", {}))
    ]
