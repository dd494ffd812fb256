"""Reading and learning, against the definitions, step by step in float64."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from tests.neural.adaptation.conftest import ADAPTABLE, vivid_model
from tests.neural.conftest import random_stream

from memoryspan.neural.adaptation.adapting_network import AdaptingNetwork, mean_squared_gradients
from memoryspan.neural.adaptation.dynamic_equations import rms_steps, sgd_steps
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

RATE, DECAY, EPSILON = 0.05, 0.1, 0.01


@pytest.fixture(params=ADAPTABLE, ids=lambda variant: "-".join([variant[0], *variant[1]]))
def any_model(request):
    kind, changes = request.param
    return vivid_model(kind, **changes)


def float64_copy(model):
    return deepcopy(model.network).double().requires_grad_(True)


def mean_nats(network, inputs, targets, state):
    """Log-probabilities of the targets with their graph, and the state after them."""
    output_BTE, after = network(inputs, state)
    log_probs = network.output_layer.log_probs(output_BTE.flatten(0, 1))
    picked = log_probs[torch.arange(targets.numel()), targets.flatten()]
    network.zero_grad()
    (-picked.mean()).backward()
    return picked.detach(), [tuple(t.detach() for t in layer) for layer in after]


def by_definition(model, stream, chunk, squares=None):
    network = float64_copy(model)
    trained = {name: w.detach().clone() for name, w in network.named_parameters()}
    if squares is not None:
        roots = {name: s.double() ** 0.5 for name, s in squares.items()}
        average = torch.cat([root.flatten() for root in roots.values()]).mean()
    read = torch.tensor([END_ID, *stream.ids.tolist()])
    state, scores = network.initial_state(1), []
    for start in range(0, len(stream), chunk):
        inputs = read[:-1][start : start + chunk]
        targets = read[1:][start : start + chunk]
        picked, state = mean_nats(network, inputs[None], targets, state)
        scores += picked.tolist()
        for name, weights in network.named_parameters():
            step, pull = RATE * weights.grad, DECAY
            if squares is not None:
                step = step / (roots[name] + EPSILON)
                pull = (DECAY * roots[name] / average).clamp(max=1)
            with torch.no_grad():
                weights.copy_(weights - step + pull * (trained[name] - weights))
    return np.array(scores), dict(network.named_parameters())


@pytest.mark.parametrize("rule", ["sgd", "rms"])
def test_scores_and_weights_are_those_of_the_definition(any_model, rule):
    stream, squares = random_stream(17), None
    names = dict(any_model.network.named_parameters())
    steps = sgd_steps(names, RATE, DECAY)
    if rule == "rms":
        squares = mean_squared_gradients(any_model.network, random_stream(300, seed=8), 120, 5, 4)
        steps = rms_steps(squares, RATE, DECAY, EPSILON)
    expected, weights = by_definition(any_model, stream, 5, squares)
    adapting = AdaptingNetwork(any_model.network, steps)
    inputs, targets = any_model.inputs_and_targets(stream)
    np.testing.assert_allclose(adapting.read(inputs, targets, 5), expected, atol=2e-4)
    for name, adapted in adapting.weights.items():
        torch.testing.assert_close(adapted.double(), weights[name], atol=2e-4, rtol=0)
        assert not torch.equal(adapted, names[name])


def test_mean_squares_are_those_of_every_batch(any_model):
    stream = random_stream(100, seed=8)
    found = mean_squared_gradients(any_model.network, stream, tokens=41, chunk=5, streams=4)
    network = float64_copy(any_model)
    expected = {name: torch.zeros_like(w) for name, w in network.named_parameters()}
    # 4 streams of 25 tokens; the fewest batches of 4·5 tokens that have 41 together are 3
    read = torch.tensor([END_ID, *stream.ids.tolist()])
    inputs_BT, targets_BT = read[:-1].view(4, 25), read[1:].view(4, 25)
    state = network.initial_state(4)
    for start in (0, 5, 10):
        part = slice(start, start + 5)
        _, state = mean_nats(network, inputs_BT[:, part], targets_BT[:, part], state)
        for name, weights in network.named_parameters():
            expected[name] += weights.grad**2 / 3
    for name, squares in found.items():
        torch.testing.assert_close(squares.double(), expected[name], atol=1e-6, rtol=1e-3)


def test_mean_squares_of_a_text_that_is_shorter_than_asked(any_model):
    stream = random_stream(23, seed=8)  # 4 streams of 6, the last of 5
    squares = mean_squared_gradients(any_model.network, stream, tokens=10**6, chunk=5, streams=4)
    assert all(bool(torch.isfinite(s).all()) for s in squares.values())
    tiny = TokenStream.of(stream.ids[:2], stream.vocabulary_size)
    mean_squared_gradients(any_model.network, tiny, tokens=10, chunk=5, streams=4)


def test_restart_forgets_everything(any_model):
    names = dict(any_model.network.named_parameters())
    adapting = AdaptingNetwork(any_model.network, sgd_steps(names, RATE, DECAY))
    inputs, targets = any_model.inputs_and_targets(random_stream(20))
    first = adapting.read(inputs, targets, 4)
    assert not np.array_equal(adapting.read(inputs, targets, 4), first)
    adapting.restart()
    assert np.array_equal(adapting.read(inputs, targets, 4), first)
