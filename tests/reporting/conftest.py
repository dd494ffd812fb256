"""One run's tables, small and made up."""

import numpy as np
import pandas as pd
import pytest

from memoryspan.reporting.content import ReportContent, Reproduction
from memoryspan.reporting.figure_style import svg_text
from memoryspan.reporting.figures import (
    context_figure,
    gradient_figure,
    learning_curves_figure,
    perplexity_figure,
)


@pytest.fixture(scope="session")
def perplexity() -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "model": ["lstm", "uniform", "maximum_likelihood_2", "kneser_ney_3"],
            "family": ["recurrent", "chance", "n-gram", "n-gram"],
            "context_order": pd.array([None, 0, 1, 2], dtype="Int64"),
            "parameters": [1_234_567, 0, 5_000, 9_000],
            "test_tokens": 54_321,
            "test_perplexity": [90.0, 10_000.0, np.inf, 100.0],
            "ratio_to_best_ngram": [0.9, 100.0, np.inf, 1.0],
            "ratio_low": [0.88, 98.0, np.nan, 1.0],
            "ratio_high": [0.92, 102.0, np.nan, 1.0],
            "reference": "kneser_ney_3",
            "interval_unit": "document",
            "interval_clusters": 6,
            "zero_probability_share": [0.0, 0.0, 0.125, 0.0],
        }
    )
    return table.assign(test_nats_per_token=np.log(table["test_perplexity"]))


@pytest.fixture(scope="session")
def histories() -> dict[str, pd.DataFrame]:
    lstm = pd.DataFrame(
        {
            "tokens": [1000, 2000, 3000, 4000],
            "seconds": [1.0, 2.0, 3.0, 4.0],
            "train_nats_per_token": [6.0, 5.5, 5.2, 5.0],
            "validation_nats_per_token": [np.nan, np.log(250.0), np.nan, np.log(300.0)],
            "gradient_norm_mean": [0.5, 0.7, 0.4, 0.3],
            "gradient_norm_max": [0.9, 3.0, 0.6, 0.5],
        }
    )
    return {"lstm": lstm, "gru": lstm.assign(train_nats_per_token=[6.0, 5.0, 800.0, 900.0])}


@pytest.fixture(scope="session")
def context_curve() -> pd.DataFrame:
    curves = {"kneser_ney_3": [150.0, 100.0, 100.0, 100.0], "lstm": [160.0, 120.0, 95.0, 90.0]}
    return pd.DataFrame(
        [
            {
                "model": model,
                "distance": k,
                "nats_per_token": np.log(value),
                "perplexity": value,
                "low": np.log(value) - 0.02,
                "high": np.log(value) + 0.02,
                "n": 500,
            }
            for model, values in curves.items()
            for k, value in zip([1, 2, 8, 32], values, strict=True)
        ]
    )


@pytest.fixture(scope="session")
def effective_context() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": ["kneser_ney_3", "lstm"],
            "effective_context": [2, 32],
            "low": [2.0, 8.0],  # as a CSV gives whole numbers back when one is missing
            "high": [2.0, np.nan],
            "longest": 32,
        }
    )


@pytest.fixture(scope="session")
def gradient_curve() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": "lstm",
                "stage": stage,
                "lag": lag,
                # the last one at initialisation has underflowed
                "gradient_norm": 0.0 if (stage, lag) == ("initialisation", 4) else rate**lag,
                "low": 0.9 * rate**lag,
                "high": 1.1 * rate**lag,
            }
            for stage, rate in [("initialisation", 0.1), ("trained", 0.8)]
            for lag in range(5)
        ]
    )


@pytest.fixture(scope="session")
def content(
    perplexity: pd.DataFrame,
    histories: dict[str, pd.DataFrame],
    context_curve: pd.DataFrame,
    effective_context: pd.DataFrame,
    gradient_curve: pd.DataFrame,
) -> ReportContent:
    splits = ["train", "validation", "test", "total"]
    return ReportContent(
        title="Memory of <models>",
        corpus="Plays & poems",
        verdicts=["lstm has a lower test perplexity", "undecided: gru and kneser_ney_3"],
        corpus_profile=pd.DataFrame(
            {"split": splits, "documents": [8, 1, 2, 11], "words": [70_000, 9_000, 12_345, 91_345]}
        ),
        split_table=pd.DataFrame(
            {
                "document": ["<script>alert('document')</script>", "红楼梦"],
                "split": ["train", "test"],
                "words": [70_000, 12_345],
                "share": [0.85, 0.15],
            }
        ),
        coverage=pd.DataFrame({"split": ["test"], "tokens": [54_321], "unknown_rate": [0.0251]}),
        ngram_tables={
            2: pd.DataFrame({"w1": ["<script>", "of"], "w2": ["x", "the"], "count": [12_345, 7]}),
            1: pd.DataFrame({"w1": [f"word{i}" for i in range(12)], "count": range(12)}),
        },
        perplexity=perplexity,
        perplexity_svg=svg_text(perplexity_figure(perplexity)),
        histories=histories,
        learning_curves_svg=svg_text(learning_curves_figure(histories)),
        context_curve=context_curve,
        effective_context=effective_context,
        context_svg=svg_text(context_figure(context_curve, effective_context)),
        gradient_curve=gradient_curve,
        gradient_summary=pd.DataFrame(
            {"model": ["lstm"], "stage": ["trained"], "lag_1_percent": pd.array([None], "Int64")}
        ),
        gradient_svg=svg_text(gradient_figure(gradient_curve)),
        samples=pd.DataFrame(
            {
                "model": ["lstm", "maximum_likelihood_2", "lstm"],
                "prompt": ["To <script>be</script>", "To <script>be</script>", "春天"],
                "continuation": ["</p><img src=x>", np.nan, "来了"],
                "note": [np.nan, "ended after 0 tokens", np.nan],
            }
        ),
        configuration={"seed": 3, "lstm": {"model": {"hidden_size": 256}, "clip": None}},
        reproduction=Reproduction(3, ["kedro run"], "0123abc", {"torch": "2.13.0"}),
    )
