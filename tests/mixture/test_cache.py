import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.mixture.cache import UnigramCache
from memoryspan.text.streams import TokenStream

V = 5
ids = st.lists(st.integers(0, V - 1), min_size=1, max_size=40)


def by_the_definition(tokens: list[int], p: int, size: int) -> float:
    history = [1, *tokens[:p]]
    last = history[max(0, len(history) - size) :] if size else []
    return (last.count(tokens[p]) + 1 / V) / (len(last) + 1)


@settings(deadline=None)
@given(ids, st.integers(1, 12), st.none() | st.integers(0, 12))
def test_against_the_definition(tokens: list[int], size: int, window: int | None) -> None:
    cache = UnigramCache(size, V)
    stream = TokenStream.of(np.array(tokens, np.int32), V)
    reach = size if window is None else min(size, window)
    expected = [np.log(by_the_definition(tokens, p, reach)) for p in range(len(tokens))]
    np.testing.assert_allclose(cache.token_log_probs(stream, window), expected, rtol=1e-12)


@settings(deadline=None)
@given(ids, st.integers(1, 12))
def test_rows_sum_to_one_and_are_what_tokens_get(tokens: list[int], size: int) -> None:
    cache = UnigramCache(size, V)
    contexts = np.array([[1, *tokens[:-1]]], np.int32)
    row = cache.next_log_probs(contexts)[0]
    assert np.exp(row).sum() == pytest.approx(1, abs=1e-12)
    last = cache.token_log_probs(TokenStream.of(np.array(tokens, np.int32), V))[-1]
    assert row[tokens[-1]] == pytest.approx(last, abs=1e-12)
    assert isinstance(cache, LanguageModel)


def test_nothing_read_is_uniform() -> None:
    row = UnigramCache(3, V).next_log_probs(np.empty((1, 0), np.int32))
    np.testing.assert_allclose(row, np.log(1 / V))


def test_what_it_refuses() -> None:
    with pytest.raises(MemoryspanError, match="outside the 5 tokens"):
        UnigramCache(3, V).next_log_probs(np.array([[V]], np.int32))
    with pytest.raises(ValueError, match="remembers nothing"):
        UnigramCache(0, V)
