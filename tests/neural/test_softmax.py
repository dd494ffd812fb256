import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.neural.conftest import VOCABULARY_SIZE, network_parameters

from memoryspan.neural.networks import initial_network
from memoryspan.neural.softmax import SampledSoftmax, inclusion_probabilities

COUNTS = np.arange(VOCABULARY_SIZE)


@given(st.lists(st.floats(0.01, 1000), min_size=3, max_size=40), st.data())
def test_inclusion_probabilities_sum_to_the_sample_size(weights, data):
    size = data.draw(st.integers(1, len(weights) - 1))
    inclusion = inclusion_probabilities(np.array(weights), size)
    assert inclusion.sum() == pytest.approx(size)
    assert inclusion.max() <= 1
    assert inclusion.min() > 0


def test_tokens_enter_the_sample_as_often_as_their_probability_says():
    torch.manual_seed(0)
    softmax = SampledSoftmax(COUNTS, 10)
    samples = [softmax.sample() for _ in range(4000)]
    assert all(len(sample.unique()) == 10 for sample in samples)
    rates = np.bincount(torch.cat(samples), minlength=VOCABULARY_SIZE) / 4000
    np.testing.assert_allclose(rates, softmax.log_inclusion_V.exp(), atol=0.04)


def test_the_sampled_partition_function_is_unbiased():
    torch.manual_seed(0)
    network = initial_network(network_parameters("lstm"), VOCABULARY_SIZE, seed=0).double()
    output_layer = network.output_layer
    output_NE = 3 * torch.randn(6, 8, dtype=torch.float64)
    targets_N = torch.tensor([0, 1, 5, 17, 29, 29])
    softmax = SampledSoftmax(COUNTS, 10)
    target_probability = torch.stack(
        [1 / softmax.nats(output_layer, output_NE, targets_N).neg().exp() for _ in range(6000)]
    ).mean(dim=0)
    # Σ_j exp(s_j − s_target), averaged over samples, is what the full softmax gives.
    exact = output_layer.nats(output_NE, targets_N).exp().double()
    np.testing.assert_allclose(target_probability.detach(), exact.detach(), rtol=0.03)
