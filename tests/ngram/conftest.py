"""Corpora that the n-gram tests share."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryspan.ngram.counts import NgramCounts
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END, END_ID, UNKNOWN, Vocabulary


@dataclass(frozen=True)
class Corpus:
    """A training and a test stream; token ids in order of first occurrence."""

    train: TokenStream
    test: TokenStream
    vocabulary: Vocabulary
    counts: NgramCounts


def _read(lines: Iterable[str], id_of: dict[str, int], grow: bool) -> list[int]:
    ids = []
    for line in lines:
        for word in line.split(" ") if line else []:
            if grow:
                id_of.setdefault(word, len(id_of))
            ids.append(id_of.get(word, 0))
        ids.append(END_ID)
    return ids


def _corpus(train_lines: Sequence[str], test_lines: Sequence[str], order: int) -> Corpus:
    id_of = {UNKNOWN: 0, END: END_ID}
    train = np.array(_read(train_lines, id_of, grow=True), np.int32)
    test = np.array(_read(test_lines, id_of, grow=False), np.int32)
    stream = TokenStream.of(train, len(id_of))
    return Corpus(
        train=stream,
        test=TokenStream.of(test, len(id_of)),
        vocabulary=Vocabulary(tuple(id_of), np.bincount(train, minlength=len(id_of))),
        counts=NgramCounts.of(stream, order),
    )


@pytest.fixture(scope="session")
def corpus_of() -> Callable[..., Corpus]:
    """Make a corpus from lines of text."""

    def make(train: Sequence[str], test: Sequence[str] = (), order: int = 3) -> Corpus:
        return _corpus(train, test, order)

    return make


@pytest.fixture(scope="session")
def stream_of() -> Callable[[Sequence[Sequence[int]], int], TokenStream]:
    """Make a stream from sentences of ids."""

    def make(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> TokenStream:
        ids = [token for sentence in sentences for token in (*sentence, END_ID)]
        return TokenStream.of(np.array(ids, np.int32), vocabulary_size)

    return make


@pytest.fixture(scope="session")
def kenlm_summary(shared_data: Path) -> dict[str, Any]:
    """What lmplz and query said of two corpora."""
    path = shared_data / "kenlm-reference" / "summary.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def tinyshakespeare(shared_data: Path) -> Corpus:
    """Split at single spaces; empty lines are sentences."""
    folder = shared_data / "kenlm-reference"
    train, test = (
        (folder / f"tinyshakespeare.{split}.txt").read_text(encoding="utf-8").removesuffix("\n")
        for split in ("train", "test")
    )
    return _corpus(train.split("\n"), test.split("\n"), order=5)


@pytest.fixture(scope="session")
def wikitext(shared_data: Path) -> Corpus:
    """Blank lines dropped, ``<unk>`` renamed as lmplz refuses it."""

    def lines(split: str) -> list[str]:
        text = (shared_data / "wikitext-2" / f"wiki.{split}.tokens").read_text(encoding="utf-8")
        rows = (" ".join(line.split()) for line in text.split("\n"))
        return [row.replace("<unk>", "<rare>") for row in rows if row]

    return _corpus(lines("train"), lines("test"), order=5)
