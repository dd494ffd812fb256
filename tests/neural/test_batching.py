import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.neural.batching import IGNORED, Chunking, StreamLoader
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID


@given(st.integers(1, 200), st.integers(1, 9), st.integers(1, 11))
def test_every_token_is_a_target_once_after_the_token_that_precedes_it(tokens, streams, bptt):
    # Distinct ids, so that a pair (input, target) tells the position.
    ids = np.arange(2, tokens + 2, dtype=np.int32)
    chunks = list(StreamLoader(TokenStream.of(ids, tokens + 2), streams, Chunking(bptt)))
    assert all(chunk.inputs_BT.shape[1] <= bptt for chunk in chunks)
    inputs = np.concatenate([chunk.inputs_BT.numpy().ravel() for chunk in chunks])
    targets = np.concatenate([chunk.targets_BT.numpy().ravel() for chunk in chunks])
    has_target = targets != IGNORED
    order = np.argsort(targets[has_target])
    assert targets[has_target][order].tolist() == ids.tolist()
    assert inputs[has_target][order].tolist() == [END_ID, *ids[:-1].tolist()]


def test_streams_are_contiguous_over_chunks():
    ids = np.arange(60, dtype=np.int32)
    chunks = list(StreamLoader(TokenStream.of(ids, 60), 3, Chunking(7)))
    joined = np.concatenate([chunk.targets_BT.numpy() for chunk in chunks], axis=1)
    assert joined.tolist() == ids.reshape(3, 20).tolist()
    assert [chunk.number for chunk in chunks] == [0, 1, 2]


def test_an_interrupted_epoch_is_finished_and_the_next_one_is_whole():
    loader = StreamLoader(
        TokenStream.of(np.arange(60, dtype=np.int32), 60), 3, Chunking(7), start=2
    )
    iter(loader)  # an iterator that nobody reads changes nothing
    assert [chunk.number for chunk in loader] == [2]
    assert [chunk.number for chunk in loader] == [0, 1, 2]


@pytest.mark.parametrize("bptt", [5, 8])
def test_memory_maps_are_read_like_arrays(tmp_path, bptt):
    ids = np.random.default_rng(0).integers(0, 50, 77).astype(np.int32)
    np.save(tmp_path / "ids.npy", ids)
    mapped = np.load(tmp_path / "ids.npy", mmap_mode="r")
    stream = TokenStream(
        mapped, 50, ("a",), np.array([0, 77]), np.zeros(1, np.int64), np.zeros(1, np.int64)
    )
    pairs = zip(
        StreamLoader(stream, 4, Chunking(bptt)),
        StreamLoader(TokenStream.of(ids, 50), 4, Chunking(bptt)),
        strict=True,
    )
    for from_map, from_array in pairs:
        assert from_map.inputs_BT.equal(from_array.inputs_BT)
        assert from_map.targets_BT.equal(from_array.targets_BT)
