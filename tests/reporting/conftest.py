"""One run's tables, small and made up."""

import numpy as np
import pandas as pd
import pytest

from memoryspan.reporting.content import ReportContent, Reproduction
from memoryspan.reporting.figure_style import svg_text
from memoryspan.reporting.figures import (
    context_figure,
    counts_of_counts_figure,
    gradient_figure,
    growth_figure,
    learning_curves_figure,
    perplexity_figure,
    seen_figure,
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
def perplexity_modes() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": ["lstm", "kneser_ney_3"],
            "family": ["recurrent", "n-gram"],
            "test_tokens": 1_234,
            "streaming_perplexity": [88.0, 99.0],
            "sentence_reset_perplexity": [110.0, 99.0],
            "reset_ratio": [1.25, 1.0],
            "reset_ratio_low": [1.22, 1.0],
            "reset_ratio_high": [1.28, 1.0],
            "interval_unit": "block",
            "interval_clusters": 20,
        }
    )


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
def counts_of_counts() -> pd.DataFrame:
    rows = [(1, 2, 40), (1, 90, 2), (1, 6000, 1), (2, 1, 900), (2, 2, 80), (2, 40, 20)]
    rows += [(3, 1, 1980), (3, 5, 20)]
    return pd.DataFrame(rows, columns=["order", "count", "ngrams"])


@pytest.fixture(scope="session")
def vocabulary_growth() -> pd.DataFrame:
    tokens = np.array([1, 10, 100, 1000, 10_000, 70_000])
    return pd.DataFrame(
        [
            {"order": n, "tokens": N, "distinct": max(0, round(3 * N ** (0.2 + 0.25 * n)) - n)}
            for n in (1, 2, 3)
            for N in tokens
        ]
    )


@pytest.fixture(scope="session")
def heaps_fit() -> pd.DataFrame:
    law = {"k": 3.0, "r_squared": 0.999, "from_tokens": 1000, "to_tokens": 70_000, "points": 3}
    return pd.DataFrame([{"order": n, "beta": 0.2 + 0.25 * n, **law} for n in (1, 2, 3)])


@pytest.fixture(scope="session")
def seen_ngrams() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "order": [1, 2, 3],
            "tokens": 54_321,
            "token_share": [1.0, 0.85, 0.5],
            "token_share_low": [1.0, 0.84, 0.48],
            "token_share_high": [1.0, 0.86, 0.52],
            "types": [990, 5200, 8240],
            "type_share": [1.0, 0.6, 0.25],
            "type_share_low": [1.0, 0.58, 0.23],
            "type_share_high": [1.0, 0.62, 0.27],
            "unknown_share": [0.02, 0.05, 0.08],
            "interval_unit": "block",
            "interval_clusters": 23,
        }
    )


@pytest.fixture(scope="session")
def top_continuations() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "context": ["of <b>", "of <b>", "zebra"],
            "order": [3, 3, 2],
            "continuation": ["<i>", "春", "</s>"],
            "count": [3000, 1, 0],
            "context_count": [3001, 3001, 0],
            "maximum_likelihood": [3000 / 3001, 1 / 3001, np.nan],
            "kneser_ney": [0.75, 0.125, 0.0625],
        }
    )


@pytest.fixture(scope="session")
def content(
    perplexity: pd.DataFrame,
    perplexity_modes: pd.DataFrame,
    counts_of_counts: pd.DataFrame,
    vocabulary_growth: pd.DataFrame,
    heaps_fit: pd.DataFrame,
    seen_ngrams: pd.DataFrame,
    top_continuations: pd.DataFrame,
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
        counts_of_counts=counts_of_counts,
        counts_of_counts_svg=svg_text(counts_of_counts_figure(counts_of_counts)),
        vocabulary_growth=vocabulary_growth,
        heaps_fit=heaps_fit,
        vocabulary_growth_svg=svg_text(growth_figure(vocabulary_growth, heaps_fit)),
        seen_ngrams=seen_ngrams,
        seen_ngrams_svg=svg_text(seen_figure(seen_ngrams)),
        top_continuations=top_continuations,
        perplexity=perplexity,
        perplexity_modes=perplexity_modes,
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
