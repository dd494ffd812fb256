from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
from memoryspan.text.vocabulary import END_ID

V = 6
words = st.sampled_from([0, 2, 3, 4, 5])
sentences = st.lists(st.lists(words, max_size=9), min_size=1, max_size=9)


def test_count_ratios(corpus_of: Any) -> None:
    corpus = corpus_of(["a b", "a c", "b"])
    model = MaximumLikelihood().estimate(corpus.counts, 2)
    assert model.name == "maximum_likelihood_2"
    end, a, c = (corpus.vocabulary.id_of[token] for token in ("</s>", "a", "c"))
    after_end, after_a, after_c = np.exp(model.next_log_probs(np.array([[end], [a], [c]])))
    np.testing.assert_allclose(after_end, [0, 0, 2 / 3, 1 / 3, 0])
    np.testing.assert_allclose(after_a, [0, 0, 0, 1 / 2, 1 / 2])
    np.testing.assert_allclose(after_c, [0, 1, 0, 0, 0])
    expected = [2 / 3, 1 / 2, 1, 2 / 3, 1 / 2, 1, 1 / 3, 1]
    np.testing.assert_allclose(np.exp(model.token_log_probs(corpus.train)), expected)


def test_the_unseen_is_impossible(corpus_of: Any) -> None:
    corpus = corpus_of(["a b c", "c a"], ["b a", "b b c a"])
    model = MaximumLikelihood().estimate(corpus.counts, 3)
    # <s> b: unseen word; b a after <s> b: unseen context, though "a" and "c a" were seen
    log_probs = model.token_log_probs(corpus.test)
    assert log_probs.tolist() == [-np.inf] * 7 + [0.0]  # c a </s> was seen
    row = model.next_log_probs(np.array([[3, 3]], np.int32))
    assert (row == -np.inf).all()


def test_a_fragment_uses_the_shorter_ratio(corpus_of: Any) -> None:
    corpus = corpus_of(["a b c", "c a"])
    model = MaximumLikelihood().estimate(corpus.counts, 3)
    np.testing.assert_allclose(
        np.exp(model.next_log_probs(np.array([[2]], np.int32))), [[0, 0.5, 0, 0.5, 0]]
    )
    np.testing.assert_allclose(
        np.exp(model.next_log_probs(np.empty((1, 0), np.int32))), np.array([[0, 2, 2, 1, 2]]) / 7
    )


@given(corpus=sentences, order=st.integers(1, 5), context=st.lists(words, max_size=5))
def test_rows_sum_to_one_after_seen_contexts_and_to_zero_else(
    stream_of: Any, corpus: list[list[int]], order: int, context: list[int]
) -> None:
    model = MaximumLikelihood().estimate(NgramCounts.of(stream_of(corpus, V), order), order)
    total = np.exp(model.next_log_probs(np.array([context], np.int32))).sum()
    kept = context[max(0, len(context) - order + 1) :]
    seen = any(
        sentence[i : i + len(kept)] == kept
        for sentence in corpus
        for i in range(len(sentence) - len(kept) + 1)
    )
    np.testing.assert_allclose(total, float(seen), atol=1e-12)


@given(corpus=sentences, order=st.integers(1, 5))
def test_the_training_text_is_possible(stream_of: Any, corpus: list[list[int]], order: int) -> None:
    stream = stream_of(corpus, V)
    model = MaximumLikelihood().estimate(NgramCounts.of(stream, order), order)
    assert np.isfinite(model.token_log_probs(stream)).all()
    assert model.score(stream).matched[0] == min(order, 2)
    assert stream.ids[-1] == END_ID
