import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.evaluation.perplexity import (
    ModelScores,
    bits_per_byte,
    perplexity,
    perplexity_per_word,
    perplexity_table,
)
from memoryspan.text.streams import TokenStream

COLUMNS = [
    "model",
    "family",
    "context_order",
    "parameters",
    "test_tokens",
    "test_nats_per_token",
    "test_perplexity",
    "valid_perplexity",
    "train_seconds",
    "ratio_to_best_ngram",
    "ratio_low",
    "ratio_high",
    "reference",
    "interval_unit",
    "interval_clusters",
    "test_bits_per_byte",
    "test_perplexity_per_word",
    "zero_probability_share",
]
N, M = 4000, 3000


def stream(length):
    ids = np.where(np.arange(length) % 10 == 9, 1, 2).astype(np.int32)
    half = length // 2
    return TokenStream(
        ids,
        100,
        ("a", "b"),
        np.array([0, half, length]),
        np.array([half * 5, (length - half) * 5]),
        np.array([half * 4 // 5, (length - half) * 4 // 5]),
    )


def scores(name, family, test, validation, order=None):
    return ModelScores(
        name,
        family,
        order,
        1000,
        1.5,
        np.full(N, -np.log(test)) if np.isscalar(test) else test,
        np.full(M, -np.log(validation)),
        np.empty(0),
    )


def table_of(*models):
    return perplexity_table({m.name: m for m in models}, stream(N), stream(M), seed=0)


def test_a_uniform_model_has_perplexity_v():
    found = perplexity(np.full(17, -np.log(1234)))
    assert found.perplexity == pytest.approx(1234, rel=1e-12)
    assert (found.tokens, found.zero_probability_share) == (17, 0)


def test_perplexity_is_the_inverse_geometric_mean_of_the_probabilities():
    # 1/2 · 1/8 → the geometric mean is 1/4
    found = perplexity(np.log([0.5, 0.125]))
    assert found.perplexity == pytest.approx(4)
    assert found.nats_per_token == pytest.approx(2 * np.log(2))


def test_one_zero_probability_makes_it_infinite_and_is_counted():
    found = perplexity(np.array([-1.0, -np.inf, -1.0, -1.0]))
    assert found.perplexity == np.inf
    assert found.zero_probability_share == 0.25


def test_beyond_the_range_of_floats_it_is_infinite():
    assert perplexity(np.full(3, -800.0)).perplexity == np.inf


@pytest.mark.parametrize("bad", [[], [-1.0, np.nan], [-1.0, 0.1]])
def test_what_is_no_log_probability_is_refused(bad):
    with pytest.raises(ValueError, match=r"no tokens|log probabilities"):
        perplexity(np.array(bad))


@settings(deadline=None)
@given(st.lists(st.floats(-20, 0), min_size=1, max_size=50), st.integers(1, 49))
def test_totals_not_means_of_means(values, cut):
    log_probs = np.array(values)
    parts = [part for part in (log_probs[:cut], log_probs[cut:]) if len(part)]
    nats = sum(perplexity(part).nats_per_token * len(part) for part in parts)
    assert perplexity(log_probs).nats_per_token == pytest.approx(nats / len(values), abs=1e-12)


def test_per_byte_and_per_word():
    text = stream(100)  # 500 bytes, 80 words
    found = perplexity(np.full(100, -5 * np.log(2)))
    assert bits_per_byte(found, text) == pytest.approx(1)
    assert perplexity_per_word(found, text) == pytest.approx(2 ** (500 / 80))
    assert np.isnan(bits_per_byte(found, TokenStream.of(text.ids, 100)))


def test_columns_kinds_and_order_of_rows():
    table = table_of(
        scores("lstm", "recurrent", 80.0, 80.0),
        scores("cache_mixture", "mixture", 85.0, 85.0),
        scores("kneser_ney_5", "n-gram", 100.0, 101.0, 4),
        scores("feed_forward", "feed-forward", 95.0, 95.0, 8),
        scores("uniform", "chance", 100.0, 100.0, 0),
        scores("kneser_ney_3", "n-gram", 99.0, 103.0, 2),
    )
    assert list(table.columns) == COLUMNS
    assert list(table["model"]) == [
        "uniform",
        "kneser_ney_5",
        "kneser_ney_3",
        "lstm",
        "feed_forward",
        "cache_mixture",
    ]
    assert table["context_order"].dtype == pd.Int64Dtype()
    assert table["context_order"].isna().tolist() == [False] * 3 + [True, False, True]
    # chosen on validation, although the other one is better on test
    assert set(table["reference"]) == {"kneser_ney_5"}
    lstm = table.set_index("model").loc["lstm"]
    assert lstm["test_perplexity"] == pytest.approx(80)
    assert lstm["valid_perplexity"] == pytest.approx(80)
    assert [lstm["ratio_low"], lstm["ratio_to_best_ngram"], lstm["ratio_high"]] == pytest.approx(
        [0.8] * 3
    )
    assert (lstm["interval_unit"], lstm["interval_clusters"]) == ("block", 20)
    assert lstm["test_bits_per_byte"] == pytest.approx(np.log2(80) / 5)
    assert lstm["test_perplexity_per_word"] == pytest.approx(80 ** (5 / 4))
    assert (table["test_tokens"] == N).all()


def test_the_interval_is_paired_and_seeded():
    rng = np.random.default_rng(0)
    hard = -rng.exponential(4, N)
    reference = scores("kneser_ney_5", "n-gram", hard, 100.0, 4)
    better = scores("lstm", "recurrent", np.minimum(hard + rng.normal(0.2, 0.1, N), 0), 80.0)
    table = table_of(reference, better)
    row = table.set_index("model").loc["lstm"]
    assert 0.8 < row["ratio_low"] < row["ratio_to_best_ngram"] < row["ratio_high"] < 0.86
    assert row["ratio_high"] - row["ratio_low"] < 0.02
    pd.testing.assert_frame_equal(table, table_of(reference, better))


def test_an_infinite_perplexity_has_an_infinite_ratio_without_interval():
    holes = np.full(N, -4.0)
    holes[::10] = -np.inf
    table = table_of(
        scores("maximum_likelihood_5", "n-gram", holes, np.inf, 4),
        scores("kneser_ney_5", "n-gram", 100.0, 100.0, 4),
        scores("lstm", "recurrent", holes, 90.0),
    ).set_index("model")
    assert set(table["reference"]) == {"kneser_ney_5"}
    assert table.loc["lstm", "test_perplexity"] == np.inf
    assert table.loc["lstm", "ratio_to_best_ngram"] == np.inf
    assert table.loc["lstm", ["ratio_low", "ratio_high"]].isna().all()
    assert table.loc["lstm", "zero_probability_share"] == pytest.approx(0.1)


def test_without_an_ngram_model_there_is_no_reference():
    table = table_of(
        scores("uniform", "chance", 100.0, 100.0), scores("rnn", "recurrent", 9.0, 9.0)
    )
    assert table["reference"].isna().all()
    assert table[["ratio_to_best_ngram", "ratio_low", "ratio_high"]].isna().all(axis=None)


def test_another_number_of_tokens_is_an_error_that_names_the_model():
    good = scores("kneser_ney_5", "n-gram", 100.0, 100.0, 4)
    short = scores("lstm", "recurrent", np.full(N - 1, -4.0), 80.0)
    with pytest.raises(MemoryspanError, match=r"'lstm' scored 3,999 test tokens.*4,000"):
        table_of(good, short)


def test_scores_of_a_diverged_model_are_an_error_that_names_it():
    with pytest.raises(MemoryspanError, match=r"test scores of model 'rnn'.*NaN"):
        table_of(scores("rnn", "recurrent", np.full(N, np.nan), 80.0))


def test_no_scores_are_an_error():
    with pytest.raises(MemoryspanError, match="no scores"):
        table_of()


def test_an_ngram_model_of_infinite_validation_perplexity_is_no_reference():
    table = table_of(
        scores("maximum_likelihood_5", "n-gram", 50.0, np.inf, 4),
        scores("rnn", "recurrent", 9.0, 9.0),
    )
    assert table["reference"].isna().all()
    assert table["ratio_to_best_ngram"].isna().all()
