from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.continuations import (
    choose_contexts,
    following_counts,
    frequent_contexts,
    top_continuations,
)
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import TableParameters
from memoryspan.text.parameters import TokenizerParameters
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer
from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID

V = 6
sentences = st.lists(st.lists(st.sampled_from([0, 2, 3, 4, 5]), max_size=9), min_size=1, max_size=9)
Encode = Callable[[str], np.ndarray]


def models_of(counts: NgramCounts) -> dict[int, NgramModel]:
    return {n: KneserNey().estimate(counts, n) for n in range(1, counts.order + 1)}


def encoder(corpus: Any) -> Encode:
    return lambda text: np.append(corpus.vocabulary.encode(text.split()), END_ID)


def test_by_hand(corpus_of: Any) -> None:
    corpus = corpus_of(["a b", "a b", "a b", "a c", "a c", "b a"])
    parameters = TableParameters(contexts=("a", "<s> a", "<s>"), continuations=2)
    contexts = choose_contexts(parameters, corpus.counts, encoder(corpus))
    models = models_of(corpus.counts)
    table = top_continuations(corpus.counts, corpus.vocabulary, models, contexts, 2)
    assert table["context"].tolist() == ["a", "a", "<s> a", "<s> a", "<s>", "<s>"]
    assert table["order"].tolist() == [2, 2, 3, 3, 2, 2]
    assert table["context_count"].tolist() == [6, 6, 5, 5, 6, 6]
    assert table["count"].tolist() == [3, 2, 3, 2, 5, 1]
    assert table["continuation"].tolist() == ["b", "c", "b", "c", "a", "b"]
    assert table["maximum_likelihood"].tolist() == [*(3 / 6, 2 / 6, 3 / 5, 2 / 5, 5 / 6, 1 / 6)]
    b = corpus.vocabulary.id_of["b"]
    row = models[3].next_log_probs(np.array([contexts[1]], np.int32))[0]
    assert table["kneser_ney"][2] == pytest.approx(np.exp(row[b]))


@given(corpus=sentences, order=st.integers(2, 5))
@settings(deadline=None)
def test_continuations_sum_to_their_context(
    stream_of: Any, corpus: list[list[int]], order: int
) -> None:
    counts = NgramCounts.of(stream_of(corpus, V), order)
    followed = [[END_ID, *sentence] for sentence in corpus]
    for n in range(2, order + 1):
        for context in frequent_contexts(counts, n, 1000):
            times = sum(
                tuple(s[p : p + n - 1]) == context for s in followed for p in range(len(s) - n + 2)
            )
            assert following_counts(counts, context).sum() == times > 0
            assert UNKNOWN_ID not in context


@given(corpus=sentences)
@settings(deadline=None)
def test_all_probabilities_sum_to_one(stream_of: Any, corpus: list[list[int]]) -> None:
    stream = stream_of(corpus, V)
    counts = NgramCounts.of(stream, 3)
    vocabulary = type("Six", (), {"tokens": tuple("?$abcd"), "__len__": lambda _: V})()
    contexts = [c for n in (2, 3) for c in frequent_contexts(counts, n, 9)]
    table = top_continuations(counts, vocabulary, models_of(counts), contexts, V)
    sums = table.groupby(["context", "order"])[["maximum_likelihood", "kneser_ney"]].sum()
    np.testing.assert_allclose(sums, 1)


def test_the_most_frequent_contexts_are_the_default(corpus_of: Any) -> None:
    corpus = corpus_of(["a b", "a b", "c a b a"], order=3)
    contexts = choose_contexts(TableParameters(frequent_contexts=2), corpus.counts, encoder(corpus))
    words = [" ".join(corpus.vocabulary.decode(context)) for context in contexts]
    assert words == ["a", "</s>", "a b", "</s> a"]  # </s> is <s> here


def test_one_word(corpus_of: Any) -> None:
    corpus = corpus_of(["a"], order=5)
    contexts = choose_contexts(TableParameters(), corpus.counts, encoder(corpus))
    assert contexts == [(END_ID,), (2,), (END_ID, 2)]  # longer ones there are not
    table = top_continuations(
        corpus.counts, corpus.vocabulary, models_of(corpus.counts), contexts, 1
    )
    assert table["continuation"].tolist() == ["a", "</s>", "</s>"]
    assert table["maximum_likelihood"].tolist() == [1, 1, 1]


def test_after_an_unseen_context_the_model_speaks(corpus_of: Any) -> None:
    corpus = corpus_of(["a b", "a b", "b c", "c"])
    table = top_continuations(
        corpus.counts, corpus.vocabulary, models_of(corpus.counts), [(4, 2)], 1
    )  # c a
    [row] = table.to_dict("records")
    assert (row["context"], row["continuation"]) == ("c a", "b")
    assert (row["count"], row["context_count"]) == (0, 0)
    assert np.isnan(row["maximum_likelihood"])
    assert 0 < row["kneser_ney"] < 1


def test_long_contexts_lose_what_no_model_sees(corpus_of: Any) -> None:
    corpus = corpus_of(["a b c a"])
    parameters = TableParameters(contexts=("a b c", "<s> b c", "b zebra"))
    contexts = choose_contexts(parameters, corpus.counts, encoder(corpus))
    assert contexts == [(3, 4), (3, UNKNOWN_ID)]  # the first two are then the same


@pytest.mark.parametrize("text", ["", " ", "a\nb", "a </s> b"])
def test_what_is_no_context(corpus_of: Any, text: str) -> None:
    corpus = corpus_of(["a b"])
    encode = encoder(corpus)
    given = TableParameters.model_construct(contexts=(text,))

    def lines(written: str) -> np.ndarray:
        written = written.replace("</s>", "\n")
        return np.concatenate([encode(line) for line in written.split("\n")])

    with pytest.raises(MemoryspanError, match=r"ngram\.tables\.contexts"):
        choose_contexts(given, corpus.counts, lines)


def test_characters_show_their_spaces() -> None:
    tokenizer = Tokenizer.fit(TokenizerParameters(kind="character"), ["春天 来\n春天 去\n"])
    stream = TokenStream.of(tokenizer.encode("春天 来\n春天 去\n"), len(tokenizer.vocabulary))
    counts = NgramCounts.of(stream, 3)
    contexts = choose_contexts(TableParameters(contexts=("天 ", "春天")), counts, tokenizer.encode)
    table = top_continuations(counts, tokenizer.vocabulary, models_of(counts), contexts, 2)
    assert table["context"].tolist() == ["天 ␣", "天 ␣", "春 天", "春 天"]
    assert table["continuation"].tolist()[:3] == ["去", "来", "␣"]


def test_another_vocabulary_is_refused(corpus_of: Any) -> None:
    corpus, other = corpus_of(["a b"]), corpus_of(["a b c"])
    with pytest.raises(MemoryspanError, match="do not belong together"):
        top_continuations(corpus.counts, other.vocabulary, models_of(corpus.counts), [(2,)], 1)
    with pytest.raises(MemoryspanError, match="do not belong together"):
        top_continuations(corpus.counts, corpus.vocabulary, models_of(other.counts), [(2,)], 1)
