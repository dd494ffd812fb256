import pytest
import torch
from torch.nn.functional import cross_entropy, linear

from memoryspan.neural import fused_cross_entropy as room
from memoryspan.neural.fused_cross_entropy import fused_cross_entropy

N, V, E = 23, 11, 5


def leaves(dtype, scale=1.0):
    generator = torch.Generator().manual_seed(3)
    shapes = {"output_NE": (N, E), "weight_VE": (V, E), "bias_V": (V,)}
    drawn = [scale * torch.randn(s, dtype=dtype, generator=generator) for s in shapes.values()]
    targets_N = torch.randint(0, V, (N,), generator=generator)
    return [each.requires_grad_() for each in drawn], targets_N


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("at_once", "in_cache"), [(1 << 23, 1 << 19), (5 * V, 2 * V), (1, 1)])
def test_it_is_torchs_cross_entropy_in_whatever_blocks(monkeypatch, at_once, in_cache, smoothing):
    monkeypatch.setattr(room, "LOGITS_AT_ONCE", at_once)
    monkeypatch.setattr(room, "LOGITS_IN_CACHE", in_cache)
    parameters, targets_N = leaves(torch.float64)
    total, nats_N = fused_cross_entropy(*parameters, targets_N, smoothing)
    found = torch.autograd.grad(total / N, parameters)

    logits_NV = linear(*parameters)
    expected = cross_entropy(logits_NV, targets_N, label_smoothing=smoothing)
    torch.testing.assert_close(total / N, expected, rtol=1e-12, atol=0)
    each_N = cross_entropy(logits_NV, targets_N, reduction="none")
    torch.testing.assert_close(nats_N, each_N, rtol=1e-12, atol=1e-12)
    for gradient, reference in zip(found, torch.autograd.grad(expected, parameters), strict=True):
        torch.testing.assert_close(gradient, reference, rtol=1e-10, atol=1e-12)


def test_a_target_whose_probability_underflows_has_a_finite_loss():
    parameters, targets_N = leaves(torch.float32, scale=40.0)
    total, nats_N = fused_cross_entropy(*parameters, targets_N)
    expected_N = cross_entropy(linear(*parameters), targets_N, reduction="none")
    assert nats_N.max() > 1000
    torch.testing.assert_close(nats_N, expected_N)
    assert torch.isfinite(torch.autograd.grad(total, parameters[0])[0]).all()


def test_autocast_rounds_the_matrix_products_and_nothing_else():
    parameters, targets_N = leaves(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        total, nats_N = fused_cross_entropy(*parameters, targets_N)
    assert nats_N.dtype == torch.float32
    exact_total, _ = fused_cross_entropy(*parameters, targets_N)
    torch.testing.assert_close(total, exact_total, rtol=1e-2, atol=0)
    gradients = torch.autograd.grad(total, parameters)
    exact = torch.autograd.grad(exact_total, parameters)
    for gradient, reference in zip(gradients, exact, strict=True):
        assert gradient.dtype == torch.float32
        torch.testing.assert_close(gradient, reference, rtol=0.05, atol=0.1)


def test_a_second_backward_pass_is_an_error_and_not_a_wrong_gradient():
    parameters, targets_N = leaves(torch.float64)
    total, _ = fused_cross_entropy(*parameters, targets_N)
    (total / N).backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (total / N).backward()


@pytest.mark.parametrize(("places", "size"), [(0, 4), (1, 0), (7, 3), (700, 252), (6, 6), (6, 100)])
def test_blocks_cover_all_places_and_are_about_equal(places, size):
    blocks = room._blocks(places, size)
    assert [place for block in blocks for place in range(places)[block]] == list(range(places))
    lengths = [block.stop - block.start for block in blocks]
    assert max(lengths) <= max(1, size)
    assert max(lengths) - min(lengths) <= 1


def test_no_place_has_no_loss_and_a_gradient_of_zero():
    """As in the last chunk of a process whose streams have ended."""
    (output_NE, *weights), targets_N = leaves(torch.float64)
    total, _ = fused_cross_entropy(output_NE[:0], *weights, targets_N[:0], 0.1)
    assert total == 0
    assert all((g == 0).all() for g in torch.autograd.grad(total, weights))
