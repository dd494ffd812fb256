import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import linregress

from memoryspan.probes.gradient_summary import gradient_curve, gradient_summary, log_linear_fit

LAGS = np.arange(51)


def items_of(norms_IK, model="rnn", stage="trained"):
    count, lags = norms_IK.shape
    return pd.DataFrame(
        {
            "model": model,
            "stage": stage,
            "item": np.repeat(np.arange(count), lags),
            "cluster": np.repeat([f"c{i // 2}" for i in range(count)], lags),
            "position": np.repeat(np.arange(count) * 100, lags),
            "distance": np.tile(np.arange(lags), count),
            "squared_norm": np.square(norms_IK).reshape(-1),
        }
    )


def decaying(rate, count=20, spread=0.0, seed=0):
    rates = rate * np.exp(spread * np.random.default_rng(seed).normal(size=count))
    return items_of(np.exp(-np.outer(rates, LAGS)))


def test_an_exponential_decay_is_recovered():
    row = gradient_summary(decaying(0.1), 0).iloc[0]
    assert row["slope_nats_per_step"] == pytest.approx(-0.1)
    assert [row["slope_low"], row["slope_high"]] == pytest.approx([-0.1, -0.1])
    assert row["r_squared"] == pytest.approx(1)
    assert row["half_life"] == pytest.approx(np.log(2) / 0.1)
    assert row["lag_1_percent"] == 47  # exp(−4.6) is above 0.01, exp(−4.7) below
    assert [row["lag_1_percent_low"], row["lag_1_percent_high"]] == [47, 47]
    assert (row["max_lag"], row["n"]) == (50, 20)


def test_a_slow_decay_does_not_reach_one_percent():
    row = gradient_summary(decaying(0.01), 0).iloc[0]
    assert row[["lag_1_percent", "lag_1_percent_low", "lag_1_percent_high"]].isna().all()


def test_growth_has_no_half_life():
    row = gradient_summary(decaying(-0.2), 0).iloc[0]
    assert row["slope_nats_per_step"] == pytest.approx(0.2)
    assert row["half_life"] == np.inf


def test_constant_norms():
    row = gradient_summary(decaying(0.0), 0).iloc[0]
    assert row["slope_nats_per_step"] == 0
    assert (row["half_life"], np.isnan(row["r_squared"])) == (np.inf, True)


def test_the_curve_is_the_geometric_mean_and_starts_at_one():
    norms = np.array([[1, 0.1, 0.01], [1, 0.4, 0.04]] * 5)
    curve = gradient_curve(items_of(norms), 0)
    assert list(curve.columns) == ["model", "stage", "lag", "gradient_norm", "low", "high", "n"]
    np.testing.assert_allclose(curve["gradient_norm"], [1, 0.2, 0.02], rtol=1e-12)
    assert curve.loc[0, ["low", "high"]].tolist() == [1, 1]
    # every cluster holds one item of each kind: there is nothing to vary
    np.testing.assert_allclose(curve["low"], curve["high"])


def test_intervals_hold_the_estimates():
    items = decaying(0.2, spread=0.3)
    curve = gradient_curve(items, 0).iloc[1:]
    assert (curve["low"] < curve["gradient_norm"]).all()
    assert (curve["gradient_norm"] < curve["high"]).all()
    row = gradient_summary(items, 0).iloc[0]
    assert row["slope_low"] < row["slope_nats_per_step"] < row["slope_high"]
    assert row["lag_1_percent_low"] <= row["lag_1_percent"] <= row["lag_1_percent_high"]
    pd.testing.assert_frame_equal(gradient_summary(items, 0), gradient_summary(items, 0))


def test_what_underflowed_is_zero_and_not_fitted():
    norms = np.exp(-np.outer(np.full(12, 0.5), LAGS))
    norms[3, 40:] = 0
    curve = gradient_curve(items_of(norms), 0)
    assert (curve.loc[40:, "gradient_norm"] == 0).all()
    assert curve.loc[40:, ["low", "high"]].isna().all(axis=None)
    assert gradient_summary(items_of(norms), 0)["slope_nats_per_step"][0] == pytest.approx(-0.5)


def test_models_and_stages_are_kept_apart():
    parts = [decaying(0.1), decaying(0.2).assign(stage="initialisation")]
    parts.append(decaying(0.3).assign(model="lstm"))
    summary = gradient_summary(pd.concat(parts, ignore_index=True), 0)
    found = summary.set_index(["model", "stage"])["slope_nats_per_step"]
    assert found["rnn", "trained"] == pytest.approx(-0.1)
    assert found["rnn", "initialisation"] == pytest.approx(-0.2)
    assert found["lstm", "trained"] == pytest.approx(-0.3)


def test_few_clusters_have_no_interval():
    row = gradient_summary(decaying(0.1, count=8), 0).iloc[0]
    assert row[["slope_low", "slope_high", "lag_1_percent_low", "lag_1_percent_high"]].isna().all()
    assert row["slope_nats_per_step"] == pytest.approx(-0.1)


@settings(deadline=None)
@given(st.lists(st.floats(-50, 5), min_size=4, max_size=30))
def test_the_fit_is_that_of_scipy(values):
    lags, norms = np.arange(len(values)), np.array(values)
    slope, r_squared = log_linear_fit(lags, norms)
    expected = linregress(lags[1:], norms[1:])
    assert slope == pytest.approx(expected.slope, abs=1e-9)
    if np.ptp(norms[1:]) > 1e-3:
        assert r_squared == pytest.approx(expected.rvalue**2, abs=1e-6)


def test_too_few_lags_have_no_slope():
    assert np.isnan(log_linear_fit(np.arange(3), np.zeros(3))).all()
    assert np.isnan(log_linear_fit(np.arange(4), np.array([0, -1, -2, -np.inf]))).all()
