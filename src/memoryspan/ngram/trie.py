"""The compressed trie that all counts and models share: three integer arrays.

Node 0 is the empty n-gram; the V unigrams follow (node ``1 + id``, all of them, seen or not),
then all bigrams, and so on, each order in lexicographic order of its ids. The children of
consecutive nodes are consecutive, so one array of offsets describes every child range.

``</s>`` as the first token of an n-gram is the start of a sentence (``<s>``), as the last it is
the end; it is never in the middle. One unigram node serves both roles: its count and probability
are those of ``</s>``, its children are what begins a sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryspan.text.vocabulary import END_ID

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class NgramTrie:
    """All n-grams of orders 1…N.

    Attributes:
        first: int64 [N+2]; the nodes of order n are ``first[n]:first[n + 1]``.
        word: int32 [nodes], the last token of each n-gram.
        child: int32 [first[N]+1]; w₁…w_n extended by one token are the nodes
            ``child[node]:child[node + 1]``, by ascending token id.
        suffix: int32 [nodes], the node of w₂…w_n (of a unigram: node 0), or of its longest
            suffix that is in the trie, where some n-grams were left out.
    """

    first: NDArray[np.int64]
    word: Ints
    child: Ints
    suffix: Ints

    @property
    def order(self) -> int:
        """N."""
        return len(self.first) - 2

    @property
    def vocabulary_size(self) -> int:
        """V."""
        return int(self.first[2] - self.first[1])

    def __len__(self) -> int:
        return int(self.first[-1])

    def level(self, n: int) -> slice:
        """The nodes of order n."""
        return slice(int(self.first[n]), int(self.first[n + 1]))

    def find(self, ngram: Sequence[int]) -> int:
        """The node of an n-gram of at most N tokens, or −1 if it is not in the trie."""
        node = 0
        for token in ngram:
            begin, end = int(self.child[node]), int(self.child[node + 1])
            place = begin + int(np.searchsorted(self.word[begin:end], token))
            if place == end or self.word[place] != token:
                return -1
            node = place
        return node

    def starting_sentences(self, n: int) -> slice:
        """The nodes of order n ≥ 2 that begin with ``<s>``: one range, as they share a prefix."""
        begin, end = 1 + END_ID, 2 + END_ID
        for _ in range(n - 1):
            begin, end = int(self.child[begin]), int(self.child[end])
        return slice(begin, end)

    def up_to(self, order: int) -> "NgramTrie":
        """The trie of orders 1…order: the front part of each array, nothing is copied."""
        nodes = int(self.first[order + 1])
        return NgramTrie(
            first=self.first[: order + 2],
            word=self.word[:nodes],
            child=self.child[: int(self.first[order]) + 1],
            suffix=self.suffix[:nodes],
        )

    def restricted(self, kept: NDArray[np.bool_]) -> "NgramTrie":
        """The trie of some of the n-grams.

        A suffix that is not kept is replaced by the longest suffix that is: of an n-gram, the
        suffix may then be shorter than n−1 tokens.

        Args:
            kept: [nodes]; the empty n-gram and all unigrams are kept, and with an n-gram its
                prefixes.
        """
        before = np.zeros(len(kept) + 1, np.int32)  # how many are kept before each node
        np.cumsum(kept, out=before[1:])
        contexts = int(self.first[-2])
        suffix = self.suffix[kept]
        while not (still := kept[suffix]).all():
            suffix = np.where(still, suffix, self.suffix[suffix])
        return NgramTrie(
            first=before[self.first].astype(np.int64),
            word=self.word[kept],
            child=np.append(before[self.child[:-1][kept[:contexts]]], before[-1]),
            suffix=before[suffix],
        )

    def words(self, n: int) -> list[Ints]:
        """The tokens w₁, …, w_n of all n-grams of one order, a column of ids each."""
        nodes = np.arange(self.first[n], self.first[n + 1])
        columns = [self.word[self.level(n)]]
        for shorter in range(n - 1, 0, -1):
            level = self.level(shorter)
            offsets = self.child[level.start : level.stop + 1]
            parents = np.repeat(np.arange(level.start, level.stop), np.diff(offsets))
            nodes = parents[nodes - offsets[0]]
            columns.append(self.word[nodes])
        return columns[::-1]

    def arrays(self) -> dict[str, NDArray[np.int64] | Ints]:
        """What to write to disk."""
        return {"first": self.first, "word": self.word, "child": self.child, "suffix": self.suffix}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> "NgramTrie":
        """The trie in an archive, checked so far that no loop can leave its arrays.

        Raises:
            KeyError: an array is missing.
            ValueError: they do not form a trie.
        """
        trie = cls(**{name: arrays[name] for name in ("first", "word", "child", "suffix")})
        trie._check()
        return trie

    def _check(self) -> None:
        first, nodes = self.first, len(self)
        links = (self.word, self.child, self.suffix)
        well_formed = (
            first.dtype == np.int64
            and all(array.dtype == np.int32 and array.ndim == 1 for array in links)
            and self.order >= 1
            and (int(first[0]), int(first[1])) == (0, 1)
            and bool((np.diff(first) >= 0).all())
            and self.vocabulary_size > END_ID
            and len(self.word) == len(self.suffix) == nodes
            and len(self.child) == int(first[-2]) + 1
        )
        if not well_formed:
            raise ValueError("its arrays do not fit together")
        below = self.suffix[1:] < np.arange(1, nodes)
        linked = (
            np.array_equal(self.child[first[:-1]], first[1:])
            and bool((np.diff(self.child) >= 0).all())
            and bool(((self.suffix[1:] >= 0) & below).all())
            and bool(((self.word >= 0) & (self.word < self.vocabulary_size)).all())
        )
        if not linked:
            raise ValueError("its n-grams are not linked to each other")
