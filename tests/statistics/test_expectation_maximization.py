import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from memoryspan.errors import MemoryspanError
from memoryspan.statistics.expectation_maximization import interpolation_weights

probabilities = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 30)),
                       elements=st.floats(1e-6, 1))  # fmt: skip


def nats_per_token(log_probs: np.ndarray, weights: np.ndarray) -> float:
    return float(np.log(weights @ np.exp(log_probs)).mean())


def test_worked_by_hand() -> None:
    """Two components, each sure of other tokens: λ is the share of tokens that each explains."""
    with np.errstate(divide="ignore"):
        log_probs = np.log(np.array([[0.5, 0.5, 0.5, 0], [0, 0, 0, 0.9]]))
    np.testing.assert_allclose(interpolation_weights(log_probs), [3 / 4, 1 / 4], atol=1e-6)


def test_against_a_search_along_the_line() -> None:
    rng = np.random.default_rng(1)
    log_probs = np.log(rng.random((2, 500)) ** [[2], [3]])
    found = minimize_scalar(
        lambda x: -nats_per_token(log_probs, np.array([x, 1 - x])),
        bounds=(0, 1), method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    assert interpolation_weights(log_probs)[0] == pytest.approx(found.x, abs=1e-3)


@settings(deadline=None)
@given(probabilities)
def test_no_component_alone_is_better(probs: np.ndarray) -> None:
    log_probs = np.log(probs)
    weights = interpolation_weights(log_probs)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    assert nats_per_token(log_probs, weights) >= log_probs.mean(axis=1).max() - 1e-6


def test_tiny_probabilities_do_not_underflow() -> None:
    log_probs = np.array([[-2000.0, -3000.0], [-2001.0, -2990.0]])
    assert np.isfinite(interpolation_weights(log_probs)).all()


@pytest.mark.parametrize(("log_probs", "message"), [
    (np.array([[0.0, -np.inf], [-1.0, -np.inf]]), "Token 2 of the text is impossible"),
    (np.empty((2, 0)), "at least one token"),
])  # fmt: skip
def test_what_has_no_weights(log_probs: np.ndarray, message: str) -> None:
    with pytest.raises(MemoryspanError, match=message):
        interpolation_weights(log_probs)
