import numpy as np
import pandas as pd
import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.text.documents import read_documents
from memoryspan.text.encoding import (
    coverage_table,
    encode_all_types,
    encode_split,
    vocabulary_table,
)
from memoryspan.text.parameters import CorpusParameters, TokenizerParameters
from memoryspan.text.tokenizers import Tokenizer

DOCUMENTS = pd.DataFrame(
    [
        ("one", "train", "a b a\nc\n", "1"),
        ("two", "train", "é a\n", "2"),
        ("three", "test", "a x\n\ny\n", "3"),
    ],
    columns=["document", "split", "text", "source"],
)


def fitted(documents, **parameters):
    training = documents.loc[documents["split"] == "train", "text"]
    return Tokenizer.fit(TokenizerParameters(**parameters), training)


def test_a_stream_has_the_bounds_of_its_documents():
    tokenizer = fitted(DOCUMENTS, kind="whitespace")
    stream = encode_split(tokenizer, DOCUMENTS, "train")
    words = ["a", "b", "a", "</s>", "c", "</s>", "é", "a", "</s>"]
    assert tokenizer.vocabulary.decode(stream.ids) == words
    assert stream.ids.dtype == np.int32
    assert stream.documents == ("one", "two")
    assert stream.document_bounds.tolist() == [0, 6, 9]
    assert stream.document_bytes.tolist() == [8, 5]
    assert stream.document_words.tolist() == [4, 2]
    assert stream.vocabulary_size == len(tokenizer.vocabulary) == 6


def test_training_counts_are_the_counts_of_the_training_stream():
    tokenizer = fitted(DOCUMENTS, vocabulary_size=2)
    stream = encode_split(tokenizer, DOCUMENTS, "train")
    assert np.bincount(stream.ids).tolist() == tokenizer.vocabulary.counts.tolist()


@pytest.mark.parametrize("size", [1, 2, 4, 100])
def test_all_types_have_an_id_whatever_the_vocabulary_leaves_out(size):
    tokenizer = fitted(DOCUMENTS, vocabulary_size=size)
    stream = encode_all_types(tokenizer, DOCUMENTS)
    assert np.bincount(stream.ids).tolist() == [0, 3, 3, 1, 1, 1]  # </s> a b c é
    assert stream.document_bounds.tolist() == [0, 6, 9]
    assert stream.vocabulary_size == 6


def test_all_types_are_split_as_the_tokenizer_splits():
    tokenizer = fitted(DOCUMENTS, kind="character", vocabulary_size=1)
    assert len(encode_all_types(tokenizer, DOCUMENTS)) == len("a b ac") + len("é a") + 3


def test_an_empty_split_is_an_error():
    with pytest.raises(MemoryspanError, match="validation split holds no text"):
        encode_split(fitted(DOCUMENTS), DOCUMENTS, "validation")


def test_coverage_by_hand():
    tokenizer = fitted(DOCUMENTS, kind="whitespace")
    streams = {split: encode_split(tokenizer, DOCUMENTS, split) for split in ("train", "test")}
    table = coverage_table(streams, tokenizer.vocabulary).set_index("split")
    assert table.columns.tolist() == [
        "tokens",
        "sentences",
        "unknown_tokens",
        "unknown_rate",
        "distinct_types",
        "vocabulary_share",
    ]
    assert table.loc["train"].tolist() == [9, 3, 0, 0, 5, pytest.approx(5 / 6)]
    assert table.loc["test"].tolist() == [5, 2, 2, pytest.approx(2 / 3), 3, pytest.approx(3 / 6)]


def test_vocabulary_table_by_hand():
    table = vocabulary_table(fitted(DOCUMENTS, kind="whitespace").vocabulary)
    assert table["token"].tolist() == ["<unk>", "</s>", "a", "b", "c", "é"]
    assert table["count"].tolist() == [0, 3, 3, 1, 1, 1]
    assert table["share"].tolist() == pytest.approx([0, 3 / 9, 3 / 9, 1 / 9, 1 / 9, 1 / 9])
    assert table["cumulative_share"].iloc[-1] == pytest.approx(1)
    assert table["id"].tolist() == list(range(6))


def test_wikitext_has_the_token_counts_of_the_literature(shared_data, tmp_path):
    parameters = CorpusParameters(source=str(shared_data / "wikitext-2"))
    documents = read_documents(parameters, {}, tmp_path, seed=0)
    tokenizer = fitted(documents, kind="whitespace", keep_blank_lines=True, vocabulary_size=100_000)
    # Merity et al. (2016): 33,278 types, among them <unk> and the line end.
    assert len(tokenizer.vocabulary) == 33_278
    assert tokenizer.vocabulary.counts.sum() == 2_088_628
    assert len(encode_split(tokenizer, documents, "validation")) == 217_646
    assert len(encode_split(tokenizer, documents, "test")) == 245_569


def test_a_chinese_novel_by_characters(shared_data, tmp_path):
    source = str(shared_data / "chinese" / "红楼梦.txt")
    documents = read_documents(CorpusParameters(source=source), {}, tmp_path, seed=0)
    tokenizer = fitted(documents, kind="character")
    test = documents.loc[documents["split"] == "test", "text"].item()
    stream = encode_split(tokenizer, documents, "test")
    assert len(stream) == len(test)  # every character, and </s> for every line end
    assert stream.document_bytes.tolist() == [len(test.encode())]
    assert stream.unknown_rate < 0.005
    known = tokenizer.decode(stream.ids).replace("<unk>", "�")
    assert sum(a != b for a, b in zip(known, test, strict=True)) == np.count_nonzero(
        stream.ids == 0
    )


def test_names_by_characters(shared_data, tmp_path):
    source = str(shared_data / "names" / "names.txt")
    documents = read_documents(CorpusParameters(source=source), {}, tmp_path, seed=0)
    assert len(fitted(documents, kind="character").vocabulary) == 26 + 2
