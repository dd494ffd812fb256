"""Models that know nothing of the context: the chance rows of every table."""

from pathlib import Path

import numpy as np

from memoryspan.archive import Arrays, Header, write_archive
from memoryspan.language_model import Family, Floats, Ids
from memoryspan.ngram.streams import checked_ids
from memoryspan.text.streams import TokenStream

KIND = "memoryspan chance model"


class ContextFreeModel:
    """P(w), whatever came before.

    Attributes:
        log_prob: float64 [V], nats.
    """

    name: str
    family: Family = "chance"
    context_order: int | None = 0
    parameter_count: int

    def __init__(self, log_prob: Floats) -> None:
        self.log_prob = log_prob
        self.vocabulary_size = len(log_prob)

    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """See ``LanguageModel``: float64 [N], nats."""
        return self.log_prob[checked_ids(stream.ids, self.vocabulary_size)]

    def sentence_log_probs(self, stream: TokenStream) -> Floats:
        """See ``SentenceScorer``: no context, no difference."""
        return self.token_log_probs(stream)

    def next_log_probs(self, contexts: Ids) -> Floats:
        """See ``LanguageModel``: float64 [B, V], nats."""
        return np.tile(self.log_prob, (len(contexts), 1))

    def save(self, path: Path) -> None:
        """Write to a file (atomically, without pickle).

        Raises:
            MemoryspanError: the file cannot be written.
        """
        write_archive(path, {"kind": KIND, "name": self.name}, {"log_prob": self.log_prob})


class UniformModel(ContextFreeModel):
    """P(w) = 1/V: its perplexity is V."""

    name = "uniform"
    parameter_count = 0

    def __init__(self, vocabulary_size: int) -> None:
        super().__init__(np.full(vocabulary_size, -np.log(vocabulary_size)))


class UnigramModel(ContextFreeModel):
    """P(w) = (Count(w) + 1) / (N + V).

    One is added to each count (Laplace) so that a token that the training stream does not have,
    such as ``<unk>``, is not impossible.
    """

    name = "unigram"

    def __init__(self, log_prob: Floats) -> None:
        super().__init__(log_prob)
        self.parameter_count = len(log_prob)

    @classmethod
    def of(cls, stream: TokenStream) -> "UnigramModel":
        """The smoothed relative frequencies in a training stream."""
        ids = checked_ids(stream.ids, stream.vocabulary_size)
        counts = np.bincount(ids, minlength=stream.vocabulary_size) + 1
        return cls(np.log(counts / counts.sum()))


def chance_model_from_archive(header: Header, arrays: Arrays) -> ContextFreeModel:
    """The model in an archive.

    Raises:
        KeyError, ValueError: something is missing or does not fit.
    """
    log_prob = arrays["log_prob"]
    if log_prob.dtype != np.float64 or log_prob.ndim != 1:
        raise ValueError("its probabilities are no list of numbers")
    if header["name"] == UniformModel.name:
        return UniformModel(len(log_prob))
    return UnigramModel(log_prob)
