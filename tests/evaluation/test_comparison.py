import numpy as np
import pandas as pd
import pytest

from memoryspan.evaluation.comparison import compare_with_reference


def verdict(ratio, low, high, *, ppl=90.0, reference="kneser_ney_5", family="recurrent"):
    row = {
        "model": "lstm",
        "family": family,
        "test_perplexity": ppl,
        "ratio_to_best_ngram": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "reference": reference,
        "interval_unit": "block",
        "interval_clusters": 180,
    }
    return compare_with_reference(pd.DataFrame([row]).astype({"reference": "string"}))


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        (
            (0.79, 0.78, 0.80),
            "lstm has a lower test perplexity than kneser_ney_5 "
            "(ratio 0.79, 95 % interval 0.78–0.80, 180 blocks)",
        ),
        (
            (1.2, 1.15, 1.25),
            "lstm has a higher test perplexity than kneser_ney_5 "
            "(ratio 1.20, 95 % interval 1.15–1.25, 180 blocks)",
        ),
        (
            (0.99, 0.97, 1.01),
            "undecided whether lstm has a lower test perplexity than kneser_ney_5 "
            "(ratio 0.99, 95 % interval 0.97–1.01, 180 blocks)",
        ),
        (
            (0.99, 0.985, 0.9992),
            "lstm has a lower test perplexity than kneser_ney_5 "
            "(ratio 0.990, 95 % interval 0.985–0.999, 180 blocks)",
        ),
    ],
)
def test_the_verdict_follows_the_interval(figures, sentence):
    assert verdict(*figures) == [sentence]


def test_an_interval_that_touches_one_is_undecided():
    assert verdict(0.9, 0.8, 1.0)[0].startswith("undecided")
    assert verdict(1.1, 1.0, 1.2)[0].startswith("undecided")


def test_infinite_missing_and_impossible():
    assert "its own is infinite" in verdict(np.inf, np.nan, np.nan, ppl=np.inf)[0]
    assert "no n-gram model" in verdict(np.nan, np.nan, np.nan, reference=None)[0]
    assert verdict(0.8, np.nan, np.nan)[0].startswith("undecided")
    assert "the latter's is infinite" in verdict(0.0, np.nan, np.nan)[0]


@pytest.mark.parametrize("family", ["chance", "n-gram"])
def test_only_neural_models_are_compared(family):
    assert verdict(0.5, 0.4, 0.6, family=family) == []
