"""The words of an ARPA file, and the ids that they get here."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.arpa.lines import Lines, excerpt
from memoryspan.ngram.arpa.notes import Notes
from memoryspan.ngram.arpa.sections import ngram_lines
from memoryspan.ngram.trie import Ints
from memoryspan.ngram.words import WordIndex
from memoryspan.text.vocabulary import END, END_ID, UNKNOWN, UNKNOWN_ID, Vocabulary

Columns = tuple[NDArray[np.float64] | NDArray[np.int64] | Ints, ...]
START = "<s>"
UNKNOWN_IN_CAPITALS = "<UNK>"  # what the CMU toolkit writes


@dataclass(frozen=True)
class Unigrams:
    """The 1-grams of a file.

    Attributes:
        vocabulary: all words that can be predicted.
        index: the words of the file.
        ids: int32 [words of the file], their ids; that of ``<s>``, which cannot be predicted, is
            ``start``.
        log10_prob: float64 [V], −inf for those that the file does not have.
        log10_backoff: float64 [V], NaN where there is none; at ``</s>`` it is that of ``<s>``.
    """

    vocabulary: Vocabulary
    index: WordIndex
    ids: Ints
    log10_prob: NDArray[np.float64]
    log10_backoff: NDArray[np.float64]

    @property
    def start(self) -> int:
        """What stands for ``<s>`` in ``ids``."""
        return len(self.vocabulary)


def read_unigrams(lines: Lines, declared: int, notes: Notes) -> Unigrams:
    """Read the 1-grams, from the line after the keyword to the next one.

    Raises:
        MemoryspanError: see ``ngram_lines``; or a word comes twice.
    """
    words: list[bytes] = []
    columns: list[Columns] = []
    for part in ngram_lines(lines, 1, declared, notes):
        block = lines.block
        words += [block[begin:end] for begin, end in part.places[:, 0].tolist()]
        columns.append((part.log10_prob, part.log10_backoff, part.line))
    probs, backoffs, line = map(np.concatenate, zip(*columns, strict=True))
    index = WordIndex(words)
    if index.duplicate >= 0:
        word, number = words[index.duplicate], int(line[index.duplicate])
        raise lines.error(f"the word {excerpt(word)} is among the 1-grams already", number)
    vocabulary, ids = _assign_ids([*map(bytes.decode, words)], notes)
    predicted, context = ids < len(vocabulary), ids != END_ID
    _note_useless(probs[~predicted], backoffs[~context], notes)
    log10_prob = np.full(len(vocabulary), -np.inf)
    log10_prob[ids[predicted]] = probs[predicted]
    log10_backoff = np.full(len(vocabulary), np.nan)
    log10_backoff[np.where(predicted, ids, END_ID)[context]] = backoffs[context]
    return Unigrams(vocabulary, index, ids, log10_prob, log10_backoff)


def _assign_ids(words: list[str], notes: Notes) -> tuple[Vocabulary, Ints]:
    """The vocabulary, and the id in it of each word of the file."""
    special = {word: words.index(word) for word in (UNKNOWN, START, END) if word in words}
    if UNKNOWN_IN_CAPITALS in words and UNKNOWN not in special:
        special[UNKNOWN] = words.index(UNKNOWN_IN_CAPITALS)
        notes.add(f"{UNKNOWN_IN_CAPITALS} is read as {UNKNOWN}")
    for word, consequence in (
        (UNKNOWN, "a word outside the vocabulary has probability zero"),
        (START, "a sentence begins without a context"),
        (END, "the end of a sentence has probability zero"),
    ):
        if word not in special:
            notes.add(f"no {word}: {consequence}")
    ordinary = np.ones(len(words), bool)
    ordinary[[*special.values()]] = False
    others = np.flatnonzero(ordinary)
    tokens = (UNKNOWN, END, *(words[i] for i in others.tolist()))
    ids = np.empty(len(words), np.int32)
    ids[others] = np.arange(2, len(tokens))
    for word, id_ in ((UNKNOWN, UNKNOWN_ID), (END, END_ID), (START, len(tokens))):
        if word in special:
            ids[special[word]] = id_
    return Vocabulary(tokens, np.zeros(len(tokens), np.int64)), ids


def _note_useless(
    start_prob: NDArray[np.float64], end_backoff: NDArray[np.float64], notes: Notes
) -> None:
    """Numbers that no score depends on."""
    used = (start_prob < 0) & (start_prob > -98)  # 0, −99, −100, −98.99…: "never predicted"
    notes.count(f"probability of {START}, which is never predicted", np.count_nonzero(used))
    notes.count(f"back-off weights after {END}, useless", count_useful(end_backoff))


def count_useful(log10_backoff: NDArray[np.float64]) -> int:
    """How many back-off weights are there and not one."""
    return int(np.count_nonzero(~np.isnan(log10_backoff) & (log10_backoff != 0)))
