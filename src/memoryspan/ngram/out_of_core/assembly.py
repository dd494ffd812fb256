"""Make the trie of sorted n-grams that come in batches; its arrays are files in a folder."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.trie import Ints, NgramTrie

Batch = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Tokens [n, L] and counts [L] of some n-grams."""


class TrieBuilder:
    """A trie that is filled one order after the other.

    Args:
        unigrams: int32 [V], occurrences of each token.
        ngrams: how many n-grams there are of orders 2 … N.
        folder: where the arrays are mapped; its files can be deleted as soon as this exists.

    Raises:
        OSError: the disk is full.
    """

    def __init__(self, unigrams: Ints, ngrams: list[int], folder: Path) -> None:
        V = len(unigrams)
        self.first = np.cumsum([0, 1, V, *ngrams], dtype=np.int64)
        nodes, contexts = int(self.first[-1]), int(self.first[-2])
        self.word = _mapped(folder / "word", nodes)
        self.suffix = _mapped(folder / "suffix", nodes)
        self.raw = _mapped(folder / "raw", nodes)
        self.child = _mapped(folder / "child", contexts + 1)
        self.word[1 : 1 + V] = np.arange(V)
        self.raw[0] = unigrams.sum()
        self.raw[1 : 1 + V] = unigrams
        self.child[0] = 1
        self.child[1:] = 1 + V

    def add(self, n: int, batches: Iterable[Batch]) -> None:
        """Fill order n; all lower ones are there.

        Args:
            n: 2 … N.
            batches: all its n-grams in lexicographic order.

        Raises:
            ValueError: they are not in order, or not the n-grams that belong there.
        """
        node, last = int(self.first[n]), int(self.first[n - 1]) - 1
        for tokens, counts in batches:
            end = node + len(counts)
            self.raw[node:end] = counts
            last = extend(
                np.ascontiguousarray(tokens), node, last, self.word, self.child, self.suffix
            )
            if last < 0:
                raise ValueError(f"the {n}-grams of the database are not in order")
            node = end
        if node != self.first[n + 1]:
            raise ValueError(f"the database had {node - self.first[n]} {n}-grams at last")
        self.child[last + 1 : int(self.first[n]) + 1] = self.first[n + 1]

    def counts(self) -> NgramCounts:
        """What was built."""
        trie = NgramTrie(first=self.first, word=self.word, child=self.child, suffix=self.suffix)
        return NgramCounts(trie, self.raw)


def _mapped(path: Path, size: int) -> Ints:
    """An array in a file; the space is taken now, so that a full disk shows here."""
    zeros = np.zeros(1 << 18, np.int32)
    with path.open("wb") as file:
        for begin in range(0, size, len(zeros)):
            file.write(zeros[: size - begin].data)
    array: Any = np.memmap(path, np.int32, "r+", shape=(size,))
    return np.asarray(array)


@compiled
def step(word: Ints, child: Ints, node: int, token: int) -> int:
    """The child of a node for a token, or −1."""
    begin, end = np.int64(child[node]), np.int64(child[node + 1])
    while begin < end:
        middle = (begin + end) >> 1
        if word[middle] < token:
            begin = middle + 1
        else:
            end = middle
    found = begin < child[node + 1] and word[begin] == token
    return int(begin) if found else -1


@compiled
def walk(word: Ints, child: Ints, tokens: Ints, row: int, begin: int, end: int) -> int:
    """The node of ``tokens[begin:end, row]``, or −1."""
    node = 1 + tokens[begin, row]
    for k in range(begin + 1, end):
        if node < 0:
            return -1
        node = step(word, child, node, tokens[k, row])
    return int(node)


@compiled
def extend(tokens: Ints, node: int, last: int, word: Ints, child: Ints, suffix: Ints) -> int:
    """Enter n-grams.

    Args:
        tokens: of the n-grams, [n, L].
        node: of the first of them.
        last: the context whose first child was entered last.
        word, child, suffix: the trie, complete below this order.

    Returns:
        the last context, or −1 where n-grams are out of order or lack their prefix or suffix.
    """
    n = len(tokens)
    for row in range(tokens.shape[1]):
        context = walk(word, child, tokens, row, 0, n - 1)
        lower = walk(word, child, tokens, row, 1, n)
        if context < last or lower < 0:
            return -1
        if context > last:
            child[last + 1 : context + 1] = node + row
            last = context
        elif word[node + row - 1] >= tokens[n - 1, row]:
            return -1
        word[node + row] = tokens[n - 1, row]
        suffix[node + row] = lower
    return last
