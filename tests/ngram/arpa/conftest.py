"""A back-off model as its definition says, from a few lines of Python: slow and plain."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO

import pytest

from memoryspan.ngram.arpa import ArpaModel, read_arpa

Ngrams = dict[tuple[str, ...], tuple[float, float]]


@dataclass
class SlowModel:
    """log10 P and log10 back-off weight of each n-gram; ``<s>`` and ``</s>`` are two words."""

    ngrams: Ngrams = field(default_factory=dict)

    def log10_prob(self, context: tuple[str, ...], word: str) -> float:
        if (*context, word) in self.ngrams:
            return self.ngrams[*context, word][0]
        if not context:
            return -math.inf
        backoff = self.ngrams.get(context, (0.0, 0.0))[1]
        return backoff + self.log10_prob(context[1:], word)

    def score(self, sentences: Sequence[Sequence[str]]) -> list[float]:
        """log10 P of each word and each end of sentence."""
        scores = []
        for sentence in sentences:
            words = ("<s>", *sentence, "</s>")
            scores += [self.log10_prob(words[:p], words[p]) for p in range(1, len(words))]
        return scores


def slow_model(text: str) -> SlowModel:
    """Read a well-formed ARPA text."""
    model = SlowModel()
    order = 0
    for line in f"\n{text}".split("\n\\data\\", 1)[1].split("\n"):
        if line.startswith("\\") and line.endswith("-grams:"):
            order = int(line[1:-7])
        elif order and line.strip() and not line.startswith("\\"):
            fields = line.split()
            backoff = float(fields[order + 1]) if len(fields) > order + 1 else 0.0
            model.ngrams[tuple(fields[1 : order + 1])] = float(fields[0]), backoff
    return model


def arpa_text(ngrams: Ngrams) -> str:
    """The text of a model."""
    orders = [[key for key in ngrams if len(key) == n] for n in range(1, max(map(len, ngrams)) + 1)]
    lines = ["\\data\\", *(f"ngram {n}={len(keys)}" for n, keys in enumerate(orders, start=1)), ""]
    for n, keys in enumerate(orders, start=1):
        lines.append(f"\\{n}-grams:")
        for key in keys:
            prob, backoff = ngrams[key]
            lines.append(f"{prob}\t{' '.join(key)}" + (f"\t{backoff}" if backoff else ""))
        lines.append("")
    return "\n".join([*lines, "\\end\\", ""])


@pytest.fixture(scope="session")
def slowly() -> Callable[[str], SlowModel]:
    return slow_model


@pytest.fixture(scope="session")
def text_of() -> Callable[[Ngrams], str]:
    return arpa_text


@pytest.fixture(scope="session")
def read() -> Callable[..., ArpaModel]:
    """Read an ARPA text."""

    def read_text(text: str | bytes, **options: bool) -> ArpaModel:
        return read_arpa(BytesIO(text if isinstance(text, bytes) else text.encode()), **options)

    return read_text


@pytest.fixture(scope="session")
def score() -> Callable[[ArpaModel, Sequence[Sequence[str]]], list[float]]:
    """log10 P of each word and each end of sentence."""
    import numpy as np

    from memoryspan.text.streams import TokenStream

    def score_sentences(arpa: ArpaModel, sentences: Sequence[Sequence[str]]) -> list[float]:
        ids = arpa.vocabulary.encode(word for s in sentences for word in (*s, "</s>"))
        stream = TokenStream.of(ids, len(arpa.vocabulary))
        return [float(nats) / np.log(10) for nats in arpa.model.token_log_probs(stream)]

    return score_sentences
