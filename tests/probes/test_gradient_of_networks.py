"""The probe on the project's own networks, against finite differences of what they compute."""

import numpy as np
import pytest
import torch

from memoryspan.neural.networks import initial_network
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.probes.gradient import gradient_items, squared_pulls
from memoryspan.probes.parameters import GradientParameters
from memoryspan.text.streams import TokenStream

V, STEPS = 9, 7
KINDS = ["rnn", "gru", "lstm"]


def network_of(kind, layers=2):
    parameters = NetworkParameters(kind=kind, hidden_size=4, embedding_size=3, layers=layers)
    return initial_network(parameters, V, seed=1).double()


def squared_frobenius_by_differences(network, tokens_1T, states, i, step=1e-6):
    """‖∂s_T/∂s_i‖_F², moving each unit of the state after token i a little up and down."""
    total = 0.0
    for unit in torch.eye(states[i].shape[1], dtype=torch.float64):
        ends = [
            network.unroll(tokens_1T[:, i + 1 :], network.split(states[i].detach() + move)).states
            for move in (step * unit[None], -step * unit[None])
        ]
        total += ((ends[0][-1] - ends[1][-1]) / (2 * step)).square().sum().item()
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_the_joint_state_carries_the_whole_derivative(kind):
    network = network_of(kind)
    tokens = torch.arange(STEPS)[None]
    states = network.unroll(tokens, network.initial_state(1)).states
    directions = torch.eye(states[0].shape[1], dtype=torch.float64)
    pulls = sum(squared_pulls(states, v[None])[0] for v in directions)
    for i in range(STEPS - 1):
        expected = squared_frobenius_by_differences(network, tokens, states, i)
        assert pulls[i].item() == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_frozen_weights_are_no_obstacle(kind):
    network = network_of(kind, layers=1).requires_grad_(False)
    ids = np.random.default_rng(0).integers(0, V, 400).astype(np.int32)
    items = gradient_items(
        kind,
        "initialisation",
        lambda tokens: network.unroll(tokens, network.initial_state(len(tokens))).states,
        TokenStream.of(ids, V),
        GradientParameters(max_lag=10, positions=10, vectors=2, warm_up=3),
        seed=0,
    )
    np.testing.assert_allclose(items.loc[items["distance"] == 0, "squared_norm"], 1)
    means = items.groupby("distance")["squared_norm"].mean()
    assert 0 < means[10] < means[1] < 1
