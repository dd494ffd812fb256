from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
from memoryspan.ngram.sparsity import look_up, seen_ngrams
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID

V = 6
sentences = st.lists(st.lists(st.sampled_from([0, 2, 3, 4, 5]), max_size=9), min_size=1, max_size=9)


def padded(corpus: list[list[int]], n: int) -> list[tuple[int, ...]]:
    """The n-gram that ends in each token of sentences with n−1 times <s> before them."""
    found = []
    for sentence in corpus:
        tokens = [END_ID] * (n - 1) + [*sentence, END_ID]
        found += [tuple(tokens[p : p + n]) for p in range(len(tokens) - n + 1)]
    return found


def test_by_hand(corpus_of: Any) -> None:
    """Trained on <s> a b </s>; tested on <s> a b </s>, <s> b b </s>, <s> x </s>."""
    corpus = corpus_of(["a b"], ["a b", "b b", "x"])
    table = seen_ngrams(corpus.counts, corpus.test, seed=1)
    assert table["order"].tolist() == [1, 2, 3]
    assert table["tokens"].tolist() == [8, 8, 8]
    # unseen: x; then also <s>b, bb, <s>x, x</s>; then also bb</s>
    assert table["token_share"].tolist() == [7 / 8, 4 / 8, 3 / 8]
    # a b </s> x; <s>a ab b</s>(twice) <s>b bb <s>x x</s>; <s>a <s>ab ab</s> <s>b <s>bb bb</s> …
    assert table["types"].tolist() == [4, 7, 8]
    assert table["type_share"].tolist() == pytest.approx([3 / 4, 3 / 7, 3 / 8])
    assert table["unknown_share"].tolist() == [1 / 8, 2 / 8, 2 / 8]


@given(train=sentences, test=sentences, order=st.integers(1, 5))
@settings(deadline=None)
def test_shares_are_those_of_padded_sentences(
    stream_of: Any, train: list[list[int]], test: list[list[int]], order: int
) -> None:
    counts = NgramCounts.of(stream_of(train, V), order)
    table = seen_ngrams(counts, stream_of(test, V), seed=1).set_index("order")
    for n in range(1, order + 1):
        known, asked = set(padded(train, n)), padded(test, n)
        types = set(asked)
        row = table.loc[n]
        assert row["token_share"] == pytest.approx(np.mean([ngram in known for ngram in asked]))
        assert row["types"] == len(types)
        assert row["type_share"] == pytest.approx(len(types & known) / len(types))
        assert row["unknown_share"] == pytest.approx(np.mean([UNKNOWN_ID in g for g in asked]))
    assert (np.diff(table["token_share"]) <= 1e-12).all()


@given(train=sentences, test=sentences, order=st.integers(1, 4))
@settings(deadline=None)
def test_what_was_not_seen_is_impossible_for_maximum_likelihood(
    stream_of: Any, train: list[list[int]], test: list[list[int]], order: int
) -> None:
    counts, stream = NgramCounts.of(stream_of(train, V), order), stream_of(test, V)
    log_probs = MaximumLikelihood().estimate(counts, order).token_log_probs(stream)
    np.testing.assert_array_equal(look_up(counts, stream)[-1].seen, np.isfinite(log_probs))


def test_a_text_has_seen_itself(tinyshakespeare: Any) -> None:
    table = seen_ngrams(tinyshakespeare.counts, tinyshakespeare.train, seed=1)
    shares = [name for name in table.columns if name.startswith(("token_share", "type_share"))]
    assert len(shares) == 6
    np.testing.assert_allclose(table[shares], 1)


def test_intervals_hold_the_shares_and_come_from_the_seed(tinyshakespeare: Any) -> None:
    counts, test = tinyshakespeare.counts, tinyshakespeare.test
    table = seen_ngrams(counts, test, seed=1)
    longer = table[table["order"] > 1]
    for share in ("token_share", "type_share"):
        assert (longer[f"{share}_low"] < longer[share]).all()
        assert (longer[share] < longer[f"{share}_high"]).all()
        assert longer[share].is_monotonic_decreasing
    assert table["interval_unit"].unique().tolist() == ["block"]
    assert table.equals(seen_ngrams(counts, test, seed=1))
    assert not table.equals(seen_ngrams(counts, test, seed=2))


def test_an_interval_covers_the_share_of_new_text() -> None:
    """Sentences are drawn independently: 95 % intervals should miss the truth 5 times in 100."""
    rng = np.random.default_rng(3)
    counts = NgramCounts.of(TokenStream.of(np.array([2, 3, 1], np.int32), 6), 2)
    missed = 0
    for _ in range(100):
        tokens = np.where(rng.random(1200) < 0.4, 3, 4)  # after 2 the text goes on with 3 or 4
        ids = np.stack([np.full(1200, 2), tokens, np.ones(1200)], axis=1).ravel()
        row = seen_ngrams(counts, TokenStream.of(ids.astype(np.int32), 6), seed=1).iloc[1]
        truth = (1 + 0.4 + 0.4) / 3  # <s>2 always, then 23 and 3</s>
        missed += not row["token_share_low"] <= truth <= row["token_share_high"]
    assert 1 <= missed <= 12


def test_few_clusters_have_no_interval(corpus_of: Any) -> None:
    corpus = corpus_of(["a b"], ["a b"])
    table = seen_ngrams(corpus.counts, corpus.test, seed=1)
    assert table[["token_share_low", "type_share_high"]].isna().all(axis=None)


def test_a_word_of_the_vocabulary_that_was_not_counted() -> None:
    counts = NgramCounts.of(TokenStream.of(np.array([2, 1], np.int32), 4), 1)
    table = seen_ngrams(counts, TokenStream.of(np.array([3, 1], np.int32), 4), seed=1)
    assert table["token_share"].tolist() == [0.5]


def test_orders_that_no_sentence_reaches(corpus_of: Any) -> None:
    corpus = corpus_of(["a a"] * 9, ["a", "a a"], order=9)
    table = seen_ngrams(corpus.counts, corpus.test, seed=1)
    assert table["token_share"].tolist()[3:] == [4 / 5] * 6  # all but the </s> of the first


def test_nothing_to_look_up(corpus_of: Any) -> None:
    corpus = corpus_of(["a"])
    with pytest.raises(MemoryspanError, match="no tokens"):
        seen_ngrams(corpus.counts, corpus.test, seed=1)
    with pytest.raises(MemoryspanError, match="outside the 3 tokens"):
        seen_ngrams(corpus.counts, TokenStream.of(np.array([3, 1], np.int32), 4), seed=1)
