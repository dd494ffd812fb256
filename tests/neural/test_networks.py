import numpy as np
import pytest
import torch
from tests.neural.conftest import KINDS, RECURRENT_KINDS, VOCABULARY_SIZE, network_parameters

from memoryspan.neural.batching import Chunking, StreamLoader
from memoryspan.neural.feedforward import NOTHING
from memoryspan.neural.network import Dropouts, variational_dropout
from memoryspan.neural.networks import initial_network


def network_of(kind, **changes):
    network = initial_network(network_parameters(kind, **changes), VOCABULARY_SIZE, seed=3)
    return network.double().eval()


def tokens(batch_size, length, seed=0):
    return torch.randint(
        VOCABULARY_SIZE, (batch_size, length), generator=torch.Generator().manual_seed(seed)
    )


@pytest.mark.parametrize("cuts", [[1] * 9, [4, 5], [2, 3, 4]])
@pytest.mark.parametrize("kind", KINDS)
def test_reading_in_chunks_equals_reading_at_once(kind, cuts):
    network = network_of(kind, layers=2)
    tokens_BT = tokens(2, 9)
    at_once, last = network(tokens_BT, network.initial_state(2))
    state, outputs = network.initial_state(2), []
    for part in tokens_BT.split(cuts, dim=1):
        output, state = network(part, state)
        outputs.append(output)
    torch.testing.assert_close(torch.cat(outputs, dim=1), at_once, rtol=0, atol=1e-12)
    for got, wanted in zip(state, last, strict=True):
        torch.testing.assert_close(got, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
@pytest.mark.parametrize("kind", RECURRENT_KINDS)
def test_unrolled_equation_cells_equal_the_fused_kernels(kind, activation):
    network = network_of(kind, layers=2, activation=activation)
    tokens_BT = tokens(3, 8)
    state = network.initial_state(3)
    output, last = network(tokens_BT, state)
    unrolled = network.unroll(tokens_BT, state)
    torch.testing.assert_close(unrolled.outputs_BTE, output, rtol=0, atol=1e-12)
    torch.testing.assert_close(unrolled.states[-1], network.joint(last), rtol=0, atol=1e-12)
    assert len(unrolled.states) == len(unrolled.gates) == 8
    assert set(unrolled.gates[0][1]) == {"rnn": set(), "gru": {"r", "z"}, "lstm": set("ifo")}[kind]


@pytest.mark.parametrize("kind", RECURRENT_KINDS)
def test_the_gradient_between_joint_states_is_the_product_of_the_steps(kind):
    network = network_of(kind, layers=2)
    tokens_BT = tokens(1, 4)
    states = network.unroll(tokens_BT, network.initial_state(1)).states
    size = states[0].shape[1]

    def jacobian(later, earlier):
        rows = [
            torch.autograd.grad(states[later][0, s], states[earlier], retain_graph=True)[0][0]
            for s in range(size)
        ]
        return torch.stack(rows)

    product = jacobian(3, 2) @ jacobian(2, 1) @ jacobian(1, 0)
    torch.testing.assert_close(jacobian(3, 0), product, rtol=0, atol=1e-12)
    assert product.abs().max() > 1e-6


def test_gradients_reach_the_states_of_a_frozen_network():
    network = network_of("lstm").requires_grad_(False)
    unrolled = network.unroll(tokens(2, 5), network.initial_state(2))
    unrolled.outputs_BTE[:, -1].sum().backward()
    assert all(state.grad.abs().sum() > 0 for state in unrolled.states)


@pytest.mark.parametrize("kind", RECURRENT_KINDS)
def test_truncation_longer_than_the_text_gives_the_full_gradient(kind, train_stream):
    short = type(train_stream).of(train_stream.ids[:20], VOCABULARY_SIZE)
    gradients = []
    for bptt in (20, 64):
        network = network_of(kind)
        state = network.initial_state(1)
        for chunk in StreamLoader(short, 1, Chunking(bptt)):
            output, state = network(chunk.inputs_BT, network.carried(state))
            network.output_layer.nats(output[0], chunk.targets_BT[0]).sum().backward()
        gradients.append(network.layers[0].weight_hh_l0.grad)
    truncated = network_of(kind)
    state = truncated.initial_state(1)
    for chunk in StreamLoader(short, 1, Chunking(5)):
        output, state = truncated(chunk.inputs_BT, truncated.carried(state))
        truncated.output_layer.nats(output[0], chunk.targets_BT[0]).sum().backward()
    assert torch.equal(*gradients)
    assert not torch.allclose(truncated.layers[0].weight_hh_l0.grad, gradients[0])


def test_the_feedforward_network_sees_its_window_and_nothing_else():
    network = network_of("feedforward", window=3)
    contexts = tokens(1, 6)
    other = contexts.clone()
    other[0, :3] = (other[0, :3] + 1) % VOCABULARY_SIZE
    seen, unseen = (network(t, network.initial_state(1))[0][0, -1] for t in (contexts, other))
    assert torch.equal(seen, unseen)
    other[0, 3] = (contexts[0, 3] + 1) % VOCABULARY_SIZE
    assert not torch.equal(network(other, network.initial_state(1))[0][0, -1], seen)


@pytest.mark.parametrize("kind", KINDS)
def test_forgetting_brings_only_the_marked_sequences_back_to_the_start(kind):
    network = network_of(kind)
    _, state = network(tokens(2, 4), network.initial_state(2))
    after = network.forget(state, torch.tensor([True, False]))
    for got, start, kept in zip(after[0], network.initial_state(2)[0], state[0], strict=True):
        assert torch.equal(got[0], start[0])
        assert torch.equal(got[1], kept[1])


def test_tokens_before_the_start_have_no_embedding():
    network = network_of("feedforward", window=3)
    read = network(tokens(1, 1), network.initial_state(1))[1][0][0]
    assert read.tolist() == [[NOTHING, int(tokens(1, 1))]]
    assert network.nothing_read(2).shape == (2, 8)


def test_variational_dropout_drops_the_same_features_at_every_step():
    torch.manual_seed(0)
    dropped = variational_dropout(torch.ones(4, 6, 50), 0.4, training=True)
    assert torch.equal(dropped, dropped[:, :1].expand_as(dropped))
    assert 0.3 < (dropped == 0).float().mean() < 0.5
    assert dropped.max() == pytest.approx(1 / 0.6)
    assert torch.equal(variational_dropout(torch.ones(1, 1, 5), 0.4, False), torch.ones(1, 1, 5))


@pytest.mark.parametrize("kind", RECURRENT_KINDS)
def test_dropconnect_works_in_training_mode_only(kind):
    network = network_of(kind)
    network.dropouts = Dropouts(recurrent=0.5)
    tokens_BT, state = tokens(2, 6), network.initial_state(2)
    evaluated = network(tokens_BT, state)[0]
    network.train()
    trained = [network(tokens_BT, state)[0] for _ in range(2)]
    trained[0].sum().backward()
    gradient = network.layers[0].weight_hh_l0.grad
    assert not torch.allclose(trained[0], evaluated)
    assert not torch.allclose(trained[0], trained[1])
    assert 0.3 < (gradient == 0).double().mean() < 0.7


def test_initial_weights_come_from_the_seed_alone():
    shape = network_parameters("lstm")
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first = initial_network(shape, VOCABULARY_SIZE, seed=5).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    again = initial_network(shape, VOCABULARY_SIZE, seed=5).state_dict()
    other = initial_network(shape, VOCABULARY_SIZE, seed=6).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["output_layer.weight"], other["output_layer.weight"])


def test_recurrent_matrices_are_what_was_asked_for():
    gain = 0.5
    network = network_of("gru", recurrent_gain=gain)
    for U in network.layers[0].weight_hh_l0.detach().chunk(3):
        torch.testing.assert_close(U @ U.T, gain**2 * torch.eye(12).double(), rtol=0, atol=1e-6)
    identity = network_of("rnn", recurrent_initialisation="identity")
    assert torch.equal(identity.layers[0].weight_hh_l0.detach(), torch.eye(12).double())
    uniform = network_of("rnn", recurrent_initialisation="uniform").layers[0].weight_hh_l0.detach()
    assert 0.9 / np.sqrt(12) < uniform.abs().max() <= 1 / np.sqrt(12)


def test_the_forget_gate_starts_open_or_chrono():
    i, f, g, o = network_of("lstm", forget_bias=2.0).layers[0].bias_ih_l0.detach().chunk(4)
    assert f.tolist() == [2.0] * 12
    assert not torch.cat([i, g, o]).any()
    i, f, *_ = network_of("lstm", chrono_length=100).layers[0].bias_ih_l0.detach().chunk(4)
    assert torch.equal(i, -f)
    assert 0 <= f.min() < f.max() <= np.log(99)
