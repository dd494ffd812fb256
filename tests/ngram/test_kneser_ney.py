import itertools
import logging
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.text.vocabulary import END_ID

V = 6
words = st.sampled_from([0, 2, 3, 4, 5])
sentences = st.lists(st.lists(words, max_size=9), min_size=1, max_size=12)


class SlowKneserNey:
    """The equations on tuples, one n-gram at a time."""

    def __init__(self, corpus: list[list[int]], order: int, discounts: dict[int, Any]) -> None:
        self.discounts = discounts
        self.a: dict[int, Counter[tuple[int, ...]]] = {}
        raw = [Counter[tuple[int, ...]]() for _ in range(order + 2)]
        for sentence in corpus:
            padded = (END_ID, *sentence, END_ID)
            for n in range(1, order + 1):
                starts = range(1 if n == 1 else 0, len(padded) - n + 1)
                raw[n].update(padded[i : i + n] for i in starts)
        for n in range(1, order + 1):
            left = defaultdict(set)
            for ngram in raw[n + 1]:
                left[ngram[1:]].add(ngram[0])
            self.a[n] = Counter()
            for ngram, count in raw[n].items():
                keeps_raw = n == order or (n > 1 and ngram[0] == END_ID)
                self.a[n][ngram] = count if keeps_raw else len(left[ngram])

    def p(self, w: int, h: tuple[int, ...]) -> float:
        n = len(h) + 1
        lower = self.p(w, h[1:]) if h else 1 / V
        D = (0.0, *self.discounts[n])
        after = [count for ngram, count in self.a[n].items() if ngram[:-1] == h]
        total = sum(after)
        if total == 0:
            return lower
        gamma = sum(D[min(count, 3)] for count in after) / total
        count = self.a[n][(*h, w)]
        return (count - D[min(count, 3)]) / total + gamma * lower


def test_a_corpus_worked_by_hand(corpus_of: Any) -> None:
    """Two sentences, "a b" and "a"; order 2; D = 0.5, 1, 1.5 at both orders.

    Adjusted unigram counts: a 1 (after <s>), b 1 (after a), </s> 2 (after a, b); sum 4.
    γ() = (0.5 + 0.5 + 1) / 4 = 1/2, base 1/4, so p(a) = p(b) = 0.5/4 + 1/8 = 1/4,
    p(</s>) = 1/4 + 1/8 = 3/8, p(<unk>) = 1/8.
    <s> a stands twice: γ(<s>) = 1/2, p(a|<s>) = (2 − 1)/2 + 1/2 · 1/4 = 5/8.
    a b and a </s> stand once: γ(a) = 1/2, p(b|a) = 0.5/2 + 1/2 · 1/4 = 3/8.
    b </s> stands once: γ(b) = 1/2, p(</s>|b) = 0.5 + 1/2 · 3/8 = 11/16.
    """
    corpus = corpus_of(["a b", "a"])
    model = KneserNey().estimate(corpus.counts, 2)
    unk, end, a, b = range(4)
    rows = np.exp(model.next_log_probs(np.array([[end], [a], [b], [unk]], np.int32)))
    expected = np.array(
        [
            [1 / 16, 3 / 16, 5 / 8, 1 / 8],
            [1 / 16, 1 / 4 + 3 / 16, 1 / 8, 3 / 8],
            [1 / 16, 11 / 16, 1 / 8, 1 / 8],
            [1 / 8, 3 / 8, 1 / 4, 1 / 4],
        ]
    )
    np.testing.assert_allclose(rows, expected, rtol=1e-14)
    np.testing.assert_allclose(
        np.exp(model.token_log_probs(corpus.train)), [5 / 8, 3 / 8, 11 / 16, 5 / 8, 7 / 16]
    )
    assert model.name == "kneser_ney_2"
    assert model.parameter_count == (4 + 4) + 4
    assert (model.vocabulary_size, model.context_order, model.family) == (4, 1, "n-gram")


@settings(deadline=None)
@given(corpus=sentences, order=st.integers(1, 4), data=st.data())
def test_the_equations_on_tuples(
    stream_of: Any, corpus: list[list[int]], order: int, data: st.DataObject
) -> None:
    model = KneserNey().estimate(NgramCounts.of(stream_of(corpus, V), 5), order)
    slow = SlowKneserNey(corpus, order, {d.order: d.values for d in model.discounts})
    context = data.draw(st.lists(words, min_size=order - 1, max_size=order - 1))
    starts = data.draw(st.booleans()) and order > 1
    h = (END_ID, *context[1:]) if starts else tuple(context)
    row = model.next_log_probs(np.array([h], np.int32).reshape(1, order - 1))[0]
    np.testing.assert_allclose(np.exp(row), [slow.p(w, h) for w in range(V)], rtol=1e-12)


@given(corpus=sentences, order=st.integers(1, 5))
def test_rows_sum_to_one(stream_of: Any, corpus: list[list[int]], order: int) -> None:
    """After all contexts of up to three tokens, seen and unseen, starts and fragments."""
    model = KneserNey().estimate(NgramCounts.of(stream_of(corpus, V), order), order)
    for length in range(4):
        contexts = np.array(list(itertools.product(range(V), repeat=length)), np.int32)
        rows = model.next_log_probs(contexts.reshape(V**length, length))
        np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize(
    "lines",
    [["a"], [""], ["a " * 500 + "a"], ["a a a"] * 100, [" ".join("to be or not to be" * 20)]],
    ids=["one word", "nothing", "one long sentence", "one word repeated", "letters"],
)
@pytest.mark.parametrize("order", [1, 2, 5, 10])
def test_texts_on_which_lmplz_stops(
    corpus_of: Any, caplog: pytest.LogCaptureFixture, lines: list[str], order: int
) -> None:
    corpus = corpus_of(lines, order=10)
    with caplog.at_level(logging.WARNING):
        model = KneserNey().estimate(corpus.counts, order)
    fallen = [entry for entry in model.discounts if entry.origin == "fallback"]
    assert fallen
    assert all(entry.reason and entry.values == (0.5, 1.0, 1.5) for entry in fallen)
    assert len(caplog.records) == len(fallen)
    contexts = corpus.train.ids[:40].reshape(1, -1)
    np.testing.assert_allclose(np.exp(model.next_log_probs(contexts)).sum(axis=1), 1, atol=1e-9)
    assert np.isfinite(model.token_log_probs(corpus.train)).all()


def test_chosen_discounts_and_fallback(corpus_of: Any) -> None:
    parameters = NgramParameters(
        discounts={2: (0.25, 0.5, 0.75)}, discount_fallback=(0.1, 0.2, 0.3)
    )
    model = KneserNey(parameters).estimate(corpus_of(["a b", "a"]).counts, 2)
    assert [(d.values, d.origin) for d in model.discounts] == [
        ((0.1, 0.2, 0.3), "fallback"),
        ((0.25, 0.5, 0.75), "given"),
    ]


def test_without_any_discount_nothing_is_left_for_the_unseen(corpus_of: Any) -> None:
    parameters = NgramParameters(discounts={2: (0.0, 0.0, 0.0)})
    model = KneserNey(parameters).estimate(corpus_of(["a b", "a"]).counts, 2)
    row = model.next_log_probs(np.array([[2]], np.int32))[0]
    np.testing.assert_allclose(np.exp(row), [0, 0.5, 0, 0.5])
    assert row[0] == -np.inf


def test_single_precision(tinyshakespeare: Any) -> None:
    double, single = (
        KneserNey(NgramParameters(precision=precision)).estimate(tinyshakespeare.counts, 5)
        for precision in ("double", "single")
    )
    assert single.log_prob.dtype == np.float32
    np.testing.assert_allclose(single.log_prob, double.log_prob, atol=3e-6)


def test_unknown_as_an_ordinary_word(corpus_of: Any) -> None:
    """In the training stream it is smoothed as any word; not in it, it gets γ/V."""
    plain = corpus_of(["<unk> b", "<unk>", "x b"])
    renamed = corpus_of(["a b", "a", "x b"])
    closed = KneserNey().estimate(plain.counts, 2).next_log_probs(np.array([[1]], np.int32))[0]
    named = KneserNey().estimate(renamed.counts, 2).next_log_probs(np.array([[1]], np.int32))[0]
    a = renamed.vocabulary.id_of["a"]
    assert np.exp(closed[0]) > np.exp(named[0])
    assert np.argmax(closed) == 0
    assert np.argmax(named) == a


def test_an_order_that_was_not_counted(corpus_of: Any) -> None:
    with pytest.raises(MemoryspanError, match="order 4"):
        KneserNey().estimate(corpus_of(["a b"]).counts, 4)


@pytest.mark.parametrize(
    "options",
    [{"discounts": {0: (0, 0, 0)}}, {"discounts": {1: (2, 0, 0)}}, {"precison": "single"}],
)
def test_parameters_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NgramParameters(**options)
