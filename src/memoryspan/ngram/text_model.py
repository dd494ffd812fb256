"""N-gram models for people who have sentences and want a perplexity: words in, numbers out.

from memoryspan.ngram import train

model = train(["the cat sat", "the dog sat"], order=3)
model.perplexity(["the dog slept"])
model.next_words("the", 5)               # [("dog", −0.9…), …], nats
model.write_arpa("model.arpa.gz")
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.argument_checks import (
    check_context,
    check_estimation,
    known_words,
    whole_number,
)
from memoryspan.ngram.arpa import read_arpa, write_arpa
from memoryspan.ngram.estimators import make_estimator
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.out_of_core.choice import count_ngrams
from memoryspan.ngram.parameters import EstimatorName, NgramParameters
from memoryspan.ngram.text_files import Progress, Text, read_text
from memoryspan.ngram.text_scores import TextScores
from memoryspan.ngram.trie import Ints
from memoryspan.ngram.words import WordTable
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END, END_ID, UNKNOWN, UNKNOWN_ID, Vocabulary

DEFAULTS = NgramParameters()


@dataclass(frozen=True)
class TextModel:
    """An n-gram model together with its words.

    Attributes:
        model: probabilities over token ids.
        vocabulary: what the ids stand for: ``<unk>``, ``</s>``, then the words.
        notes: what was odd in the ARPA file that it came from, if any.
    """

    model: NgramModel
    vocabulary: Vocabulary
    notes: tuple[str, ...] = ()
    _words: list[bytes] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_words", [word.encode() for word in self.vocabulary.tokens])

    @classmethod
    def from_arpa(cls, source: Path | str | BinaryIO, *, strict: bool = True) -> "TextModel":
        """The model in an ARPA file of any tool; see ``read_arpa``.

        Raises:
            MemoryspanError: it cannot be read or is not a whole, consistent ARPA file.
        """
        arpa = read_arpa(source, strict=strict)
        return cls(arpa.model, arpa.vocabulary, arpa.notes)

    def perplexity(self, text: Text) -> float:
        """exp(−mean log P) of all words and one ``</s>`` per line, unknown words included.

        Raises:
            MemoryspanError: the text is empty or cannot be read.
        """
        return self.score(text).perplexity_including_oov

    def score(self, text: Text, progress: Progress | None = None) -> TextScores:
        """Score each word of a text and the ``</s>`` after each line.

        Raises:
            MemoryspanError: the text is empty or cannot be read.
        """
        # it learns the words that the model does not know only to be able to say them
        table = WordTable(self._words, learning=True)
        ids = read_text(text, table, progress)
        known = np.where(ids < len(self.vocabulary), ids, UNKNOWN_ID)
        scores = self.model.score(TokenStream.of(known, len(self.vocabulary)))
        return TextScores(ids, scores.log_probs, scores.matched, known == UNKNOWN_ID, table)

    def next_words(self, context: str, count: int = 10) -> list[tuple[str, float]]:
        """The likeliest words after a context at the beginning of a sentence, with log P (nats).

        Raises:
            MemoryspanError: the context is no string, or has a line break or ``<s>`` in it; or
                the count is below 1.
        """
        if whole_number(count, "The count of words") < 1:
            raise MemoryspanError(f"The count of words is 1 or more, not {count}.")
        ids = read_text([check_context(context)], WordTable(self._words, learning=False))[:-1]
        row = self.model.next_log_probs(np.array([[END_ID, *ids]], np.int32))[0]
        best = np.argsort(-row, kind="stable")[:count]
        return [(self.vocabulary.tokens[i], float(row[i])) for i in best]

    def write_arpa(self, target: Path | str | BinaryIO) -> None:
        """Write to an ARPA file; see ``memoryspan.ngram.write_arpa``.

        Raises:
            MemoryspanError: the model does not back off, or the file cannot be written.
        """
        write_arpa(self.model, self.vocabulary, target)


def train(
    text: Text,
    order: int = 5,
    estimator: EstimatorName = "kneser_ney",
    *,
    parameters: NgramParameters = DEFAULTS,
    vocabulary: list[str] | None = None,
    validation: Text | None = None,
    progress: Progress | None = None,
) -> TextModel:
    """Estimate a model from a text.

    Args:
        text: a file (``pathlib.Path``), a stream of bytes, or sentences: strings, which white
            space splits, or lists of words.
        order: n-grams of up to so many words, 1–10.
        estimator: see ``EstimatorName``.
        parameters: of the estimator.
        vocabulary: the only words to know; all others become ``<unk>``, an ordinary word of the
            text. None: all words of the text.
        validation: a second text; Jelinek–Mercer learns its weights from it, others need none.
        progress: is told how many bytes were read since the last time.

    Raises:
        MemoryspanError: a text is empty or cannot be read, or an option is impossible.
    """
    check_estimation(order, estimator, parameters)
    if validation is None and estimator == "jelinek_mercer":
        raise MemoryspanError(
            "The estimator jelinek_mercer learns its weights from a validation text; give one "
            "(validation=…), or choose another estimator."
        )
    table = word_table(vocabulary)
    stream = read_stream(text, table, progress)
    counts = count_ngrams(stream, order, parameters.counting)
    tokens = vocabulary_of(table, stream.ids)
    del stream  # the ids are a good part of the memory that estimation needs
    validating = None
    if validation is not None:
        frozen = WordTable([token.encode() for token in tokens.tokens], learning=False)
        validating = read_stream(validation, frozen)
    model = make_estimator(estimator, parameters, validating).estimate(counts, order)
    return TextModel(model, tokens)


def word_table(vocabulary: list[str] | None) -> WordTable:
    """The words that may get ids: those of a vocabulary, or any that come.

    Raises:
        MemoryspanError: a word of the vocabulary cannot stand in a text.
    """
    reserved = [UNKNOWN.encode(), END.encode()]
    if vocabulary is None:
        return WordTable(reserved, learning=True)
    return WordTable([*reserved, *known_words(vocabulary)], learning=False)


def read_stream(text: Text, table: WordTable, progress: Progress | None = None) -> TokenStream:
    """The ids of a text.

    Raises:
        MemoryspanError: the text is empty or cannot be read.
    """
    ids = read_text(text, table, progress)
    return TokenStream.of(ids, len(table))


def vocabulary_of(table: WordTable, ids: Ints) -> Vocabulary:
    """The words of a table with how often they are in a text."""
    counts: NDArray[np.int64] = np.bincount(ids, minlength=len(table)).astype(np.int64)
    return Vocabulary(tuple(table.words()), counts)
