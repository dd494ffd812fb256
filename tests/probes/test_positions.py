import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.probes.positions import contexts_before, eligible_positions, sample_positions
from memoryspan.text.streams import TokenStream


def stream(lengths):
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    nothing = np.zeros(len(lengths), dtype=np.int64)
    names = tuple(f"d{d}" for d in range(len(lengths)))
    ids = np.arange(bounds[-1], dtype=np.int32)
    return TokenStream(ids, int(bounds[-1]), names, bounds, nothing, nothing)


def test_eligible_positions_have_their_context_in_their_document():
    assert eligible_positions(stream([3, 0, 5, 2]), 2).tolist() == [2, 5, 6, 7]
    assert eligible_positions(stream([3, 5]), 0).tolist() == list(range(8))


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=8),
    st.integers(1, 200),
    st.integers(1, 400),
    st.integers(0, 2**32),
)
def test_positions_are_different_spread_and_have_their_context(lengths, context, count, seed):
    text = stream(lengths)
    eligible = eligible_positions(text, context)
    if len(eligible) < min(count, 50):
        with pytest.raises(MemoryspanError, match="too short"):
            sample_positions(text, [context], count, seed)
        return
    found = sample_positions(text, [context], count, seed)
    assert len(found.at) == min(count, len(eligible))
    assert (np.diff(found.at) > 0).all()
    assert np.isin(found.at, eligible).all()
    ranks = np.searchsorted(eligible, found.at)
    step = len(eligible) / len(ranks)
    assert (ranks > np.arange(len(ranks)) * step - 1).all()
    assert (ranks < np.arange(1, len(ranks) + 1) * step).all()
    contexts = contexts_before(text, found.at, context)
    np.testing.assert_array_equal(contexts[:, -1], found.at - 1)
    assert contexts.shape == (len(found.at), context)
    starts = text.document_bounds[np.searchsorted(text.document_bounds, found.at, "right") - 1]
    assert (contexts[:, 0] >= starts).all()


def test_every_eligible_position_is_equally_likely():
    text = stream([25])
    drawn = np.bincount(
        np.concatenate([sample_positions(text, [5], 8, seed).at for seed in range(4000)]),
        minlength=25,
    )
    assert (drawn[:5] == 0).all()
    np.testing.assert_allclose(drawn[5:] / 4000, 8 / 20, atol=0.035)


def test_a_short_text_shortens_the_context_and_the_sample_and_says_so(caplog):
    caplog.set_level(logging.WARNING)
    found = sample_positions(stream([90, 80]), [1, 20, 50, 100], 200, seed=0)
    assert (found.longest, len(found.at)) == (50, 70)
    assert "looking back 50 tokens, not 100" in caplog.text
    assert "70 positions, not 200" in caplog.text


def test_enough_text_is_not_worth_a_notice(caplog):
    assert len(sample_positions(stream([500]), [1, 100], 200, seed=0).at) == 200
    assert not caplog.records


def test_too_short_a_text_is_an_error_that_says_what_is_needed():
    with pytest.raises(MemoryspanError, match=r"50 tokens that have 5 tokens .* document has 30"):
        sample_positions(stream([30]), [5, 10], 100, seed=0)


def test_seeds():
    text = stream([5000])
    first, again, other = (sample_positions(text, [10], 100, s).at.tolist() for s in (1, 1, 2))
    assert first == again != other
