"""Krause et al. (2018), equations 4 to 8, worked by hand."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.neural.adaptation.dynamic_equations import rms_steps, sgd_steps, update

# Two weights with √MS_g = 2 and 4: the mean is 3, RMS_norm is 2/3 and 4/3.
SQUARES = {"a": torch.tensor([4.0]), "b": torch.tensor([16.0])}


def test_sgd_with_decay_worked_by_hand():
    step = sgd_steps(["a"], learning_rate=0.1, decay=0.25)["a"]
    weights, trained = torch.tensor([1.0, -2.0]), torch.tensor([0.5, -2.0])
    update(weights, trained, torch.tensor([2.0, -3.0]), step)
    # 1 − 0.1·2 + 0.25·(0.5 − 1) and −2 + 0.1·3 + 0
    torch.testing.assert_close(weights, torch.tensor([0.675, -1.7]))


def test_rms_with_decay_worked_by_hand():
    steps = rms_steps(SQUARES, learning_rate=0.1, decay=0.3, epsilon=0.5)
    for name, expected in {
        "a": 1 - 0.1 * 5 / 2.5 + 0.3 * 2 / 3 * (0.5 - 1),
        "b": 1 - 0.1 * 5 / 4.5 + 0.3 * 4 / 3 * (0.5 - 1),
    }.items():
        weights = torch.tensor([1.0])
        update(weights, torch.tensor([0.5]), torch.tensor([5.0]), steps[name])
        assert weights.item() == pytest.approx(expected)


def test_the_pull_never_goes_beyond_the_trained_weights():
    steps = rms_steps(SQUARES, learning_rate=0.0, decay=0.9, epsilon=1.0)
    assert steps["a"].pull.item() == pytest.approx(0.6)
    assert steps["b"].pull.item() == 1.0
    weights = torch.tensor([7.0])
    update(weights, torch.tensor([0.1]), torch.zeros(1), steps["b"])
    assert weights.item() == torch.tensor(0.1).item()


def test_a_gradient_that_was_always_zero_is_no_problem():
    steps = rms_steps({"a": torch.zeros(2)}, learning_rate=0.1, decay=0.5, epsilon=0.001)
    assert steps["a"].pull.tolist() == [0.0, 0.0]
    assert steps["a"].rate.tolist() == pytest.approx([100.0, 100.0])


@given(
    st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3),
    st.floats(0, 1),
)
def test_without_a_learning_rate_the_trained_weights_stay_to_the_bit(values, decay):
    trained = torch.tensor(values)
    for step in (
        sgd_steps(["a"], 0.0, decay)["a"],
        rms_steps({"a": torch.tensor([1.0, 2.0, 3.0])}, 0.0, decay, 0.001)["a"],
    ):
        weights = trained.clone()
        update(weights, trained, torch.full((3,), 1e6), step)
        assert torch.equal(weights, trained)
