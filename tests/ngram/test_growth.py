from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.growth import growth_curve, heaps_fit
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

V = 6
sentences = st.lists(st.lists(st.sampled_from([0, 2, 3, 4, 5]), max_size=9), min_size=1, max_size=9)


def distinct(ids: list[int], n: int) -> int:
    """Of a beginning of a stream: the last sentence may lack its end."""
    found: set[tuple[int, ...]] = set()
    sentence = [END_ID] if n > 1 else []
    for token in ids:
        sentence.append(token)
        if len(sentence) >= n:
            found.add(tuple(sentence[-n:]))
        if token == END_ID:
            sentence = [END_ID] if n > 1 else []
    return len(found)


def test_by_hand(corpus_of: Any) -> None:
    """b a </s> a b </s> </s>, at every token."""
    growth = growth_curve(corpus_of(["b a", "a b", ""]).train, order=3, points=100)
    assert list(growth.columns) == ["order", "tokens", "distinct"]
    curves = growth.pivot(index="tokens", columns="order", values="distinct")
    assert curves.index.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert curves[1].tolist() == [1, 2, 3, 3, 3, 3, 3]
    assert curves[2].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert curves[3].tolist() == [0, 1, 2, 2, 3, 4, 4]


@given(corpus=sentences, order=st.integers(1, 6), points=st.integers(2, 12))
def test_every_point_is_what_a_set_holds(
    stream_of: Any, corpus: list[list[int]], order: int, points: int
) -> None:
    stream = stream_of(corpus, V)
    ids = stream.ids.tolist()
    for row in growth_curve(stream, order, points).to_dict("records"):
        assert row["distinct"] == distinct(ids[: row["tokens"]], row["order"])


@given(corpus=sentences, order=st.integers(1, 5))
def test_the_last_point_is_the_number_of_counted_ngrams(
    stream_of: Any, corpus: list[list[int]], order: int
) -> None:
    stream = stream_of(corpus, V)
    growth = growth_curve(stream, order, 5)
    counted = NgramCounts.of(stream, order).counts_of_counts().groupby("order")["ngrams"].sum()
    last = growth[growth["tokens"] == len(stream)].set_index("order")["distinct"]
    assert last[last > 0].to_dict() == counted.to_dict()


def test_points_are_evenly_spaced_in_the_logarithm() -> None:
    stream = TokenStream.of(np.full(10_000, 2, np.int32), 3)
    assert growth_curve(stream, 1, 5)["tokens"].tolist() == [1, 10, 100, 1000, 10_000]


def test_one_repeated_word(corpus_of: Any) -> None:
    growth = growth_curve(corpus_of(["a a a a"] * 500).train, 3, 40)
    last = growth.groupby("order")["distinct"].last()
    assert last.tolist() == [2, 3, 3]  # a </s>; <s>a aa a</s>; <s>aa aaa aa</s>
    fit = heaps_fit(growth).set_index("order")
    assert fit.loc[1, "beta"] == pytest.approx(0)
    assert fit.loc[1, "k"] == pytest.approx(2)


def test_orders_that_no_sentence_reaches(corpus_of: Any) -> None:
    growth = growth_curve(corpus_of(["a b"] * 3).train, 6, 9)
    assert growth.loc[growth["order"] > 4, "distinct"].eq(0).all()
    assert heaps_fit(growth)["order"].tolist() == [1, 2, 3, 4]


def test_a_single_token_has_no_law(corpus_of: Any) -> None:
    fit = heaps_fit(growth_curve(corpus_of([""]).train, 2, 9))
    assert fit["points"].tolist() == [1, 1]
    assert fit[["k", "beta", "r_squared"]].isna().all(axis=None)


def test_the_law_is_found_in_its_last_two_decades() -> None:
    """Exact from 100 tokens on, something else before."""
    tokens = np.array([1, 10, 50, 100, 400, 2500, 10_000])
    types = np.where(tokens < 100, tokens, 3 * np.sqrt(tokens))
    growth = pd.DataFrame({"order": 1, "tokens": tokens, "distinct": types})
    [fit] = heaps_fit(growth).to_dict("records")
    assert fit["k"] == pytest.approx(3)
    assert fit["beta"] == pytest.approx(0.5)
    assert fit["r_squared"] == pytest.approx(1)
    assert (fit["from_tokens"], fit["to_tokens"], fit["points"]) == (100, 10_000, 4)


def test_what_cannot_be_counted() -> None:
    with pytest.raises(MemoryspanError, match="no tokens"):
        growth_curve(TokenStream.of(np.empty(0, np.int32), 3), 2, 5)
