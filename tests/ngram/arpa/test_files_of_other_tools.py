"""Every ARPA file among the shared data: what is odd in it, and its scores."""

import bz2
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import TextModel

SPACES = "lines with spaces for tabs"
NO_UNKNOWN = "no <unk>"
NOTES = {
    "kaldi__0.1k_3gram_unpruned.arpa": [SPACES],
    "kaldi__input.arpa": [SPACES, NO_UNKNOWN, "n-grams without their suffix"],
    "kaldi__missing_bos.arpa": [SPACES, NO_UNKNOWN, "no <s>", "n-grams without their suffix"],
    "kenlm__test.arpa": ["contexts without a back-off weight", "n-grams without their suffix"],
    "kenlm__test_nounk.arpa": [
        NO_UNKNOWN, "contexts without a back-off weight", "n-grams without their suffix",
    ],
    "pocketsphinx__100.lm.bz2": [
        "lines of other text before", SPACES, "<UNK> is read as <unk>",
        "back-off weights after </s>", "n-grams with <s> after or </s> before another word",
    ],
    "pocketsphinx__turtle.lm": [
        "lines of other text before", SPACES, NO_UNKNOWN, "probability of <s>",
        "back-off weights after </s>",
    ],
    "sphinx4__an4_spelling.bigram.lm": [
        "lines of other text before", SPACES, "<UNK> is read as <unk>",
    ],
    "sphinx4__an4_words.trigram.lm": [
        "lines of other text before", SPACES, "<UNK> is read as <unk>", "probability of <s>",
        "back-off weights after </s>", "n-grams with <s> after or </s> before another word",
    ],
}  # fmt: skip
REFUSED = {
    "kaldi__missing_backoffs.arpa": "line 18: there is no 2-gram that this 3-gram begins with",
    "kaldi__unused_backoffs.arpa": "line 24: there is no 3-gram that this 4-gram begins with",
    "pocketsphinx__not-enough-ngrams.arpa": r"line 4: expected 'ngram 1=…', not '\\\\1-grams:'",
    "pocketsphinx__too-many-ngrams.arpa": "line 12: the file ends here, after 1 of 91 1-grams",
}


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "arpa"


def text_of(path: Path) -> str:
    raw = path.read_bytes()
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress}.get(path.suffix, bytes)
    return unpack(raw).decode("utf-8").replace("<UNK>", "<unk>")


def sentences_of(model: TextModel) -> list[str]:
    """Random sentences of its words."""
    rng = np.random.default_rng(7)
    words = list(model.vocabulary.tokens[2:])
    return [" ".join(rng.choice(words, size=rng.integers(0, 9))) for _ in range(200)]


@pytest.mark.parametrize("name", NOTES)
def test_what_is_odd_is_noted_and_every_score_is_that_of_the_definition(
    folder: Path, name: str, slowly: Any
) -> None:
    model = TextModel.from_arpa(folder / name)
    assert len(model.notes) == len(NOTES[name])
    for note, expected in zip(model.notes, NOTES[name], strict=True):
        assert note.startswith(expected)
    sentences = sentences_of(model)
    slow = slowly(text_of(folder / name)).score([sentence.split() for sentence in sentences])
    log10_probs = model.score(sentences).log_probs / np.log(10)
    possible = np.array(slow) > -50
    assert possible.mean() > 0.5
    np.testing.assert_allclose(log10_probs[possible], np.array(slow)[possible], atol=1e-9)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_named_with_its_line(folder: Path, name: str) -> None:
    with pytest.raises(MemoryspanError, match=f"{name}, {REFUSED[name]}"):
        TextModel.from_arpa(folder / name)


@pytest.mark.parametrize("name", ["kaldi__missing_backoffs.arpa", "kaldi__unused_backoffs.arpa"])
def test_tolerantly_as_kaldi_reads_them(folder: Path, name: str) -> None:
    model = TextModel.from_arpa(folder / name, strict=False)
    assert "n-grams without their prefix, left out: 1" in model.notes


def test_compressed_both_ways_it_is_one_model(folder: Path) -> None:
    models = [TextModel.from_arpa(folder / f"pocketsphinx__100.lm.{s}") for s in ("gz", "bz2")]
    scores = [model.score(sentences_of(model)).log_probs for model in models]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("name", [*NOTES])
def test_kenlm_reads_the_same(folder: Path, name: str) -> None:
    kenlm = pytest.importorskip("kenlm", reason="the extra `kenlm` is not installed")
    try:
        theirs = kenlm.Model(str(folder / name))
    except OSError as error:
        pytest.skip(f"KenLM cannot load it: {str(error).splitlines()[0][:150]}")
    model = TextModel.from_arpa(folder / name)
    sentences = sentences_of(model)
    rows = [row for sentence in sentences for row in theirs.full_scores(sentence)]
    log10_probs = model.score(sentences).log_probs / np.log(10)
    possible = np.isfinite(log10_probs)
    np.testing.assert_allclose(
        log10_probs[possible], np.array([row[0] for row in rows])[possible], rtol=1e-5, atol=1e-5
    )
