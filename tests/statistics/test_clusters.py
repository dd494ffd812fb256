import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.statistics.clusters import block_cuts, token_clusters
from memoryspan.text.streams import TokenStream


def stream(lengths, sentence=10):
    total = sum(lengths)
    ids = np.full(total, 2, dtype=np.int32)
    ids[sentence - 1 :: sentence] = 1
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    nothing = np.zeros(len(lengths), dtype=np.int64)
    names = tuple(f"play {d}" for d in range(len(lengths)))
    return TokenStream(ids, 3, names, bounds, nothing, nothing)


def test_twenty_documents_are_the_clusters():
    lengths = [30 + d for d in range(20)]
    clusters = token_clusters(stream(lengths))
    assert (clusters.unit, clusters.count) == ("document", 20)
    assert clusters.names[3] == "play 3"
    np.testing.assert_array_equal(clusters.tokens, lengths)


def test_an_empty_document_is_no_cluster():
    clusters = token_clusters(stream([30] * 20 + [0]))
    assert (clusters.unit, clusters.count) == ("document", 20)
    clusters = token_clusters(stream([30] * 19 + [0]))
    assert clusters.unit == "block"
    assert clusters.tokens.min() > 0


def test_few_documents_are_cut_into_blocks_of_about_500_at_sentence_ends():
    text = stream([26_340, 5_010])
    clusters = token_clusters(text)
    assert clusters.unit == "block"
    assert clusters.count == round(26_340 / 500) + 10
    assert clusters.names[0] == "play 0/0"
    assert clusters.names[-1] == "play 1/9"
    assert abs(clusters.tokens - 500).max() < 20
    starts = np.flatnonzero(np.diff(clusters.of_token)) + 1
    assert 26_340 in starts
    assert (text.ids[starts - 1] == 1).all()


def test_a_short_stream_is_cut_into_about_twenty_blocks():
    assert token_clusters(stream([2000])).count == 20
    assert token_clusters(stream([200])).count == 4


def test_a_cut_without_a_sentence_end_nearby_stays_even():
    is_end = np.zeros(1000, dtype=bool)
    np.testing.assert_array_equal(block_cuts(is_end, 250), [250, 500, 750])
    is_end[259] = True
    np.testing.assert_array_equal(block_cuts(is_end, 250), [260, 500, 750])


def test_totals_add_up_and_keep_infinity():
    clusters = token_clusters(stream([2000]))
    values = np.random.default_rng(0).normal(size=2000)
    assert clusters.totals(values).sum() == pytest.approx(values.sum())
    values[1999] = np.inf
    assert np.isinf(clusters.totals(values)).tolist() == [False] * 19 + [True]


@settings(deadline=None)
@given(st.lists(st.integers(0, 1200), min_size=1, max_size=25), st.integers(1, 700))
def test_every_token_is_in_one_contiguous_cluster_of_one_document(lengths, sentence):
    text = stream(lengths, sentence)
    clusters = token_clusters(text)
    assert len(clusters.of_token) == len(text)
    assert set(np.diff(clusters.of_token)) <= {0, 1}
    assert (clusters.tokens > 0).all()
    document = np.repeat(np.arange(len(lengths)), lengths)
    for cluster in range(clusters.count):
        assert len(set(document[clusters.of_token == cluster])) == 1
