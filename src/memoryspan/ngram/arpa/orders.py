"""The n-grams of order 2 and more of an ARPA file, and the model they make up."""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.arpa.assembly import MAXIMUM_NODES, TrieBuilder, sorting_order
from memoryspan.ngram.arpa.lines import Lines, excerpt
from memoryspan.ngram.arpa.notes import Notes
from memoryspan.ngram.arpa.sections import NgramLines, ngram_lines
from memoryspan.ngram.arpa.unigrams import Columns, Unigrams, count_useful
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.trie import Ints, NgramTrie
from memoryspan.text.vocabulary import END_ID

LOG10_ZERO = -99.0


class OrderReader:
    """Reads one order after the other.

    Args:
        lines: the file.
        unigrams: its 1-grams.
        notes: receives what is odd.
        strict: whether an n-gram without its prefix is an error.
        order: the highest order, N.
    """

    def __init__(
        self, lines: Lines, unigrams: Unigrams, notes: Notes, strict: bool, order: int
    ) -> None:
        self._lines = lines
        self._unigrams = unigrams
        self._notes = notes
        self._strict = strict
        self._order = order
        self._trie = TrieBuilder(len(unigrams.vocabulary))
        self._log10_prob = [np.zeros(1), unigrams.log10_prob]
        self._log10_backoff = [np.zeros(1), unigrams.log10_backoff]

    def read(self, n: int, declared: int) -> None:
        """Read the n-grams of the next order, from the line after the keyword to the next one.

        Raises:
            MemoryspanError: see ``ngram_lines``; or an n-gram comes twice, has an unknown word, or
                (if strict) not its prefix.
        """
        parts = [self._linked(p) for p in ngram_lines(self._lines, n, declared, self._notes)]
        prefix, word, probs, backoffs, line = map(np.concatenate, zip(*parts, strict=True))
        parts.clear()
        if self._trie.nodes + len(word) > MAXIMUM_NODES:
            raise self._lines.error(f"more than {MAXIMUM_NODES} n-grams, too many to read")
        rows, duplicate = sorting_order(prefix, word)
        if duplicate >= 0:
            earlier, later = line[rows[duplicate - 1]], line[rows[duplicate]]
            raise self._lines.error(
                f"the {n}-gram of this line is in line {earlier} already", int(later)
            )
        self._trie.add_order(prefix[rows], word[rows])
        self._log10_prob.append(probs[rows])
        self._log10_backoff.append(backoffs[rows])

    def _linked(self, part: NgramLines) -> Columns:
        """Prefix node, last word, log10 P, log10 back-off and line of n-grams that are kept."""
        ids = self._unigrams.ids[self._known_words(part)]
        start = self._unigrams.start
        misplaced = (ids[:, 1:] == start).any(axis=1) | (ids[:, :-1] == END_ID).any(axis=1)
        self._notes.count(
            "n-grams with <s> after or </s> before another word, left out",
            np.count_nonzero(misplaced),
        )
        kept = np.flatnonzero(~misplaced)
        ids = ids[kept]
        ids[ids[:, 0] == start, 0] = END_ID
        prefix = self._trie.prefixes(ids)
        orphans = kept[prefix < 0]
        if len(orphans) and self._strict:
            raise self._lines.error(
                f"there is no {ids.shape[1] - 1}-gram that this {ids.shape[1]}-gram begins with; "
                "strict=False leaves such n-grams out, as SRILM and Kaldi do",
                int(part.line[orphans[0]]),
            )
        self._notes.count("n-grams without their prefix, left out", len(orphans))
        found = prefix >= 0
        kept = kept[found]
        backoffs = self._useful_backoffs(part.log10_backoff[kept], ids[found, -1], ids.shape[1])
        return prefix[found], ids[found, -1], part.log10_prob[kept], backoffs, part.line[kept]

    def _known_words(self, part: NgramLines) -> Ints:
        """The numbers of all words, [L, n]."""
        numbers = self._unigrams.index.numbers(part.text, part.places)
        if len(numbers) and numbers.min() < 0:
            row, column = np.argwhere(numbers < 0)[0]
            begin, end = part.places[row, column]
            word = excerpt(part.text[begin:end].tobytes())
            raise self._lines.error(f"the word {word} is not a 1-gram", int(part.line[row]))
        return numbers

    def _useful_backoffs(
        self, log10_backoff: NDArray[np.float64], word: Ints, n: int
    ) -> NDArray[np.float64]:
        """Back-off weights without those after which there is nothing to predict."""
        final = word == END_ID
        self._notes.count(
            "back-off weights after </s>, useless", count_useful(log10_backoff[final])
        )
        if n == self._order:
            useless = count_useful(log10_backoff[~final])
            self._notes.count("back-off weights of the highest order, useless", useless)
        return np.where(final, 0.0, log10_backoff)

    def model(self) -> NgramModel:
        """The model when all orders have been read."""
        trie = self._trie.trie()
        log10_prob = np.concatenate(self._log10_prob)
        log10_backoff = np.concatenate(self._log10_backoff[:-1])
        self._note_gaps(trie, np.isnan(log10_backoff))
        log10_backoff[np.isnan(log10_backoff)] = 0.0
        log_prob = self._in_nats(log10_prob, "probabilities")
        log_backoff = self._in_nats(log10_backoff, "back-off weights")
        return NgramModel(f"arpa_{trie.order}", trie, log_prob, log_backoff)

    def _note_gaps(self, trie: NgramTrie, without_backoff: NDArray[np.bool_]) -> None:
        """What some tools leave out."""
        gaps = without_backoff & (np.diff(trie.child) > 0)
        self._notes.count("contexts without a back-off weight, it is 1", np.count_nonzero(gaps))
        for n in range(2, trie.order + 1):
            gaps = trie.suffix[trie.level(n)] < trie.first[n - 1]
            self._notes.count("n-grams without their suffix (pruned)", np.count_nonzero(gaps))

    def _in_nats(self, log10: NDArray[np.float64], what: str) -> NDArray[np.float64]:
        """Natural logarithms, in place."""
        zero = log10 == LOG10_ZERO
        self._notes.count(f"{what} of -99, which means zero", np.count_nonzero(zero))
        log10[zero] = -np.inf
        log10 *= np.log(10)
        return log10
