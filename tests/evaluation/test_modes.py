import numpy as np
import pytest

from memoryspan.evaluation.modes import modes_table
from memoryspan.evaluation.scores import ModelScores
from memoryspan.text.streams import TokenStream

N, R = 4000, 2500


def stream() -> TokenStream:
    ids = np.where(np.arange(N) % 10 == 9, 1, 2).astype(np.int32)
    documents = np.array([0, 1000, 2600, N])
    return TokenStream(ids, 9, ("a", "b", "c"), documents, np.ones(3), np.ones(3))


def scores(name, family, streaming, reset, tokens=R):
    log_probs = np.where(np.arange(N) < R, -np.log(streaming), -np.log(5.0))
    return ModelScores(
        name, family, None, 7, 1.0, log_probs, np.zeros(3), np.full(tokens, -np.log(reset))
    )


def test_both_modes_are_of_the_same_tokens():
    models = [
        scores("lstm", "recurrent", 80.0, 100.0),
        scores("kneser_ney_5", "n-gram", 120.0, 120.0),
    ]
    table = modes_table({m.name: m for m in models}, stream(), seed=0).set_index("model")
    assert table.index.tolist() == ["kneser_ney_5", "lstm"]
    assert set(table["test_tokens"]) == {R}
    lstm = table.loc["lstm"]
    assert lstm["streaming_perplexity"] == pytest.approx(80)
    assert lstm["sentence_reset_perplexity"] == pytest.approx(100)
    for column in ("reset_ratio", "reset_ratio_low", "reset_ratio_high"):
        assert lstm[column] == pytest.approx(1.25)
        assert table.loc["kneser_ney_5", column] == 1
    assert lstm["interval_unit"] == "block"


def test_tokens_that_not_all_scored_both_ways_are_left_out():
    models = [scores("a", "recurrent", 80.0, 100.0), scores("b", "n-gram", 80.0, 90.0, 1000)]
    table = modes_table({m.name: m for m in models}, stream(), seed=0)
    assert set(table["test_tokens"]) == {1000}


def test_the_impossible_stays_impossible():
    model = scores("maximum_likelihood_3", "n-gram", 80.0, 100.0)
    model.test_log_probs[7] = model.test_reset_log_probs[7] = -np.inf
    row = modes_table({model.name: model}, stream(), seed=0).iloc[0]
    assert np.isinf(row["streaming_perplexity"])
    assert np.isinf(row["sentence_reset_perplexity"])
    assert np.isnan(row["reset_ratio"])
