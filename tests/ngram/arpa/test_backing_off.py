"""Pruned models, whose n-grams may lack their suffix, against the definition of backing off."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.text.streams import TokenStream

WORDS = ["<unk>", "a", "b", "c"]
numbers = st.integers(-5000, 0).map(lambda number: number / 1000)
weights = st.integers(-3000, 1000).map(lambda number: number / 1000)
entries = st.tuples(numbers, weights)
sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=7), min_size=1, max_size=5)


@st.composite
def pruned_models(draw: Any) -> dict[tuple[str, ...], tuple[float, float]]:
    """Each prefix of an n-gram is in the model, other parts of it need not be."""
    highest = draw(st.integers(1, 5))
    ngrams = {(word,): draw(entries) for word in ("<s>", "</s>", *WORDS)}
    ngrams["</s>",] = (ngrams["</s>",][0], 0.0)
    longest = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["<s>", *WORDS]),
                st.lists(st.sampled_from(WORDS), max_size=highest),
                st.booleans(),
            ),
            max_size=12,
        )
    )
    for first, middle, ends in longest:
        ngram = (first, *middle, *(["</s>"] if ends else []))[:highest]
        for n in range(2, len(ngram) + 1):
            if ngram[:n] not in ngrams:
                prob, backoff = draw(entries)
                ngrams[ngram[:n]] = prob, backoff if ngram[n - 1] != "</s>" else 0.0
    order = max(map(len, ngrams))
    return {key: (p, b if len(key) < order else 0.0) for key, (p, b) in ngrams.items()}


@settings(deadline=None)
@given(ngrams=pruned_models(), test=sentences)
def test_every_score_is_that_of_the_definition(
    read: Any, text_of: Any, slowly: Any, score: Any, ngrams: Any, test: list[list[str]]
) -> None:
    text = text_of(ngrams)
    assert slowly(text).ngrams == ngrams
    np.testing.assert_allclose(score(read(text), test), slowly(text).score(test), atol=1e-12)


@settings(deadline=None)
@given(ngrams=pruned_models(), context=st.lists(st.sampled_from(WORDS), max_size=6), start=...)
def test_every_row_is_that_of_the_definition(
    read: Any, text_of: Any, slowly: Any, ngrams: Any, context: list[str], start: bool
) -> None:
    arpa, slow = read(text_of(ngrams)), slowly(text_of(ngrams))
    before = [1] * start + arpa.vocabulary.encode(context).tolist()
    row = arpa.model.next_log_probs(np.array([before], np.int32).reshape(1, -1))[0] / np.log(10)
    words = ("<s>",) * start + tuple(context)
    expected = [slow.log10_prob(words, word) for word in arpa.vocabulary.tokens]
    np.testing.assert_allclose(row, expected, atol=1e-12)


@settings(deadline=None)
@given(ngrams=pruned_models(), test=sentences, window=st.integers(0, 5))
def test_windows_cut_the_context(
    read: Any, text_of: Any, slowly: Any, ngrams: Any, test: list[list[str]], window: int
) -> None:
    arpa, slow = read(text_of(ngrams)), slowly(text_of(ngrams))
    ids = arpa.vocabulary.encode(word for sentence in test for word in (*sentence, "</s>"))
    stream = TokenStream.of(ids, len(arpa.vocabulary))
    expected = []
    for sentence in test:
        words = ("<s>", *sentence, "</s>")
        contexts = [words[max(0, p - window) : p] for p in range(1, len(words))]
        expected += map(slow.log10_prob, contexts, words[1:])
    log10 = arpa.model.token_log_probs(stream, window) / np.log(10)
    np.testing.assert_allclose(log10, expected, atol=1e-12)
