"""What people give by mistake, and what they are told."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import TextModel, train
from memoryspan.ngram.text_files import read_word_list

SENTENCES = ["the cat sat", "the dog sat"]


@pytest.fixture(scope="module")
def model() -> TextModel:
    return train(SENTENCES, 2)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"text": None}, r"not NoneType. Write Path\("),
    ({"text": {"a": 1}}, r"not dict. Write Path\("),
    ({"text": io.StringIO("a")}, r"gives bytes.*open\(.*rb"),
    ({"text": [b"a"]}, "Sentence 1 is bytes; a sentence is a string"),
    ({"text": [["a", None]]}, "Sentence 1 is a list with NoneType in it"),
    ({"order": 0}, "The order is from 1 to 10, not 0"),
    ({"order": 11}, "The order is from 1 to 10, not 11"),
    ({"order": 2.5}, "The order is a whole number, not 2.5"),
    ({"order": "3"}, "The order is a whole number, not '3'"),
    ({"order": True}, "The order is a whole number, not True"),
    ({"estimator": "good"}, "no estimator 'good'; choose one of maximum_likelihood, "),
    ({"estimator": ["katz"]}, r"no estimator \['katz'\]"),
    ({"parameters": {"add_k": 1}}, "The parameters are dict; give NgramParameters"),
    ({"vocabulary": "the cat"}, "A vocabulary is a list of words, not str"),
    ({"vocabulary": 3}, "A vocabulary is a list of words, not int"),
    ({"vocabulary": ["a", "b c"]}, "Word 2 of the vocabulary, 'b c', cannot stand"),
    ({"vocabulary": ["a", ""]}, "Word 2 of the vocabulary, '', cannot stand"),
    ({"vocabulary": ["a", None]}, "Word 2 of the vocabulary, None, cannot stand"),
    ({"vocabulary": ["<s>", "<unk>"]}, "The vocabulary has no words"),
    ({"estimator": "jelinek_mercer"}, "learns its weights from a validation text"),
])  # fmt: skip
def test_training(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(MemoryspanError, match=message):
        train(**{"text": SENTENCES, "order": 2, **arguments})


@pytest.mark.parametrize(("context", "count", "message"), [
    ("the", 0, "count of words is 1 or more, not 0"),
    ("the", -3, "count of words is 1 or more, not -3"),
    ("the", "3", "count of words is a whole number, not '3'"),
    ("the", None, "count of words is a whole number, not None"),
    (None, 1, "A context is a string such as"),
    (b"the", 1, "A context is a string .* not bytes"),
    (["the"], 1, 'A context is a string .* not list; join words by " "'),
    ("the\ncat", 1, "The context has a line break"),
    ("<s> the", 1, "The context has <s> or </s> in it"),
])  # fmt: skip
def test_next_words(model: TextModel, context: Any, count: Any, message: str) -> None:
    with pytest.raises(MemoryspanError, match=message):
        model.next_words(context, count)


def test_numbers_of_numpy_are_numbers(model: TextModel) -> None:
    assert len(model.next_words("the", np.int64(3))) == 3  # type: ignore[arg-type]
    assert train(SENTENCES, np.int32(2)).model.context_order == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, 3, b"the cat", "the cat", [1], [None], {"a": 1}])
def test_scoring(model: TextModel, text: Any) -> None:
    for score in (model.score, model.perplexity):
        with pytest.raises(MemoryspanError, match=r"is a pathlib\.Path or a list|a sentence is a"):
            score(text)


@pytest.mark.parametrize("file", ["", None, 3, b"m.arpa", io.StringIO("x")])
def test_arpa_files(model: TextModel, file: Any) -> None:
    for use in (TextModel.from_arpa, model.write_arpa):
        with pytest.raises(MemoryspanError, match=r"stream of bytes, not|is empty"):
            use(file)


def test_a_vocabulary_file_of_another_tool(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes("<unk>\n<s>\n</s>\r\nthe\tcat\nthe \u3000\x0b".encode())
    assert read_word_list(path) == ["the", "cat", "\u3000\x0b"]
    path.write_bytes(b"a\n\nb\xff\n")
    with pytest.raises(MemoryspanError, match=r"words\.txt, line 3: not UTF-8"):
        read_word_list(path)
    path.write_bytes(b" \n<s>")
    with pytest.raises(MemoryspanError, match=r"words\.txt has no words"):
        read_word_list(path)
