"""N-gram models: what every estimator of this room gives."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoryspan.archive import Arrays, Header, write_archive
from memoryspan.language_model import Family, Floats, Ids
from memoryspan.ngram.discounts import Discounts
from memoryspan.ngram.parameters import Precision
from memoryspan.ngram.scoring import Tables, next_rows, score_range
from memoryspan.ngram.streams import checked_ids
from memoryspan.ngram.trie import NgramTrie
from memoryspan.text.streams import TokenStream

KIND = "memoryspan n-gram model"
DTYPES: dict[Precision, type[np.floating]] = {"double": np.float64, "single": np.float32}
TOKENS_PER_TASK = 200_000
THREADS = 2


@dataclass(frozen=True)
class NgramScores:
    """A scored stream.

    Attributes:
        log_probs: float64 [N], nats.
        matched: int8 [N], the order of the longest n-gram ending in each token that the model
            has (1: no context helped).
    """

    log_probs: Floats
    matched: NDArray[np.int8]


@dataclass
class NgramModel:
    """log P(w|h) of the n-gram hw if it is in the trie, else log back-off of h + log P(w|h′).

    Attributes:
        name: ``kneser_ney_5``, …
        trie: the n-grams.
        log_prob: float [nodes], log P(w_n | w₁…w_{n−1}), nats. Node 0, the empty n-gram, has that
            of any token where nothing is known of it.
        log_backoff: float [first[N]], log back-off weight of each context, nats. A context that
            is not in the trie has weight 1.
        backs_off: True: what was not seen after a context has the context's weight times its
            probability after the shorter context. False (add-k, maximum likelihood): times
            that of the empty n-gram, whatever the shorter contexts say.
        discounts: what was discounted at each order, if anything.
    """

    name: str
    trie: NgramTrie = field(repr=False)
    log_prob: NDArray[np.floating] = field(repr=False)
    log_backoff: NDArray[np.floating] = field(repr=False)
    backs_off: bool = True
    discounts: tuple[Discounts, ...] = ()
    family: Family = field(default="n-gram", init=False)
    vocabulary_size: int = field(init=False)
    context_order: int | None = field(init=False)
    parameter_count: int = field(init=False)

    def __post_init__(self) -> None:
        self.vocabulary_size = self.trie.vocabulary_size
        self.context_order = self.trie.order - 1
        self.parameter_count = len(self.log_prob) - 1 + len(self.log_backoff) - 1

    def restricted(self, kept: NDArray[np.bool_]) -> "NgramModel":
        """The model with some of its n-grams only; probabilities and weights are as they were.

        Args:
            kept: [nodes], see ``NgramTrie.restricted``.
        """
        if kept.all():
            return self
        return replace(
            self,
            trie=self.trie.restricted(kept),
            log_prob=self.log_prob[kept],
            log_backoff=self.log_backoff[kept[: len(self.log_backoff)]],
        )

    def in_precision(self, precision: Precision) -> "NgramModel":
        """The model with its probabilities and weights stored in double or single precision."""
        dtype = DTYPES[precision]
        return replace(
            self,
            log_prob=self.log_prob.astype(dtype, copy=False),
            log_backoff=self.log_backoff.astype(dtype, copy=False),
        )

    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """See ``LanguageModel``: float64 [N], nats."""
        return self.score(stream, window).log_probs

    def sentence_log_probs(self, stream: TokenStream) -> Floats:
        """See ``SentenceScorer``: it starts anew at every sentence anyhow."""
        return self.token_log_probs(stream)

    def score(self, stream: TokenStream, window: int | None = None) -> NgramScores:
        """Score a stream; also say which n-gram each probability comes from.

        Args:
            stream: N ids.
            window: if given, tokens of context at most; what begins inside a sentence is then a
                fragment, without a sentence start before it.

        Raises:
            MemoryspanError: an id is outside the model's vocabulary.
        """
        ids = checked_ids(stream.ids, self.vocabulary_size)
        scores = NgramScores(np.empty(len(ids)), np.empty(len(ids), np.int8))
        reach = self.trie.order - 1 if window is None else min(window, self.trie.order - 1)

        def score_from(begin: int) -> None:
            part = slice(begin, begin + TOKENS_PER_TASK)
            score_range(
                *self._tables(reach), ids, begin, scores.log_probs[part], scores.matched[part]
            )

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(score_from, range(0, len(ids), TOKENS_PER_TASK)))
        return scores

    def next_log_probs(self, contexts: Ids) -> Floats:
        """See ``LanguageModel``: float64 [B, V], nats.

        Raises:
            MemoryspanError: an id is outside the model's vocabulary.
        """
        contexts = checked_ids(contexts, self.vocabulary_size)
        rows = np.empty((len(contexts), self.vocabulary_size))
        next_rows(*self._tables(self.trie.order - 1), contexts, rows)
        return rows

    def _tables(self, reach: int) -> Tables:
        """What the compiled loops take first."""
        trie = self.trie
        return (
            *(trie.first, trie.word, trie.child, trie.suffix),
            *(self.log_prob, self.log_backoff, self.backs_off, reach),
        )

    def save(self, path: Path) -> None:
        """Write to a file (atomically, without pickle).

        Raises:
            MemoryspanError: the file cannot be written.
        """
        header = {
            "kind": KIND,
            "name": self.name,
            "backs_off": self.backs_off,
            "discounts": [asdict(discounts) for discounts in self.discounts],
        }
        tables = {"log_prob": self.log_prob, "log_backoff": self.log_backoff}
        write_archive(path, header, {**self.trie.arrays(), **tables})

    @classmethod
    def from_archive(cls, header: Header, arrays: Arrays) -> "NgramModel":
        """The model in an archive.

        Raises:
            KeyError, TypeError, ValueError: something is missing or does not fit.
        """
        trie = NgramTrie.from_arrays(arrays)
        log_prob, log_backoff = arrays["log_prob"], arrays["log_backoff"]
        kinds = {(table.dtype.kind, table.ndim) for table in (log_prob, log_backoff)}
        sizes = (len(log_prob), len(log_backoff))
        if kinds != {("f", 1)} or sizes != (len(trie), int(trie.first[-2])):
            raise ValueError("its probabilities do not fit its n-grams")
        discounts = (
            Discounts(**{**entry, "values": tuple(entry["values"])})
            for entry in header["discounts"]
        )
        return cls(
            name=str(header["name"]),
            trie=trie,
            log_prob=log_prob,
            log_backoff=log_backoff,
            backs_off=bool(header["backs_off"]),
            discounts=tuple(discounts),
        )


def empty_tables(
    trie: NgramTrie, precision: Precision
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Room for a probability per node and a back-off weight per context."""
    dtype = DTYPES[precision]
    return np.empty(len(trie), dtype), np.empty(int(trie.first[-2]), dtype)


def in_logarithms(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Natural logarithms, in place; zero becomes −inf."""
    with np.errstate(divide="ignore"):
        np.log(values, out=values)
    return values
