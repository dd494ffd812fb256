"""What holds for every estimator, and each one against its equations on a dictionary."""

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import NgramCounts, NgramParameters, make_estimator
from memoryspan.ngram.absolute_discounting import AbsoluteDiscounting
from memoryspan.ngram.add_k import AddK
from memoryspan.ngram.discounts import Discounts
from memoryspan.ngram.jelinek_mercer import JelinekMercer
from memoryspan.ngram.katz import Katz, good_turing
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import EstimatorName
from memoryspan.ngram.witten_bell import WittenBell
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

V = 6
SMOOTHED = [name for name in get_args(EstimatorName) if name != "maximum_likelihood"]
BACKING_OFF = [name for name in SMOOTHED if name != "add_k"]
Sentences = list[list[int]]
sentences = st.lists(st.lists(st.sampled_from([0, 2, 3, 4, 5]), max_size=8), min_size=1, max_size=9)
contexts_of_any_length = st.lists(st.integers(0, V - 1), max_size=5)
CORPUS: Sentences = [[2, 3, 2, 3, 4], [2, 3, 3], [3], [2, 3, 2, 2, 4], [], [4, 2, 3]]


def ids_of(corpus: Sentences) -> np.ndarray:
    return np.array([word for sentence in corpus for word in (*sentence, END_ID)], np.int32)


def stream_of(corpus: Sentences) -> TokenStream:
    return TokenStream.of(ids_of(corpus), V)


def model_of(name: EstimatorName, corpus: Sentences, order: int, **options: Any) -> NgramModel:
    parameters = NgramParameters(**options)
    counts = NgramCounts.of(stream_of(corpus), order)
    return make_estimator(name, parameters, stream_of([[2, 3], [4, 0]])).estimate(counts, order)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(SMOOTHED), sentences, st.integers(1, 5), contexts_of_any_length,
    st.sampled_from(["open", "closed"]), st.sampled_from([(), (0, 1), (1,), (0, 0, 2)]),
    st.sampled_from([0.0, 1e-3, 0.3]),
)  # fmt: skip
def test_probabilities_sum_to_one(
    name: EstimatorName, corpus: Sentences, order: int, context: list[int], vocabulary: str,
    prune: tuple[int, ...], threshold: float,
) -> None:  # fmt: skip
    options = {"prune": prune, "entropy_threshold": threshold} if name != "add_k" else {}
    model = model_of(name, corpus, order, vocabulary=vocabulary, **options)
    rows = np.exp(model.next_log_probs(np.array([context], np.int32)))
    assert rows.sum() == pytest.approx(1, abs=1e-9)
    if vocabulary == "closed" and not any(0 in sentence for sentence in corpus):
        assert rows[0, 0] == 0
    else:
        assert (rows > 0).all() or name == "katz"


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(SMOOTHED), sentences, sentences, st.integers(1, 4))
def test_tokens_get_what_the_rows_say(
    name: EstimatorName, corpus: Sentences, test: Sentences, order: int
) -> None:
    model = model_of(name, corpus, order)
    log_probs = model.token_log_probs(stream_of(test))
    at = 0
    for sentence in test:
        for i, word in enumerate([*sentence, END_ID]):
            context = np.array([[END_ID, *sentence[:i]]], np.int32)
            assert log_probs[at] == pytest.approx(model.next_log_probs(context)[0, word], abs=1e-9)
            at += 1


@pytest.mark.parametrize("corpus", [[[2]], [[]], [[2] * 50], [[2, 2]] * 20, [[2, 3, 4, 5] * 10]])
@pytest.mark.parametrize("name", SMOOTHED)
@pytest.mark.parametrize("order", [1, 2, 10])
def test_small_and_repetitive_texts(name: Any, corpus: Sentences, order: int) -> None:
    model = model_of(name, corpus, order)
    rows = np.exp(model.next_log_probs(np.array([[END_ID], [2], [5]], np.int32)))
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-10)


class Dictionary:
    """Raw counts of n-grams as tuples."""

    def __init__(self, corpus: Sentences, order: int) -> None:
        self.raw: dict[int, Counter[tuple[int, ...]]] = {n: Counter() for n in range(1, order + 1)}
        for sentence in corpus:
            padded = (END_ID, *sentence, END_ID)
            for n in range(1, order + 1):
                starts = range(1 if n == 1 else 0, len(padded) - n + 1)
                self.raw[n].update(padded[i : i + n] for i in starts)

    def following(self, h: tuple[int, ...]) -> dict[int, int]:
        return {ng[-1]: c for ng, c in self.raw[len(h) + 1].items() if ng[:-1] == h}

    def interpolated(
        self, w: int, h: tuple[int, ...], share: Callable[[int, dict[int, int], int], Any]
    ) -> float:
        lower = self.interpolated(w, h[1:], share) if h else 1 / V
        after = self.following(h)
        if not after:
            return lower
        alpha, gamma = share(len(h) + 1, after, w)
        return float(alpha + gamma * lower)


def check(model: NgramModel, order: int, p: Callable[[int, tuple[int, ...]], float]) -> None:
    """All words after all contexts of full length, and at the start of a sentence."""
    places = [(END_ID, *c) for c in np.ndindex(*[V] * max(order - 2, 0)) if END_ID not in c]
    inner = [c for c in np.ndindex(*[V] * (order - 1)) if END_ID not in c]
    for context in {*places, *inner} if order > 1 else {()}:
        row = np.exp(model.next_log_probs(np.array([context], np.int32).reshape(1, -1)))[0]
        expected = [p(w, context) for w in range(V)]
        np.testing.assert_allclose(row, expected, rtol=1e-10, atol=1e-15, err_msg=str(context))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("k", [1.0, 0.01])
def test_add_k_is_its_equation(order: int, k: float) -> None:
    counted = Dictionary(CORPUS, order)

    def p(w: int, h: tuple[int, ...]) -> float:
        after = counted.following(h)
        return (after.get(w, 0) + k) / (sum(after.values()) + k * V)

    counts = NgramCounts.of(stream_of(CORPUS), order)
    check(AddK(NgramParameters(add_k=k)).estimate(counts, order), order, p)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_witten_bell_is_its_equation(order: int) -> None:
    counted = Dictionary(CORPUS, order)

    def share(n: int, after: dict[int, int], w: int) -> tuple[float, float]:
        total = sum(after.values()) + len(after)
        return after.get(w, 0) / total, len(after) / total

    counts = NgramCounts.of(stream_of(CORPUS), order)
    model = WittenBell().estimate(counts, order)
    check(model, order, lambda w, h: counted.interpolated(w, h, share))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_absolute_discounting_is_its_equation(order: int) -> None:
    counted = Dictionary(CORPUS, order)
    discount = {}
    for n, raw in counted.raw.items():
        n1, n2 = (sum(c == r for c in raw.values()) for r in (1, 2))
        discount[n] = n1 / (n1 + 2 * n2) if n1 and n2 else 0.5

    def share(n: int, after: dict[int, int], w: int) -> tuple[float, float]:
        total = sum(after.values())
        return max(after.get(w, 0) - discount[n], 0) / total, discount[n] * len(after) / total

    counts = NgramCounts.of(stream_of(CORPUS), order)
    model = AbsoluteDiscounting().estimate(counts, order)
    check(model, order, lambda w, h: counted.interpolated(w, h, share))
    assert [entry.values[0] for entry in model.discounts] == pytest.approx([*discount.values()])


def test_the_discount_of_good_turing_worked_by_hand() -> None:
    """n = 10, 4, 2, k = 2: A = 3·2/10, r* = 2·4/10 and 3·2/4; d(1) = (0.8 − 0.6)/0.4 = 1/2,
    d(2) = (0.75 − 0.6)/0.4 = 3/8."""
    values, reason = good_turing((10, 4, 2))
    assert values == pytest.approx((1 - 1 / 2, 2 - 2 * 3 / 8, 0))
    assert not reason


@pytest.mark.parametrize("order", [1, 2, 3])
def test_katz_is_its_equation(order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ratios d(1) = 1/2, d(2) = 3/4 in place of those of so small a text."""
    monkeypatch.setattr(
        Katz, "discounts", lambda self, n, raw: Discounts(n, (1 / 2, 2 - 3 / 2, 0.0))
    )
    counted = Dictionary(CORPUS, order)
    ratio = {1: 1 / 2, 2: 3 / 4}

    def p(w: int, h: tuple[int, ...]) -> float:
        after = counted.following(h)
        if not after:
            return p(w, h[1:]) if h else 1 / V
        total = sum(after.values())
        total += all(c > 2 for c in after.values())
        seen = {v: ratio.get(c, 1) * c / total for v, c in after.items()}
        if w in seen:
            return seen[w]
        lower = (lambda v: p(v, h[1:])) if h else (lambda v: 1 / V)
        beta = (1 - sum(seen.values())) / (1 - sum(lower(v) for v in seen))
        return beta * lower(w)

    counts = NgramCounts.of(stream_of(CORPUS), order)
    check(Katz().estimate(counts, order), order, p)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_jelinek_mercer_is_its_equation(order: int) -> None:
    counted = Dictionary(CORPUS, order)
    counts = NgramCounts.of(stream_of(CORPUS), order)
    estimator = JelinekMercer(
        stream_of([[2, 3, 4], [3, 2]]), NgramParameters(jelinek_mercer_bucket=2)
    )
    weights = estimator.weights(counts, order)

    def share(n: int, after: dict[int, int], w: int) -> tuple[float, float]:
        total = sum(after.values())
        weight = weights[n - 1][total.bit_length() - 1]
        return weight * after.get(w, 0) / total, 1 - weight

    check(estimator.estimate(counts, order), order, lambda w, h: counted.interpolated(w, h, share))


def test_the_weight_of_jelinek_mercer_worked_by_hand() -> None:
    """Order 1, training text "a a a b" and its end, validation "b" and its end; V = 6.

    Both validation tokens have the ratio 1/5 and the base 1/6, so each was drawn from the counts
    with the probability r = λ/5 / (λ/5 + (1−λ)/6), and λ = (2r + 1/2) / (2 + 1). At the fixed
    point λ = x: 3x − 1/2 = 2r.
    """
    counts = NgramCounts.of(stream_of([[2, 2, 2, 3]]), 1)
    weights = JelinekMercer(stream_of([[3]])).weights(counts, 1)
    x = weights[0][2]  # of a context that was seen 5 times
    r = (x / 5) / (x / 5 + (1 - x) / 6)
    assert 3 * x - 1 / 2 == pytest.approx(2 * r, abs=2e-3)
    assert x > 1 / 2


def test_better_weights_than_any_other_on_the_validation_text() -> None:
    """One weight for all: EM against a search over a grid."""
    validation = stream_of([[2, 3, 2], [3, 3, 4], [2, 4, 4, 5]] * 30)
    counts = NgramCounts.of(stream_of(CORPUS), 1)
    model = JelinekMercer(validation).estimate(counts, 1)
    shares = np.bincount(ids_of(CORPUS), minlength=V) / len(ids_of(CORPUS))
    grid = np.linspace(0, 0.999, 1000)[:, None]
    nats = np.log(grid * shares[validation.ids] + (1 - grid) / V).sum(axis=1)
    assert model.token_log_probs(validation).sum() >= nats.max() - 0.05


@pytest.mark.parametrize("name", BACKING_OFF)
def test_single_precision_is_close(name: Any) -> None:
    double, single = (
        model_of(name, CORPUS * 5, 3, precision=precision).token_log_probs(stream_of(CORPUS))
        for precision in ("double", "single")
    )
    np.testing.assert_allclose(single, double, atol=2e-6)


@pytest.mark.parametrize("name", BACKING_OFF)
def test_pruned_by_count_are_the_rare_ones_and_the_rest_keeps_its_shape(name: Any) -> None:
    full, pruned = model_of(name, CORPUS, 3), model_of(name, CORPUS, 3, prune=(0, 0, 1))
    counts = NgramCounts.of(stream_of(CORPUS), 3)
    kept = int((counts.raw[counts.trie.level(3)] > 1).sum())
    level = pruned.trie.level(3)
    assert level.stop - level.start == kept
    level = pruned.trie.level(2)
    assert level.stop - level.start == full.trie.level(2).stop - full.trie.level(2).start


def test_names_that_do_not_exist_and_what_cannot_be_pruned() -> None:
    with pytest.raises(MemoryspanError, match="choose one of maximum_likelihood, add_k"):
        make_estimator("good", NgramParameters())  # type: ignore[arg-type]
    for name in ("add_k", "maximum_likelihood"):
        with pytest.raises(MemoryspanError, match=f"{name} estimator does not back off"):
            model_of(name, CORPUS, 2, prune=(1,))  # type: ignore[arg-type]
