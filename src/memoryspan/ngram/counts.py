"""N-gram counts of a token stream: raw, adjusted (continuation), and counts of counts."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memoryspan.archive import corrupt, read_archive, write_archive
from memoryspan.errors import MemoryspanError
from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.parameters import MAXIMUM_ORDER
from memoryspan.ngram.refinement import count_ngrams
from memoryspan.ngram.streams import checked_ids
from memoryspan.ngram.trie import Ints, NgramTrie
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    import pandas as pd

KIND = "memoryspan n-gram counts"
MAXIMUM_TOKENS = 2**31 - 2


@dataclass(frozen=True)
class NgramCounts:
    """How often each n-gram of orders 1…N stands in a stream.

    Sentences do not reach into each other: an n-gram has ``<s>`` at most as its first and
    ``</s>`` at most as its last token.

    Attributes:
        trie: the n-grams.
        raw: int32 [nodes], occurrences of each node's n-gram.
    """

    trie: NgramTrie
    raw: Ints = field(repr=False)

    @property
    def order(self) -> int:
        """The longest n-grams counted, N."""
        return self.trie.order

    @classmethod
    def of(cls, stream: TokenStream, order: int) -> "NgramCounts":
        """Count the n-grams of a stream.

        Args:
            stream: N ids, N ≥ 1.
            order: the longest n-grams to count, 1–10.

        Raises:
            MemoryspanError: the stream is empty, too long (2³¹ tokens), or has ids outside its
                vocabulary; or the order is out of range.
        """
        ids = countable_ids(stream, order)
        return cls(*count_ngrams(ids, stream.vocabulary_size, order))

    def trie_up_to(self, order: int) -> NgramTrie:
        """The n-grams that a model of this order is made of (nothing is copied).

        Raises:
            MemoryspanError: the order was not counted.
        """
        if not 1 <= order <= self.order:
            raise MemoryspanError(
                f"N-grams of order {order} were not counted; count up to that order or choose "
                f"one from 1 to {self.order}."
            )
        return self.trie.up_to(order)

    def adjusted(self, n: int, order: int) -> Ints:
        """Adjusted counts of all n-grams of order n in a model of a given order.

        At the model's order they are raw. Below, an n-gram counts once for each distinct token
        that precedes it (``<s>`` included), and what begins a sentence keeps its raw count
        (Kneser & Ney 1995; Heafield et al. 2013, section 3.2).

        Returns:
            int32 [n-grams of order n].
        """
        level = self.trie.level(n)
        if n == order:
            return self.raw[level]
        longer = self.trie.suffix[self.trie.level(n + 1)]
        adjusted = count_left_neighbours(longer, level.start, level.stop)
        if n > 1:
            starts = self.trie.starting_sentences(n)
            adjusted[starts.start - level.start : starts.stop - level.start] = self.raw[starts]
        return adjusted

    def following(self) -> Ints:
        """c(h) of every context h, [nodes below order N]: how many tokens follow it."""
        return sum_following(self.raw, self.trie.child)

    def counts_of_counts(self) -> "pd.DataFrame":
        """How many n-grams occur once, twice, …: columns order, count, ngrams."""
        import pandas as pd

        orders = []
        for n in range(1, self.order + 1):
            count, ngrams = np.unique(self.raw[self.trie.level(n)], return_counts=True)
            seen = count > 0
            table = {"order": n, "count": count[seen].astype(np.int64), "ngrams": ngrams[seen]}
            orders.append(pd.DataFrame(table))
        return pd.concat(orders, ignore_index=True)

    def table(self, n: int, vocabulary: Vocabulary) -> "pd.DataFrame":
        """The n-grams of one order in words: columns w1, …, wn (categories), count.

        Most frequent first, equally frequent ones in alphabetical order.

        Raises:
            MemoryspanError: order n was not counted, or the vocabulary is another one.
        """
        from memoryspan.ngram.tables import ngram_table

        trie = self.trie_up_to(n)
        if len(vocabulary) != trie.vocabulary_size:
            raise MemoryspanError(
                f"The counts are over {trie.vocabulary_size} tokens, the vocabulary has "
                f"{len(vocabulary)}. Count again with the present vocabulary."
            )
        return ngram_table(trie.words(n), self.raw[trie.level(n)], vocabulary)

    def save(self, path: Path) -> None:
        """Write to a file (atomically, without pickle).

        Raises:
            MemoryspanError: the file cannot be written.
        """
        write_archive(path, {"kind": KIND}, {**self.trie.arrays(), "raw": self.raw})

    @classmethod
    def load(cls, path: Path) -> "NgramCounts":
        """Read what ``save`` wrote.

        Raises:
            MemoryspanError: the file is missing, damaged or something else.
        """
        header, arrays = read_archive(path)
        try:
            counts = cls(NgramTrie.from_arrays(arrays), arrays["raw"])
        except (KeyError, ValueError) as error:
            raise corrupt(path, error) from error
        if header.get("kind") != KIND or not _counts_fit(counts):
            raise corrupt(path, f"it holds {header.get('kind', 'something else')}")
        return counts


def countable_ids(stream: TokenStream, order: int) -> Ints:
    """The ids of a stream whose n-grams can be counted up to an order.

    Raises:
        MemoryspanError: see ``NgramCounts.of``.
    """
    if not 1 <= order <= MAXIMUM_ORDER:
        raise MemoryspanError(
            f"N-grams of order {order} are not offered; choose an order from 1 to {MAXIMUM_ORDER}."
        )
    if len(stream) == 0:
        raise MemoryspanError("There are no tokens to count n-grams of; give a longer text.")
    if len(stream) * order > MAXIMUM_TOKENS:
        raise MemoryspanError(
            f"{len(stream)} tokens are too many to count in memory to order {order}; "
            f"the limit is {MAXIMUM_TOKENS // order}. Choose a lower order or a shorter text."
        )
    return checked_ids(stream.ids, stream.vocabulary_size)


@compiled
def count_left_neighbours(suffix: Ints, begin: int, end: int) -> Ints:
    """How many (n+1)-grams have each of the n-grams ``begin:end`` as their suffix."""
    neighbours = np.zeros(end - begin, np.int32)
    for ngram in suffix:
        neighbours[ngram - begin] += 1
    return neighbours


@compiled
def sum_following(count: Ints, child: Ints) -> Ints:
    """Sums of counts over the children of each context, [contexts]."""
    total = np.zeros(len(child) - 1, np.int32)
    for h in range(len(total)):
        for hw in range(child[h], child[h + 1]):
            total[h] += count[hw]
    return total


def _counts_fit(counts: NgramCounts) -> bool:
    raw: NDArray[np.int32] = counts.raw
    return raw.dtype == np.int32 and raw.shape == (len(counts.trie),) and bool((raw >= 0).all())
