from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.counts import NgramCounts
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

V = 6
sentences = st.lists(st.lists(st.sampled_from([0, 2, 3, 4, 5]), max_size=9), min_size=1, max_size=9)


def brute_force(corpus: list[list[int]], n: int) -> Counter[tuple[int, ...]]:
    """Count with tuples; <s> and </s> are both END_ID, <s> alone is no n-gram."""
    counts: Counter[tuple[int, ...]] = Counter()
    for sentence in corpus:
        padded = [END_ID, *sentence, END_ID] if n > 1 else [*sentence, END_ID]
        counts.update(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1))
    return counts


def counted(counts: NgramCounts, values: np.ndarray, n: int) -> dict[tuple[int, ...], int]:
    ngrams = zip(*(column.tolist() for column in counts.trie.words(n)), strict=True)
    pairs = zip(ngrams, values.tolist(), strict=True)
    return {ngram: count for ngram, count in pairs if count}


@given(corpus=sentences, order=st.integers(1, 7))
def test_raw_counts(stream_of: Any, corpus: list[list[int]], order: int) -> None:
    counts = NgramCounts.of(stream_of(corpus, V), order)
    for n in range(1, order + 1):
        assert counted(counts, counts.raw[counts.trie.level(n)], n) == brute_force(corpus, n)


@given(corpus=sentences, order=st.integers(2, 5))
def test_adjusted_counts(stream_of: Any, corpus: list[list[int]], order: int) -> None:
    counts = NgramCounts.of(stream_of(corpus, V), order)
    for n in range(1, order):
        left = defaultdict(set)
        for ngram in brute_force(corpus, n + 1):
            left[ngram[1:]].add(ngram[0])
        expected = {ngram: len(neighbours) for ngram, neighbours in left.items()}
        if n > 1:
            raw = brute_force(corpus, n)
            expected.update({ngram: raw[ngram] for ngram in raw if ngram[0] == END_ID})
        assert counted(counts, counts.adjusted(n, order), n) == expected
    np.testing.assert_array_equal(
        counts.adjusted(order, order), counts.raw[counts.trie.level(order)]
    )


@given(corpus=sentences, order=st.integers(1, 6))
def test_trie_is_sorted_and_linked(stream_of: Any, corpus: list[list[int]], order: int) -> None:
    trie = NgramCounts.of(stream_of(corpus, V), order).trie
    node_of: dict[tuple[int, ...], int] = {(): 0}
    for n in range(1, order + 1):
        ngrams = list(zip(*(column.tolist() for column in trie.words(n)), strict=True))
        assert ngrams == sorted(set(ngrams))
        node_of.update(zip(ngrams, range(trie.first[n], trie.first[n + 1]), strict=True))
    for ngram, node in node_of.items():
        if ngram:
            assert trie.suffix[node] == node_of[ngram[1:]]
        if len(ngram) < order:
            children = range(trie.child[node], trie.child[node + 1])
            assert [node_of[(*ngram, int(trie.word[c]))] for c in children] == list(children)
        assert trie.find(ngram) == node
    unseen = [(*ngram, 2) for ngram in node_of if len(ngram) < order and (*ngram, 2) not in node_of]
    assert {trie.find(ngram) for ngram in unseen} <= {-1}


@given(corpus=sentences, order=st.integers(2, 5))
def test_what_follows_a_context_is_counted(
    stream_of: Any, corpus: list[list[int]], order: int
) -> None:
    counts = NgramCounts.of(stream_of(corpus, V), order)
    following = counts.following()
    assert following[0] == len(stream_of(corpus, V))
    for n in range(1, order):
        expected: Counter[tuple[int, ...]] = Counter()
        for ngram, count in brute_force(corpus, n + 1).items():
            expected[ngram[:-1]] += count
        assert counted(counts, following[counts.trie.level(n)], n) == expected


def test_large_groups_are_sorted_by_radix(stream_of: Any) -> None:
    """Words beyond one byte, groups beyond the insertion sort."""
    generator = np.random.default_rng(5)
    corpus = [[2, *generator.integers(2, 70_000, 3).tolist()] for _ in range(3000)]
    corpus += [[2, 69_999], [2, 300]] * 40
    counts = NgramCounts.of(stream_of(corpus, 70_000), 4)
    for n in (1, 2, 3, 4):
        assert counted(counts, counts.raw[counts.trie.level(n)], n) == brute_force(corpus, n)


def test_stream_that_stops_inside_a_sentence() -> None:
    counts = NgramCounts.of(TokenStream.of(np.array([2, 3, 1, 2], np.int32), 4), 3)
    assert counted(counts, counts.raw[counts.trie.level(2)], 2) == {
        (1, 2): 2, (2, 3): 1, (3, 1): 1,
    }  # fmt: skip


def test_one_endless_sentence_of_one_word() -> None:
    counts = NgramCounts.of(TokenStream.of(np.full(5000, 2, np.int32), 3), 4)
    assert [int(counts.raw[counts.trie.level(n)].sum()) for n in (1, 2, 3, 4)] == [
        5000, 5000, 4999, 4998,
    ]  # fmt: skip


def test_table(corpus_of: Any) -> None:
    corpus = corpus_of(["b a", "a b", "", "b a"])
    table = corpus.counts.table(2, corpus.vocabulary)
    rows = [tuple(row) for row in table.itertuples(index=False)]
    assert list(table.columns) == ["w1", "w2", "count"]
    assert rows == [
        ("<s>", "b", 2),
        ("a", "</s>", 2),
        ("b", "a", 2),
        ("<s>", "</s>", 1),
        ("<s>", "a", 1),
        ("a", "b", 1),
        ("b", "</s>", 1),
    ]
    unigrams = corpus.counts.table(1, corpus.vocabulary)
    assert [tuple(row) for row in unigrams.itertuples(index=False)] == [
        ("</s>", 4), ("a", 3), ("b", 3),
    ]  # fmt: skip


def test_table_of_a_text_that_contains_the_start_symbol(corpus_of: Any) -> None:
    corpus = corpus_of(["<s> a"])
    assert corpus.counts.table(2, corpus.vocabulary).values.tolist() == [
        ["<s>", "<s>", 1],
        ["<s>", "a", 1],
        ["a", "</s>", 1],
    ]


def test_table_of_many_words_is_ordered(corpus_of: Any) -> None:
    """More ranks than 16 bits hold."""
    words = [f"w{number}" for number in np.random.default_rng(1).permutation(70_000)]
    corpus = corpus_of([" ".join(words)], order=1)
    table = corpus.counts.table(1, corpus.vocabulary)
    assert table["w1"].tolist() == sorted([*words, "</s>"])


def test_table_as_parquet(corpus_of: Any, tmp_path: Path) -> None:
    corpus = corpus_of(["b a", "a b"])
    table = corpus.counts.table(3, corpus.vocabulary)
    table.to_parquet(tmp_path / "order_3.parquet")
    read = pd.read_parquet(tmp_path / "order_3.parquet")
    assert read.astype({f"w{i}": str for i in (1, 2, 3)}).values.tolist() == [
        ["<s>", "a", "b", 1], ["<s>", "b", "a", 1], ["a", "b", "</s>", 1], ["b", "a", "</s>", 1],
    ]  # fmt: skip


def test_counts_of_counts(corpus_of: Any) -> None:
    table = corpus_of(["b a", "a b", "", "b a"], order=2).counts.counts_of_counts()
    assert table.values.tolist() == [[1, 3, 2], [1, 4, 1], [2, 1, 4], [2, 2, 3]]
    assert list(table.columns) == ["order", "count", "ngrams"]


def test_counts_survive_the_disk(corpus_of: Any, tmp_path: Path) -> None:
    corpus = corpus_of(["b a", "a b"])
    corpus.counts.save(tmp_path / "counts.npz")
    loaded = NgramCounts.load(tmp_path / "counts.npz")
    assert loaded.order == 3
    pd.testing.assert_frame_equal(
        loaded.table(3, corpus.vocabulary), corpus.counts.table(3, corpus.vocabulary)
    )


@pytest.mark.parametrize(
    ("ids", "order", "message"),
    [([], 2, "no tokens"), ([2, 1], 0, "order"), ([2, 1], 11, "order"), ([9, 1], 2, "vocabulary")],
)
def test_what_cannot_be_counted(ids: list[int], order: int, message: str) -> None:
    with pytest.raises(MemoryspanError, match=message):
        NgramCounts.of(TokenStream.of(np.array(ids, np.int32), 3), order)


def test_orders_not_counted_and_other_vocabularies(corpus_of: Any) -> None:
    corpus, other = corpus_of(["a b"]), corpus_of(["a b c"])
    with pytest.raises(MemoryspanError, match="order 4"):
        corpus.counts.table(4, corpus.vocabulary)
    with pytest.raises(MemoryspanError, match="vocabulary"):
        corpus.counts.table(2, other.vocabulary)


def test_a_memory_map_is_counted_like_an_array(tmp_path: Path) -> None:
    ids = np.array([2, 3, 1, 3, 1], np.int32)
    ids.tofile(tmp_path / "ids")
    mapped = np.memmap(tmp_path / "ids", np.int32, "r")
    expected = NgramCounts.of(TokenStream.of(ids, 4), 3)
    np.testing.assert_array_equal(NgramCounts.of(TokenStream.of(mapped, 4), 3).raw, expected.raw)
