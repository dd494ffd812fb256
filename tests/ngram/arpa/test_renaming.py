import io

import numpy as np

from memoryspan.ngram import TextModel, train
from memoryspan.ngram.arpa.renaming import sayable
from memoryspan.text.vocabulary import Vocabulary


def renamed(*tokens: str) -> list[str]:
    vocabulary = Vocabulary(("<unk>", "</s>", *tokens), np.zeros(len(tokens) + 2, np.int64))
    return list(sayable(vocabulary).tokens[2:])


def test_white_space_becomes_visible() -> None:
    assert renamed("a", " ", "b c", "\t\n\r\0", "<s>", "") == ["a", "▁", "b▁c", "␉␊␍␀", "‹s›", "▁▁"]


def test_names_stay_different() -> None:
    names = renamed(" ", "▁", "▁▁", "", "‹s›", "<s>", "\n", "␊")
    assert len(set(names)) == len(names)
    assert names[1:3] == ["▁", "▁▁"]  # who had the name keeps it


def test_a_model_of_characters_can_be_written() -> None:
    words = train(["a", "b"], 2)
    tokens = ("<unk>", "</s>", "a", " ")
    model = TextModel(words.model, sayable(Vocabulary(tokens, words.vocabulary.counts)))
    stream = io.BytesIO()
    model.write_arpa(stream)
    stream.seek(0)
    assert TextModel.from_arpa(stream).vocabulary.tokens == ("<unk>", "</s>", "a", "▁")
