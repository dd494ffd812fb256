import numpy as np
import pandas as pd
import pytest
import torch
from torch.autograd.functional import jacobian

from memoryspan.errors import MemoryspanError
from memoryspan.probes.gradient import gradient_items, squared_pulls
from memoryspan.probes.parameters import GradientParameters
from memoryspan.text.streams import TokenStream

V, H = 7, 6
PARAMETERS = GradientParameters(max_lag=12, positions=40, vectors=3, warm_up=5)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed), dtype=torch.float64)


class Linear:
    """s_t = W s_{t−1} + U[x_t]: its Jacobian over k steps is W^k, whatever it reads."""

    def __init__(self, W):
        self.W = W.clone().requires_grad_()
        self.U = normal(V, len(W), seed=1)

    def __call__(self, tokens_BT):
        state = torch.zeros(len(tokens_BT), len(self.W), dtype=self.U.dtype)
        states = []
        for tokens_B in tokens_BT.unbind(1):
            state = state @ self.W.T + self.U[tokens_B]
            states.append(state)
        return states


class Lstm:
    """An LSTM written out, with the joint state (h, c)."""

    def __init__(self, forget_bias=1.0):
        self.W = (0.5 * normal(4 * H, 2 * H, seed=2)).requires_grad_()
        self.x = normal(V, H, seed=3)
        self.forget_bias = forget_bias

    def step(self, joint, tokens_B):
        h, c = joint.chunk(2, dim=-1)
        i, f, g, o = (torch.cat([self.x[tokens_B], h], dim=-1) @ self.W.T).chunk(4, dim=-1)
        c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], dim=-1)

    def __call__(self, tokens_BT):
        states = []
        joint = torch.zeros(len(tokens_BT), 2 * H, dtype=torch.float64)
        for tokens_B in tokens_BT.unbind(1):
            joint = self.step(joint, tokens_B)
            states.append(joint)
        return states


def text(length=2000, seed=0):
    return TokenStream.of(np.random.default_rng(seed).integers(0, V, length).astype(np.int32), V)


def tokens(batch, steps):
    return torch.randint(V, (batch, steps), generator=generator(5))


def test_pulls_of_a_linear_network_are_those_of_the_powers_of_its_matrix():
    W = 0.4 * normal(H, H)
    v = normal(3, H, seed=9)
    found = squared_pulls(Linear(W)(tokens(3, 9)), v)
    for i in range(9):
        expected = (v @ torch.linalg.matrix_power(W, 8 - i)).square().sum(dim=1)
        torch.testing.assert_close(found[:, i], expected, rtol=1e-12, atol=0)


def test_over_all_directions_the_pulls_add_up_to_the_frobenius_norm_of_the_full_jacobian():
    """E‖vᵀJ‖² = ‖J‖_F², h and c together, against autograd's own Jacobian."""
    lstm, read = Lstm(), tokens(1, 10)
    states = lstm(read)
    pulls = sum(squared_pulls(states, v[None])[0] for v in torch.eye(2 * H, dtype=torch.float64))
    for i, start in enumerate(states):

        def last(state, i=i):
            for t in range(i + 1, 10):
                state = lstm.step(state, read[:, t])
            return state[0]

        J = jacobian(last, start.detach())[:, 0]
        assert pulls[i].item() == pytest.approx(J.square().sum().item(), abs=1e-10)


def test_the_path_through_the_cell_is_counted():
    """A Jacobian with c held fixed would miss nearly everything of an open LSTM's memory."""
    lstm, read = Lstm(forget_bias=6.0), tokens(1, 25)
    states = lstm(read)
    joint = sum(squared_pulls(states, v[None])[0, 0] for v in torch.eye(2 * H).double())
    h_alone = torch.zeros(H, H, dtype=torch.float64)

    def fixed_c(h):
        for t in range(1, 25):
            h = lstm.step(torch.cat([h, states[t - 1][0, H:].detach()]), read[0, t])[:H]
        return h

    h_alone = jacobian(fixed_c, states[0][0, :H].detach())
    assert joint > 1e3 * h_alone.square().sum()


def test_each_item_is_an_unbiased_estimate_of_the_mean_square_gain():
    W = 0.4 * normal(H, H)
    many = GradientParameters(max_lag=4, positions=50, vectors=200, warm_up=2)
    items = gradient_items("linear", "trained", Linear(W), text(), many, 0)
    for lag, found in items.groupby("distance")["squared_norm"]:
        expected = torch.linalg.matrix_power(W, int(lag)).square().sum().item() / H
        assert found.mean() == pytest.approx(expected, rel=0.03)


def test_an_orthogonal_network_keeps_everything():
    Q = torch.linalg.qr(normal(H, H)).Q
    items = gradient_items("orthogonal", "trained", Linear(Q), text(), PARAMETERS, 0)
    np.testing.assert_allclose(items["squared_norm"], 1, rtol=1e-12)


def test_lag_zero_is_one_and_a_scaled_identity_decays_by_its_scale():
    items = gradient_items(
        "i", "trained", Linear(0.5 * torch.eye(H).double()), text(), PARAMETERS, 0
    )
    np.testing.assert_allclose(items["squared_norm"], 0.25 ** items["distance"], rtol=1e-12)


def test_the_states_looked_at_are_those_before_the_position_after_a_warm_up():
    seen = []

    class Spy(Linear):
        def __call__(self, tokens_BT):
            seen.append(tokens_BT)
            return super().__call__(tokens_BT)

    stream = text()
    items = gradient_items("spy", "trained", Spy(torch.eye(H).double()), stream, PARAMETERS, 0)
    read = torch.cat(seen).numpy()
    assert read.shape == (40, 12 + 5 + 1)
    positions = items.groupby("item")["position"].first().to_numpy()
    for row, position in zip(read, positions, strict=True):
        np.testing.assert_array_equal(row, stream.ids[position - 17 : position + 1])


def test_the_item_table_keeps_the_contract():
    items = gradient_items("lstm", "initialisation", Lstm(), text(), PARAMETERS, 0)
    assert list(items.columns) == [
        "model",
        "stage",
        "item",
        "cluster",
        "position",
        "distance",
        "squared_norm",
    ]
    assert len(items) == 40 * 13
    assert items.groupby("item")["distance"].apply(list).map(lambda d: d == [*range(13)]).all()
    assert items["position"].nunique() == 40
    assert (items["squared_norm"] > 0).all()
    assert items["cluster"].str.startswith("text/").all()


def test_same_seed_same_table_and_the_same_positions_for_every_model():
    first, again, other = (
        gradient_items("lstm", "trained", Lstm(), text(), PARAMETERS, seed) for seed in (0, 0, 1)
    )
    pd.testing.assert_frame_equal(first, again)
    assert (first["squared_norm"] != other["squared_norm"]).any()
    linear = gradient_items("linear", "trained", Linear(normal(H, H)), text(), PARAMETERS, 0)
    assert (linear["position"] == first["position"]).all()


def test_it_differentiates_even_where_gradients_are_switched_off():
    with torch.no_grad():
        items = gradient_items("lstm", "trained", Lstm(), text(), PARAMETERS, 0)
    expected = gradient_items("lstm", "trained", Lstm(), text(), PARAMETERS, 0)
    pd.testing.assert_frame_equal(items, expected)


def test_a_short_text_gets_a_smaller_largest_lag():
    items = gradient_items("l", "trained", Linear(torch.eye(H).double()), text(50), PARAMETERS, 0)
    assert items["distance"].max() == 5
    with pytest.raises(MemoryspanError, match="too short"):
        gradient_items("l", "trained", Linear(torch.eye(H).double()), text(47), PARAMETERS, 0)


def test_single_precision_is_refused():
    class Single(Linear):
        def __call__(self, tokens_BT):
            return [state.float() for state in super().__call__(tokens_BT)]

    with pytest.raises(ValueError, match="float64"):
        gradient_items("l", "trained", Single(normal(H, H)), text(), PARAMETERS, 0)


def test_joint_states_off_the_path_are_refused():
    """States put together for the list alone, while h and c go on apart, have no gradient."""

    class Apart(Linear):
        def __call__(self, tokens_BT):
            return [state.clone() for state in super().__call__(tokens_BT)]

    with pytest.raises(ValueError, match="not computed from the state before"):
        gradient_items("l", "trained", Apart(normal(H, H)), text(), PARAMETERS, 0)
