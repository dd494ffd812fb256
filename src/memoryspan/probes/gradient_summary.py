"""From squared gains by lag to curves, slopes and half-lives.

Positions are averaged on the logarithmic scale (a geometric mean): gradients multiply along a
path, so their norms spread over orders of magnitude and an arithmetic mean shows the largest
alone.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memoryspan.language_model import Floats
from memoryspan.probes.items import ClusterTotals, cluster_totals
from memoryspan.statistics.bootstrap import MINIMUM_CLUSTERS, mean_intervals, mean_replicates

_ONE_PERCENT_LOST = -float(np.log(0.01))  # nats


def gradient_curve(items: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Gradient norm by model, stage and lag, relative to lag 0 (where it is 1).

    Args:
        items: of one or several models and stages, as ``gradient_items`` makes them.
        seed: of the bootstrap.

    Returns:
        The columns model, stage, lag, gradient_norm (geometric mean over the positions; 0 where
        one of them underflowed), low and high (95 % bootstrap interval over the positions, those
        of one document or block together) and n (positions).
    """
    curves = []
    for (model, stage), group in items.groupby(["model", "stage"], sort=False):
        found = _lost_nats(group)
        lost = mean_intervals(found.totals, found.counts, seed=seed)
        curve = {
            "model": model,
            "stage": stage,
            "lag": found.distances,
            "gradient_norm": np.exp(-lost.estimate),
            "low": np.exp(-lost.high),
            "high": np.exp(-lost.low),
            "n": int(found.counts.sum()),
        }
        curves.append(pd.DataFrame(curve))
    return pd.concat(curves, ignore_index=True)


def _lost_nats(items: pd.DataFrame) -> ClusterTotals:
    """−log gradient norm: like a surprisal it adds up, and is +inf where nothing is left."""
    with np.errstate(divide="ignore"):
        lost = -0.5 * np.log(items["squared_norm"].to_numpy(dtype=np.float64))
    return cluster_totals(items, pd.Series(lost, index=items.index))


def gradient_summary(items: pd.DataFrame, seed: int) -> pd.DataFrame:
    """How fast the gradient changes with the lag, by model and stage.

    Args:
        items: of one or several models and stages, as ``gradient_items`` makes them.
        seed: of the bootstrap.

    Returns:
        The columns model, stage, slope_nats_per_step (see ``log_linear_fit``; negative =
        vanishing), r_squared (of that line: a low one means that no single rate describes the
        curve), half_life (steps, ln 2/−slope; inf where the slope is not negative),
        lag_1_percent (the smallest lag with a norm of at most 0.01, Int64; NA = beyond
        max_lag), slope_low, slope_high, lag_1_percent_low, lag_1_percent_high (95 %
        bootstrap intervals; NA = beyond max_lag or, with fewer than five clusters, no interval),
        max_lag and n (positions).
    """
    rows = []
    for (model, stage), group in items.groupby(["model", "stage"], sort=False):
        found = _lost_nats(group)
        lost_K = found.totals.sum(axis=0) / found.counts.sum()
        slope, r_squared = log_linear_fit(found.distances, -lost_K)
        max_lag = int(found.distances[-1])
        row = {
            "model": model,
            "stage": stage,
            "slope_nats_per_step": slope,
            "r_squared": r_squared,
            "half_life": np.inf if slope >= 0 else np.log(2) / -slope,
            "lag_1_percent": _first_below_1_percent(found.distances, lost_K),
            **_bootstrapped(found, seed),
            "max_lag": max_lag,
            "n": int(found.counts.sum()),
        }
        rows.append(row)
    whole = ["lag_1_percent", "lag_1_percent_low", "lag_1_percent_high"]
    return pd.DataFrame(rows).astype(dict.fromkeys(whole, "Int64"))


def log_linear_fit(lags_K: NDArray[np.int64], log_norms_K: Floats) -> tuple[float, float]:
    """Least-squares line through log norms at lags ≥ 1: slope in nats per step, and R².

    Lags where nothing is left (-inf) are passed over; with fewer than three others both are NaN.
    R² is NaN where the norms are constant.
    """
    used = (lags_K >= 1) & np.isfinite(log_norms_K)
    if used.sum() < 3:
        return np.nan, np.nan
    x, y = lags_K[used] - lags_K[used].mean(), log_norms_K[used] - log_norms_K[used].mean()
    slope = float(x @ y / (x @ x))
    total = float(y @ y)
    return slope, 1 - float(np.square(y - slope * x).sum()) / total if total > 0 else np.nan


def _first_below_1_percent(lags_K: NDArray[np.int64], lost_K: Floats) -> int | None:
    reached = lags_K[lost_K >= _ONE_PERCENT_LOST]
    return int(reached[0]) if len(reached) else None


def _bootstrapped(found: ClusterTotals, seed: int) -> dict[str, float | int | None]:
    """Intervals of the slope and of the 1 % lag."""
    names = ["slope_low", "slope_high", "lag_1_percent_low", "lag_1_percent_high"]
    if len(found.counts) < MINIMUM_CLUSTERS:
        return dict(zip(names, [np.nan, np.nan, None, None], strict=True))
    lost_RK = mean_replicates(found.totals, found.counts, seed)
    slopes = [log_linear_fit(found.distances, -lost_K)[0] for lost_K in lost_RK]
    lags = [_first_below_1_percent(found.distances, lost_K) for lost_K in lost_RK]
    beyond = int(found.distances[-1]) + 1
    reached = np.quantile(
        [beyond if lag is None else lag for lag in lags], [0.025, 0.975], method="inverted_cdf"
    )
    bounds = [*np.quantile(slopes, [0.025, 0.975]).tolist()]
    bounds += [None if lag == beyond else int(lag) for lag in reached]
    return dict(zip(names, bounds, strict=True))
