from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.statistics.bootstrap import (
    mean_intervals,
    mean_replicates,
    perplexity_ratio,
)

TOKENS = np.array([10, 20, 30, 20, 20])
NATS = np.array([48.0, 110.0, 150.0, 95.0, 108.0])
REFERENCE = np.array([50.0, 100.0, 160.0, 100.0, 105.0])


def test_the_ratio_is_a_ratio_of_totals():
    # Δ = −2 + 10 − 10 − 5 + 3 = −4 nats over 100 tokens
    assert perplexity_ratio(NATS, REFERENCE, TOKENS, seed=0).estimate == pytest.approx(
        np.exp(-0.04), rel=1e-14
    )


def test_the_interval_is_that_of_all_possible_draws():
    """Five clusters have 5⁵ equally likely draws: the exact bootstrap, counted out."""
    draws = np.array(list(product(range(5), repeat=5)))
    exact = (NATS - REFERENCE)[draws].sum(1) / TOKENS[draws].sum(1)
    low, high = np.exp(np.quantile(exact, [0.025, 0.975]))
    found = perplexity_ratio(NATS, REFERENCE, TOKENS, seed=1, replicates=200_000)
    assert found.low == pytest.approx(low, abs=2e-3)
    assert found.high == pytest.approx(high, abs=2e-3)
    replicates = mean_replicates((NATS - REFERENCE)[:, None], TOKENS, 2, 200_000)
    assert replicates.std() == pytest.approx(exact.std(), rel=0.01)


def test_a_constant_factor_has_no_uncertainty_however_hard_the_clusters():
    nats = REFERENCE + TOKENS * np.log(0.8)
    found = perplexity_ratio(nats, REFERENCE, TOKENS, seed=0)
    assert [found.estimate, found.low, found.high] == pytest.approx([0.8] * 3, rel=1e-12)


def test_the_95_percent_interval_covers_the_truth():
    rng = np.random.default_rng(7)
    simulations, clusters, truth = 400, 40, -0.05
    covered = 0
    for simulation in range(simulations):
        tokens = rng.integers(100, 900, clusters)
        hardness = rng.normal(4.5, 0.5, clusters)
        effect = rng.normal(truth, 0.1, clusters)
        noise = rng.normal(0, 2 / np.sqrt(tokens))
        found = perplexity_ratio(
            (hardness + effect + noise) * tokens,
            hardness * tokens,
            tokens,
            seed=simulation,
            replicates=1000,
        )
        covered += found.low <= np.exp(truth) <= found.high
    assert 0.90 <= covered / simulations <= 0.98


def test_infinite_perplexities():
    infinite = NATS.copy()
    infinite[1] = np.inf
    found = perplexity_ratio(infinite, REFERENCE, TOKENS, seed=0)
    assert found.estimate == np.inf
    assert np.isnan([found.low, found.high]).all()
    assert perplexity_ratio(NATS, infinite, TOKENS, seed=0).estimate == 0
    assert np.isnan(perplexity_ratio(infinite, infinite, TOKENS, seed=0).estimate)


def test_a_replicate_is_infinite_exactly_when_it_draws_the_infinite_cluster():
    totals = np.array([[np.inf, 1.0], [2.0, 0.0], [2.0, 0.0], [2.0, 0.0]])
    replicates = mean_replicates(totals, np.ones(4, dtype=np.int64), 3, 4000)
    np.testing.assert_array_equal(np.isinf(replicates[:, 0]), replicates[:, 1] > 0)
    assert np.isinf(replicates[:, 0]).mean() == pytest.approx(1 - 0.75**4, abs=0.03)


def test_one_infinite_column_leaves_the_others_alone():
    both = np.stack([NATS, np.full(5, np.inf)], axis=1)
    alone = mean_intervals(NATS[:, None], TOKENS, seed=0)
    found = mean_intervals(both, TOKENS, seed=0)
    assert found.low[0] == alone.low[0]
    assert found.estimate[1] == np.inf
    assert np.isnan(found.high[1])


def test_too_few_clusters_give_no_interval():
    found = perplexity_ratio(NATS[:4], REFERENCE[:4], TOKENS[:4], seed=0)
    assert np.isfinite(found.estimate)
    assert np.isnan([found.low, found.high]).all()


def test_same_seed_same_interval_other_seed_other_draws():
    first, again, other = (perplexity_ratio(NATS, REFERENCE, TOKENS, seed=s) for s in (5, 5, 6))
    assert first == again
    assert first != other


@settings(deadline=None)
@given(st.integers(5, 30), st.integers(0, 2**31))
def test_the_interval_holds_the_estimate_and_lies_within_the_clusters(clusters, seed):
    rng = np.random.default_rng(seed)
    tokens = rng.integers(1, 100, clusters)
    nats = rng.exponential(3, clusters) * tokens
    found = mean_intervals(nats[:, None], tokens, seed=seed, replicates=200)
    assert found.low[0] <= found.high[0]
    assert (nats / tokens).min() * (1 - 1e-12) <= found.low[0]
    assert found.high[0] <= (nats / tokens).max() * (1 + 1e-12)
