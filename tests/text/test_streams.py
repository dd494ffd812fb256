import numpy as np
import pytest

from memoryspan.text.streams import TokenStream

STREAM = TokenStream(
    np.arange(10, dtype=np.int32),
    20,
    ("a", "b", "c"),
    np.array([0, 4, 4, 10]),
    np.array([9, 0, 9]),
    np.array([3, 0, 3]),
    "digest",
)


@pytest.mark.parametrize(
    ("tokens", "documents", "bounds"),
    [
        (1, ("a",), [0, 1]),
        (4, ("a",), [0, 4]),
        (5, ("a", "b", "c"), [0, 4, 4, 5]),
    ],
)
def test_a_beginning_has_the_documents_it_is_of(tokens, documents, bounds):
    first = STREAM.beginning(tokens)
    assert first.ids.tolist() == list(range(tokens))
    assert first.documents == documents
    assert first.document_bounds.tolist() == bounds
    assert first.document_bytes.sum() == first.document_words.sum() == 0
    assert (first.vocabulary_size, first.vocabulary_digest) == (20, "digest")


@pytest.mark.parametrize("tokens", [None, 10, 11])
def test_all_of_it_is_the_stream_itself(tokens):
    assert STREAM.beginning(tokens) is STREAM
