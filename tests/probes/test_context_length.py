import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.probes import context_length
from memoryspan.probes.context_length import (
    context_curve,
    context_length_items,
    effective_context,
)
from memoryspan.probes.parameters import ContextLengthParameters
from memoryspan.text.streams import TokenStream

V = 11
PARAMETERS = ContextLengthParameters(lags=(1, 2, 3, 4, 5, 6, 10, 20), positions=300)


class Base:
    family, vocabulary_size, parameter_count = "chance", V, 0
    context_order: int | None = 0

    def token_log_probs(self, stream, window=None):
        raise NotImplementedError


class Uniform(Base):
    name = "uniform"

    def next_log_probs(self, contexts):
        return np.full((len(contexts), V), -np.log(V))


class Bigram(Base):
    """P(next | last), from random counts."""

    name, family, context_order = "bigram", "n-gram", 1

    def __init__(self, zero=False):
        probs = np.random.default_rng(0).dirichlet(np.ones(V), size=V)
        if zero:
            probs[:, 5] = 0
        with np.errstate(divide="ignore"):
            self.log_probs = np.log(probs / probs.sum(axis=1, keepdims=True))

    def next_log_probs(self, contexts):
        return self.log_probs[contexts[:, -1]]


class Copier(Base):
    """Knows that the token at lag 5 comes again, with probability 0.9; without it, nothing."""

    name, context_order, lag = "copier", None, 5

    def next_log_probs(self, contexts):
        rows, width = contexts.shape
        if width < self.lag:
            return np.full((rows, V), -np.log(V))
        log_probs = np.full((rows, V), np.log(0.1 / (V - 1)))
        log_probs[np.arange(rows), contexts[:, -self.lag]] = np.log(0.9)
        return log_probs


def periodic(length=6000, period=5, documents=1):
    ids = np.tile(np.arange(2, 2 + period, dtype=np.int32), length // period)
    bounds = np.linspace(0, len(ids), documents + 1).astype(np.int64)
    nothing = np.zeros(documents, dtype=np.int64)
    return TokenStream(ids, V, tuple(f"d{d}" for d in range(documents)), bounds, nothing, nothing)


def random_text(seed=3, length=6000):
    ids = np.random.default_rng(seed).integers(0, V, length).astype(np.int32)
    return TokenStream.of(ids, V)


def measured(model, stream, seed=0, parameters=PARAMETERS):
    items = context_length_items(model, stream, parameters, seed)
    return context_curve(items, seed), effective_context(items, seed)


def test_the_models_here_are_language_models():
    assert all(isinstance(model, LanguageModel) for model in (Uniform(), Bigram(), Copier()))


def test_a_uniform_model_is_flat_at_v():
    curve, effective = measured(Uniform(), random_text())
    np.testing.assert_allclose(curve["perplexity"], V, rtol=1e-12)
    np.testing.assert_allclose(curve[["low", "high"]], np.log(V), rtol=1e-12)
    assert effective["effective_context"].tolist() == [1]
    assert not effective["censored"].any()


def test_a_bigram_model_is_exactly_flat_from_one():
    curve, effective = measured(Bigram(), random_text())
    for column in ["nats_per_token", "perplexity", "low", "high"]:
        assert curve[column].nunique() == 1
    assert (curve["low"] < curve["nats_per_token"]).all()
    assert (curve["nats_per_token"] < curve["high"]).all()
    assert effective[["effective_context", "low", "high"]].to_numpy().tolist() == [[1, 1, 1]]


def test_an_oracle_that_copies_lag_five_drops_exactly_at_five():
    curve, effective = measured(Copier(), periodic())
    expected = np.where(curve["distance"] < 5, V, 1 / 0.9)
    np.testing.assert_allclose(curve["perplexity"], expected, rtol=1e-12)
    row = effective.iloc[0]
    assert (row["effective_context"], row["low"], row["high"], row["censored"]) == (5, 5, 5, False)


def test_a_need_that_reaches_to_the_end_is_censored():
    parameters = ContextLengthParameters(lags=(1, 5), positions=300)
    _, effective = measured(Copier(), periodic(), parameters=parameters)
    assert effective[["effective_context", "longest"]].to_numpy().tolist() == [[5, 5]]
    assert effective["censored"].all()


def test_zero_probabilities_give_an_infinite_perplexity_without_interval():
    curve, effective = measured(Bigram(zero=True), random_text())
    assert np.isinf(curve["perplexity"]).all()
    assert curve[["low", "high"]].isna().all(axis=None)
    assert effective["effective_context"].isna().all()
    assert effective["perplexity_at_longest"].tolist() == [np.inf]


def test_infinity_at_short_contexts_alone():
    class Hole(Copier):
        def next_log_probs(self, contexts):
            log_probs = super().next_log_probs(contexts).copy()
            if contexts.shape[1] < 3:
                log_probs[:, 4] = -np.inf
            return log_probs

    curve, effective = measured(Hole(), periodic())
    assert np.isinf(curve["perplexity"]).tolist() == [True, True] + [False] * 6
    assert effective["effective_context"].tolist() == [5]


def test_the_item_table_keeps_the_contract():
    stream = periodic(documents=25)
    items = context_length_items(Uniform(), stream, PARAMETERS, 0)
    assert list(items.columns) == [
        "model",
        "item",
        "cluster",
        "condition",
        "position",
        "distance",
        "nats",
    ]
    assert len(items) == 300 * 8
    assert items.groupby("item")["position"].nunique().eq(1).all()
    assert items.groupby("distance")["position"].apply(tuple).nunique() == 1
    assert items["position"].min() >= 20
    starts = stream.document_bounds[items["cluster"].str[1:].astype(int)]
    assert ((items["position"] - starts) >= 20).all()
    assert items["cluster"].nunique() == 25
    assert not items.isna().any(axis=None)


def test_one_document_is_clustered_by_blocks():
    items = context_length_items(Uniform(), random_text(), PARAMETERS, 0)
    assert items["cluster"].str.startswith("text/").all()
    curve = context_curve(items, 0)
    assert (curve["clusters"] == items["cluster"].nunique()).all()
    assert (curve["n"] == 300).all()


def test_same_seed_same_tables_and_the_same_targets_for_every_model():
    stream = random_text()
    first, again = (context_length_items(Bigram(), stream, PARAMETERS, 7) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    pd.testing.assert_frame_equal(context_curve(first, 7), context_curve(again, 7))
    pd.testing.assert_frame_equal(effective_context(first, 7), effective_context(again, 7))
    other_model = context_length_items(Copier(), stream, PARAMETERS, 7)
    assert (other_model["position"] == first["position"]).all()
    other_seed = context_length_items(Bigram(), stream, PARAMETERS, 8)
    assert (other_seed["position"] != first["position"]).any()


def test_several_models_in_one_table_are_as_if_alone():
    stream = periodic()
    models = (Uniform(), Copier())
    tables = [context_length_items(model, stream, PARAMETERS, 0) for model in models]
    for summary in (context_curve, effective_context):
        together = summary(pd.concat(tables, ignore_index=True), 0)
        alone = pd.concat([summary(table, 0) for table in tables], ignore_index=True)
        pd.testing.assert_frame_equal(together, alone)


def test_batches_do_not_matter(monkeypatch):
    stream = random_text()
    whole = context_length_items(Bigram(), stream, PARAMETERS, 0)
    monkeypatch.setattr(context_length, "_BATCH_BYTES", 8 * V * 7)
    pd.testing.assert_frame_equal(whole, context_length_items(Bigram(), stream, PARAMETERS, 0))


def test_a_batch_is_bounded():
    sizes = []

    class Counting(Uniform):
        def next_log_probs(self, contexts):
            sizes.append(len(contexts))
            return super().next_log_probs(contexts)

    big = ContextLengthParameters(lags=(1,), positions=2000)
    context_length_items(Counting(), random_text(), big, 0)
    assert sizes == [512, 512, 512, 464]


def test_a_short_text_gets_a_shorter_longest_context():
    items = context_length_items(Uniform(), random_text(length=65), PARAMETERS, 0)
    assert items["distance"].max() == 10
    assert items["item"].nunique() == 55
    with pytest.raises(MemoryspanError, match="too short"):
        context_length_items(Uniform(), random_text(length=40), PARAMETERS, 0)


def test_the_curve_is_a_ratio_of_totals_by_hand():
    items = pd.DataFrame(
        {
            "model": "m",
            "item": [0, 1, 2, 0, 1, 2],
            "cluster": ["a", "a", "b"] * 2,
            "distance": [1, 1, 1, 2, 2, 2],
            "nats": [1.0, 2.0, 6.0, 1.0, 1.0, 1.0],
        }
    )
    curve = context_curve(items, 0)
    assert curve["nats_per_token"].tolist() == [3.0, 1.0]
    np.testing.assert_allclose(curve["perplexity"], np.exp([3, 1]))
    assert curve["low"].isna().all()  # two clusters are too few
    with pytest.raises(ValueError, match="exactly once"):
        context_curve(items.iloc[:-1], 0)
    with pytest.raises(ValueError, match="exactly once"):
        context_curve(pd.concat([items, items]), 0)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 5), min_size=2, max_size=8), st.floats(0, 0.5))
def test_effective_context_is_the_smallest_within_the_tolerance(nats, tolerance):
    lags = range(1, len(nats) + 1)
    rows = [
        {"model": "m", "item": item, "cluster": item, "distance": k, "nats": value}
        for item, (k, value) in itertools.product(range(6), zip(lags, nats, strict=True))
    ]
    found = effective_context(pd.DataFrame(rows), 0, tolerance).iloc[0]
    perplexities = np.exp(nats)
    within = perplexities <= perplexities[-1] * (1 + tolerance) * (1 + 1e-9)
    clearly = perplexities <= perplexities[-1] * (1 + tolerance) * (1 - 1e-9)
    clearly[-1] = True
    assert 1 + within.argmax() <= found["effective_context"] <= 1 + clearly.argmax()
