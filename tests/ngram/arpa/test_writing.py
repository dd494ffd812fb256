import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import NgramParameters, TextModel, train, write_arpa
from memoryspan.ngram.parameters import EstimatorName
from memoryspan.text.vocabulary import Vocabulary

SENTENCES = ["the cat sat", "the dog sat", "a dog ran", "", "über 猫 <unk> x"] * 3
BACKING_OFF = [
    name for name in get_args(EstimatorName) if name not in ("maximum_likelihood", "add_k")
]


def text_of(model: TextModel) -> bytes:
    stream = io.BytesIO()
    model.write_arpa(stream)
    return stream.getvalue()


@pytest.mark.parametrize("name", BACKING_OFF)
@pytest.mark.parametrize("order", [1, 2, 4])
def test_what_is_read_back_says_the_same(name: Any, order: int, slowly: Any) -> None:
    model = train(SENTENCES, order, name, validation=["the cat ran"])
    text = text_of(model)
    test = ["the dog ran", "a cat y", "<unk> 猫"]
    again = TextModel.from_arpa(io.BytesIO(text))
    np.testing.assert_allclose(again.score(test).log_probs, model.score(test).log_probs, atol=2e-6)
    known = ["the dog ran", "a cat", "<unk> 猫"]
    slow = slowly(text.decode()).score([sentence.split() for sentence in known])
    ours = model.score(known).log_probs / np.log(10)
    np.testing.assert_allclose(ours, slow, atol=1e-6)
    assert again.notes == ()


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=5), min_size=1, max_size=8),
    st.integers(1, 4), st.sampled_from([(), (0, 1), (0, 0, 2)]), st.sampled_from([0, 1e-2]),
)  # fmt: skip
def test_pruned_models_too(
    sentences: list[list[str]], order: int, prune: tuple[int, ...], threshold: float
) -> None:
    parameters = NgramParameters(prune=prune, entropy_threshold=threshold)
    model = train(sentences, order, parameters=parameters)
    again = TextModel.from_arpa(io.BytesIO(text_of(model)))
    test = ["a b c", "c c", "b a d"]
    np.testing.assert_allclose(again.score(test).log_probs, model.score(test).log_probs, atol=1e-5)


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    texts = set()
    for name in ("a.arpa.gz", "b.arpa.gz"):
        train(SENTENCES, 3).write_arpa(tmp_path / name)
        texts.add((tmp_path / name).read_bytes())
    assert len(texts) == 1


@pytest.mark.parametrize(("suffix", "decompress"), [
    ("", bytes), (".gz", gzip.decompress), (".bz2", bz2.decompress), (".xz", lzma.decompress)
])  # fmt: skip
def test_compressed_by_suffix(tmp_path: Path, suffix: str, decompress: Any) -> None:
    model = train(SENTENCES, 3)
    path = tmp_path / f"model.arpa{suffix}"
    model.write_arpa(path)
    assert decompress(path.read_bytes()) == text_of(model)
    assert TextModel.from_arpa(str(path)).perplexity(["the cat"]) == pytest.approx(
        model.perplexity(["the cat"]), rel=1e-6
    )


def test_what_cannot_be_said_in_the_format() -> None:
    add_k = train(SENTENCES, 2, "add_k")
    with pytest.raises(MemoryspanError, match="add_k_2 does not back off"):
        add_k.write_arpa(io.BytesIO())
    model = train(["a b"], 2)
    counts = np.zeros(4, np.int64)
    for tokens, message in (
        (("<unk>", "</s>", "a b", "c"), "token 'a b' cannot stand"),
        (("<unk>", "</s>", "", "c"), "token '' cannot stand"),
        (("<unk>", "</s>", "\ud800", "c"), "cannot stand"),
        (("<unk>", "</s>", "<s>", "c"), "<s> is in the vocabulary"),
    ):
        with pytest.raises(MemoryspanError, match=message):
            write_arpa(model.model, Vocabulary(tokens, counts), io.BytesIO())
    with pytest.raises(MemoryspanError, match=r"over 4 tokens, the vocabulary has 3"):
        write_arpa(model.model, Vocabulary(("<unk>", "</s>", "a"), counts[:3]), io.BytesIO())


def test_a_full_stream_is_named() -> None:
    class Full(io.BytesIO):
        name = "the pipe"

        def write(self, data: Any) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(MemoryspanError, match="Cannot write the pipe: No space left"):
        train(SENTENCES, 2).write_arpa(Full())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_a_full_device_is_named() -> None:
    with pytest.raises(MemoryspanError, match=r"/dev/full: No space left"):
        train([" ".join(map(str, range(9000)))], 3).write_arpa("/dev/full")


def test_a_kill_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    path.write_text("precious", encoding="utf-8")
    code = (
        "import os; from memoryspan.ngram import train\n"
        "import memoryspan.ngram.arpa.writing as writing\n"
        "real = writing.format_ngrams\n"
        "def dying(*arguments):\n"
        "    if arguments[5] == 2: os._exit(9)\n"
        "    return real(*arguments)\n"
        "writing.format_ngrams = dying\n"
        f"train(['a b c'], 3).write_arpa({str(path)!r})\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert path.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("estimator", BACKING_OFF)
@pytest.mark.parametrize("order", [2, 5])
def test_kenlm_loads_it_and_says_the_same(tmp_path: Path, estimator: Any, order: int) -> None:
    kenlm = pytest.importorskip("kenlm", reason="the extra `kenlm` is not installed")
    model = train(SENTENCES, order, estimator, validation=["the cat ran"])
    path = tmp_path / "model.arpa"
    model.write_arpa(path)
    theirs = kenlm.Model(str(path))
    test = ["the dog ran", "a cat y", "über 猫", ""]
    rows = [row for sentence in test for row in theirs.full_scores(sentence)]
    scores = model.score(test)
    np.testing.assert_allclose(
        scores.log_probs / np.log(10), [row[0] for row in rows], rtol=1e-5, atol=2e-6
    )
    np.testing.assert_array_equal(scores.unknown, [row[2] for row in rows])
