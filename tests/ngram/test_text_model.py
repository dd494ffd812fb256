from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import NgramParameters, TextModel, train

SENTENCES = ["the cat sat", "the dog sat", "a dog ran"]


def test_five_lines_from_sentences_to_an_arpa_file(tmp_path: Path) -> None:
    model = train(SENTENCES, order=3)
    path = tmp_path / "model.arpa.gz"
    model.write_arpa(path)
    again = TextModel.from_arpa(path)
    test = ["the dog ran", "a bird sat"]
    assert again.perplexity(test) == pytest.approx(model.perplexity(test), rel=1e-6)
    scores = model.score(test)
    assert (scores.tokens, scores.oov) == (8, 1)
    known = scores.log_probs[~scores.unknown]
    assert scores.perplexity_excluding_oov == pytest.approx(np.exp(-known.mean()))
    assert scores.perplexity_including_oov == pytest.approx(np.exp(-scores.log_probs.mean()))
    assert [word for word, _, _ in scores.rows()] == [
        "the",
        "dog",
        "ran",
        "</s>",
        "a",
        "bird",
        "sat",
        "</s>",
    ]


def test_maximum_likelihood_worked_by_hand() -> None:
    model = train(SENTENCES, order=2, estimator="maximum_likelihood")
    rows = list(model.score(["the dog sat"]).rows())
    # the|<s> 2/3, dog|the 1/2, sat|dog 1/2, </s>|sat 1
    np.testing.assert_allclose([row[2] for row in rows], np.log10([2 / 3, 1 / 2, 1 / 2, 1]))
    assert [row[:2] for row in rows] == [("the", 2), ("dog", 2), ("sat", 2), ("</s>", 2)]
    assert model.next_words("the", 2) == [("cat", np.log(1 / 2)), ("dog", np.log(1 / 2))]
    assert np.isinf(model.perplexity(["cat cat"]))


def test_sentences_words_and_files_are_one(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    sources = [SENTENCES, [s.split() for s in SENTENCES], path, iter(SENTENCES)]
    assert len({train(source).perplexity(["the cat ran"]) for source in sources}) == 1


def test_a_vocabulary_makes_other_words_unk() -> None:
    model = train(SENTENCES, order=2, vocabulary=["the", "dog", "dog", "</s>", "zebra"])
    assert model.vocabulary.tokens == ("<unk>", "</s>", "the", "dog", "zebra")
    assert model.vocabulary.counts.tolist() == [5, 3, 2, 2, 0]
    assert model.score(["the cat"]).oov == 1


def test_jelinek_mercer_takes_a_validation_text() -> None:
    model = train(SENTENCES, 2, "jelinek_mercer", validation=["the dog ran"])
    assert model.perplexity(["the dog ran"]) < 8
    with pytest.raises(MemoryspanError, match="validation"):
        train(SENTENCES, 2, "jelinek_mercer")


def test_the_perplexity_of_unknown_words_only_is_no_number() -> None:
    scores = train(["a"], 1).score(["b"])
    assert scores.oov == 1
    assert scores.tokens == 2
    scores = train(["a"], 1, vocabulary=["a"]).score(["<unk>"])
    assert scores.oov == 1


@pytest.mark.parametrize("sentences", [["a"], ["a a a a a a"] * 9, [""], ["", "a"]])
@pytest.mark.parametrize("estimator", ["kneser_ney", "katz", "witten_bell", "absolute_discounting"])
@pytest.mark.parametrize("order", [1, 3, 10])
def test_tiny_texts_do_not_crash(sentences: list[str], estimator: Any, order: int) -> None:
    """Where lmplz says BadDiscount."""
    model = train(sentences, order, estimator)
    row = np.exp(model.model.next_log_probs(np.array([[1]], np.int32))[0])
    assert row.sum() == pytest.approx(1, abs=1e-12)
    assert np.isfinite(model.perplexity(["a b"]))
    if estimator == "kneser_ney":
        assert {entry.origin for entry in model.model.discounts} == {"fallback"}


def test_options_reach_the_estimator() -> None:
    parameters = NgramParameters(discounts={1: (0.1, 0.2, 0.3)}, prune=(0, 1))
    model = train(SENTENCES, 2, parameters=parameters).model
    assert model.discounts[0].origin == "given"
    assert len(model.trie) < len(train(SENTENCES, 2).model.trie)
