from typing import Any

import numpy as np
import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.ngram.chance import UniformModel, UnigramModel
from memoryspan.text.streams import TokenStream


def test_uniform_perplexity_is_the_vocabulary_size(corpus_of: Any) -> None:
    corpus = corpus_of(["a b", "a"], ["b b"])
    model = UniformModel(4)
    perplexity = np.exp(-model.token_log_probs(corpus.test).mean())
    assert perplexity == pytest.approx(4)
    assert (model.name, model.family, model.context_order) == ("uniform", "chance", 0)
    assert model.parameter_count == 0


def test_unigram_adds_one(corpus_of: Any) -> None:
    corpus = corpus_of(["a b", "a"], ["b c"])
    model = UnigramModel.of(corpus.train)  # <unk> 0, </s> 2, a 2, b 1: 5 + 4
    row = np.array([1, 3, 3, 2]) / 9
    np.testing.assert_allclose(np.exp(model.next_log_probs(np.zeros((2, 3), np.int32))), [row, row])
    np.testing.assert_allclose(np.exp(model.token_log_probs(corpus.test)), row[[3, 0, 1]])
    assert (model.name, model.family, model.context_order) == ("unigram", "chance", 0)
    assert model.parameter_count == 4


@pytest.mark.parametrize("window", [None, 0, 3])
def test_windows_change_nothing(corpus_of: Any, window: int | None) -> None:
    corpus = corpus_of(["a b", "a"], ["b b"])
    model = UnigramModel.of(corpus.train)
    np.testing.assert_array_equal(
        model.token_log_probs(corpus.test, window), model.token_log_probs(corpus.test)
    )


def test_are_language_models(corpus_of: Any) -> None:
    assert isinstance(UniformModel(3), LanguageModel)
    assert isinstance(UnigramModel.of(corpus_of(["a"]).train), LanguageModel)


def test_ids_outside_the_vocabulary() -> None:
    with pytest.raises(MemoryspanError, match="outside the 3 tokens"):
        UniformModel(3).token_log_probs(TokenStream.of(np.array([3], np.int32), 4))
