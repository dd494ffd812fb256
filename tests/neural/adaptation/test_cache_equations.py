"""Grave, Joulin & Usunier (2017), equations 2 and 3, worked by hand."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.neural.adaptation.cache_equations import (
    cache_distribution,
    cache_log_probs,
    mixed,
)

# One place whose products with three cached states are 0, 1 and 2; then came the tokens 4, 7, 4.
PRODUCTS = torch.tensor([[0.0, 1.0, 2.0]], dtype=torch.float64)
NEXT = torch.tensor([[4, 7, 4]])


def test_worked_by_hand():
    # θ = ln 2: weights 1, 2, 4
    probs = cache_distribution(PRODUCTS, NEXT, math.log(2), 9)[0]
    expected = torch.zeros(9, dtype=torch.float64)
    expected[4], expected[7] = 5 / 7, 2 / 7
    torch.testing.assert_close(probs, expected)
    for token in (4, 7):
        log_prob = cache_log_probs(PRODUCTS, token == NEXT, math.log(2))
        assert log_prob.item() == pytest.approx(math.log(expected[token]))
    assert cache_log_probs(PRODUCTS, NEXT == 3, math.log(2)).item() == -math.inf


def test_flatness_zero_counts_words():
    probs = cache_distribution(PRODUCTS, NEXT, 0.0, 9)[0]
    assert (probs[4].item(), probs[7].item()) == pytest.approx((2 / 3, 1 / 3))


def test_places_that_are_not_there_do_not_count():
    present = torch.tensor([[False, True, True]])
    for flatness in (0.0, math.log(2), 500.0):
        log_prob = cache_log_probs(PRODUCTS, NEXT == 4, flatness, present)
        alone = cache_log_probs(PRODUCTS[:, 1:], NEXT[:, 1:] == 4, flatness)
        assert log_prob.item() == alone.item()
    nothing = cache_log_probs(PRODUCTS, NEXT == 4, 0.3, torch.zeros_like(present))
    assert math.isnan(nothing.item())


def test_huge_products_are_no_problem():
    products = torch.tensor([[9e5, 9e5 + 1, -9e5]], dtype=torch.float64)
    log_prob = cache_log_probs(products, NEXT == 7, 1.0).item()
    assert log_prob == pytest.approx(-math.log1p(math.exp(-1)))


def test_the_mixture_worked_by_hand():
    log_vocab = np.log([0.1, 0.2, 0.3])
    log_cache = np.array([math.log(0.5), -np.inf, np.nan])
    expected = [0.75 * 0.1 + 0.25 * 0.5, 0.75 * 0.2, 0.3]
    np.testing.assert_allclose(np.exp(mixed(log_vocab, log_cache, 0.25)), expected)
    np.testing.assert_array_equal(mixed(log_vocab, log_cache, 0.0), log_vocab)


@given(
    st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=20),
    st.floats(0, 100),
    st.randoms(use_true_random=False),
)
def test_the_distribution_sums_to_one_and_says_the_same(products, flatness, random):
    row = torch.tensor([products], dtype=torch.float64)
    following = torch.tensor([[random.randrange(5) for _ in products]])
    probs = cache_distribution(row, following, flatness, 5)[0]
    assert probs.sum().item() == pytest.approx(1, abs=1e-12)
    for token in range(5):
        log_prob = cache_log_probs(row, following == token, flatness)
        assert math.exp(log_prob.item()) == pytest.approx(probs[token].item(), abs=1e-12)
