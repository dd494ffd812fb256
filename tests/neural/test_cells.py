"""The equation cells against torch's own layers, which are the outside reference here."""

import pytest
import torch

from memoryspan.neural.cells import Weights, cell_of

B, T, F, H = 3, 6, 5, 4


def weights_of_layer(reference, layer):
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    return Weights(*(getattr(reference, f"{name}_l{layer}") for name in names))


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize(
    ("kind", "activation", "reference_class", "options"),
    [
        ("rnn", "tanh", torch.nn.RNN, {"nonlinearity": "tanh"}),
        ("rnn", "relu", torch.nn.RNN, {"nonlinearity": "relu"}),
        ("gru", "tanh", torch.nn.GRU, {}),
        ("lstm", "tanh", torch.nn.LSTM, {}),
    ],
)
def test_cells_equal_torch(kind, activation, reference_class, options, layers):
    torch.manual_seed(0)
    reference = reference_class(F, H, num_layers=layers, dtype=torch.float64, **options)
    x_TBF = torch.randn(T, B, F, dtype=torch.float64)
    tensors = 2 if kind == "lstm" else 1
    before = [torch.randn(layers, B, H, dtype=torch.float64) for _ in range(tensors)]
    expected, expected_state = reference(x_TBF, tuple(before) if tensors == 2 else before[0])
    if tensors == 1:
        expected_state = (expected_state,)

    cell = cell_of(kind, activation)
    state = [tuple(tensor[layer] for tensor in before) for layer in range(layers)]
    outputs = []
    for step_input in x_TBF:
        x = step_input
        for layer in range(layers):
            state[layer] = cell(x, state[layer], weights_of_layer(reference, layer)).state
            x = state[layer][0]
        outputs.append(x)

    torch.testing.assert_close(torch.stack(outputs), expected, rtol=0, atol=1e-10)
    for layer in range(layers):
        for got, wanted in zip(state[layer], expected_state, strict=True):
            torch.testing.assert_close(got, wanted[layer], rtol=0, atol=1e-10)


def test_the_sigmoid_cell_is_its_equation():
    torch.manual_seed(0)
    weights = Weights(torch.randn(H, F), torch.randn(H, H), torch.randn(H), torch.randn(H))
    x, h = torch.randn(B, F), torch.randn(B, H)
    (new,) = cell_of("rnn", "sigmoid")(x, (h,), weights).state
    pre_activation = x @ weights.W_ih.T + weights.b_ih + h @ weights.W_hh.T + weights.b_hh
    torch.testing.assert_close(new, 1 / (1 + torch.exp(-pre_activation)))


def test_an_update_gate_of_one_keeps_the_past():
    weights = Weights(
        torch.zeros(3 * H, F), torch.zeros(3 * H, H), torch.zeros(3 * H), torch.zeros(3 * H)
    )
    weights.b_ih[H : 2 * H] = 1e6
    h = torch.randn(B, H)
    step = cell_of("gru", "tanh")(torch.randn(B, F), (h,), weights)
    assert torch.equal(step.state[0], h)
    assert torch.equal(step.gates["z"], torch.ones(B, H))


def test_the_lstm_cell_is_a_linear_path_while_its_gates_say_so():
    weights = Weights(
        torch.zeros(4 * H, F), torch.zeros(4 * H, H), torch.zeros(4 * H), torch.zeros(4 * H)
    )
    weights.b_ih[:H] = -1e6  # nothing is written
    weights.b_ih[H : 2 * H] = 1e6  # nothing is forgotten
    h, c = torch.randn(B, H), torch.randn(B, H)
    step = cell_of("lstm", "tanh")(torch.randn(B, F), (h, c), weights)
    assert torch.equal(step.state[1], c)
    assert set(step.gates) == {"i", "f", "o"}
