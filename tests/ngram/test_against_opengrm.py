"""Held to OpenGrm's Witten–Bell model of "The Importance of Being Earnest", order 5."""

from pathlib import Path

import numpy as np
import pytest

from memoryspan.ngram import TextModel, train
from memoryspan.text.vocabulary import END

LOG_10 = np.log(10)


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "opengrm-earnest"


@pytest.fixture(scope="module")
def theirs(folder: Path) -> TextModel:
    return TextModel.from_arpa(folder / "earnest.arpa")


@pytest.fixture(scope="module")
def ours(folder: Path) -> TextModel:
    return train(folder / "earnest.txt", 5, "witten_bell")


def ngrams(model: TextModel, n: int) -> list[tuple[str, ...]]:
    """All n-grams of one order in words; a start of a sentence is ``</s>`` too."""
    columns = [model.vocabulary.decode(column) for column in model.model.trie.words(n)]
    return list(zip(*columns, strict=True))


def test_the_file_scores_the_text_as_ngramperplexity_did(theirs: TextModel, folder: Path) -> None:
    scores = theirs.score(folder / "earnest.txt")
    first, second = (folder / "earnest.perp").read_text(encoding="utf-8").splitlines()[:2]
    assert first == "1688 sentences, 17897 words, 0 OOVs"
    assert (scores.tokens, scores.oov) == (17897 + 1688, 0)
    log10_prob = scores.log_probs.sum() / LOG_10
    assert second == (
        f"logprob(base 10)= {log10_prob:.2f};  perplexity = {scores.perplexity_excluding_oov:.4f}"
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_weight_of_every_context(theirs: TextModel, ours: TextModel, n: int) -> None:
    """γ(h) = T(h) / (c(h) + T(h)) does not depend on what is below the unigrams."""
    expected = dict(zip(ngrams(theirs, n), theirs.model.log_backoff[theirs.model.trie.level(n)],
                        strict=True))  # fmt: skip
    found = dict(zip(ngrams(ours, n), ours.model.log_backoff[ours.model.trie.level(n)],
                     strict=True))  # fmt: skip
    # the file leaves out n-grams that end in </s>: they are no contexts
    contexts = [ngram for ngram in expected if n == 1 or ngram[-1] != END]
    assert len(contexts) > 2000
    np.testing.assert_allclose(
        np.array([found[ngram] for ngram in contexts if ngram != ("<unk>",)]) / LOG_10,
        np.array([expected[ngram] for ngram in contexts if ngram != ("<unk>",)]) / LOG_10,
        atol=2e-6,
    )


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_share_of_every_ngram(theirs: TextModel, ours: TextModel, n: int) -> None:
    """α(hw) = p(hw) − γ(h) · p(h′w) = c(hw) / (c(h) + T(h)), in both models."""
    shares = []
    for model in (theirs.model, ours.model):
        trie, level = model.trie, model.trie.level(n)
        parent = np.repeat(np.arange(len(trie.child) - 1), np.diff(trie.child))
        context = parent[level.start - 1 : level.stop - 1]
        probability = np.exp(model.log_prob)
        weight = np.exp(model.log_backoff[context])
        shares.append(probability[level] - weight * probability[trie.suffix[level]])
    expected = dict(zip(ngrams(theirs, n), shares[0], strict=True))
    found = dict(zip(ngrams(ours, n), shares[1], strict=True))
    assert expected.keys() == found.keys()
    np.testing.assert_allclose(
        [found[ngram] for ngram in expected], [*expected.values()], rtol=1e-5, atol=1e-6
    )
