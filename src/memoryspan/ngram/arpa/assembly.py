"""Build a trie from n-grams that come order by order, each order in any sequence.

Unlike those of counted text, the n-grams of a pruned model may lack their suffix w₂…w_n; the
suffix link then goes to the longest suffix that the model has.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.trie import Ints, NgramTrie

MAXIMUM_NODES = 2**31 - 1


class TrieBuilder:
    """The orders of a trie that are complete, beginning with the unigrams.

    Args:
        vocabulary_size: V.
    """

    def __init__(self, vocabulary_size: int) -> None:
        self._first = [0, 1, 1 + vocabulary_size]
        self._word = np.concatenate([[0], np.arange(vocabulary_size)]).astype(np.int32)
        self._child = np.array(self._first[1:], np.int32)
        self._suffix = np.zeros(1 + vocabulary_size, np.int32)

    @property
    def nodes(self) -> int:
        """How many n-grams there are, the empty one included."""
        return self._first[-1]

    def prefixes(self, ids: Ints) -> Ints:
        """Nodes of w₁…w_{n−1} of n-grams one order longer than the longest, −1 if absent.

        Args:
            ids: int32 [L, n].
        """
        nodes = np.empty(len(ids), np.int32)
        find_prefixes(self._word, self._child, ids, nodes)
        return nodes

    def add_order(self, prefix: Ints, word: Ints) -> None:
        """Add all n-grams of the next order.

        Args:
            prefix: int32 [M], nodes of w₁…w_{n−1}, ascending.
            word: int32 [M], w_n, ascending among those of one prefix.
        """
        begin, end = self._first[-2:]
        followers = np.bincount(prefix - begin, minlength=end - begin)
        child = end + np.cumsum(followers) - followers
        self._first.append(end + len(word))
        self._child = np.concatenate([self._child[:-1], child, self._first[-1:]], dtype=np.int32)
        self._word = np.concatenate([self._word, word])
        self._suffix = np.concatenate([self._suffix, np.empty_like(word)])
        link_suffixes(self._word, self._child, prefix, self._suffix, end)

    def trie(self) -> NgramTrie:
        """The finished trie."""
        return NgramTrie(
            first=np.array(self._first, np.int64),
            word=self._word,
            child=self._child,
            suffix=self._suffix,
        )


def sorting_order(prefix: Ints, word: Ints) -> tuple[NDArray[np.int64], int]:
    """The order in which ``add_order`` wants n-grams.

    Returns:
        indices [M], and the place of the first n-gram in that order that is the same as the one
        before it, or −1.
    """
    key = (prefix.astype(np.int64) << 32) | word
    if bool((key[1:] > key[:-1]).all()):
        return np.arange(len(key)), -1
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    return order, int(same[0]) + 1 if len(same) else -1


@compiled
def find_prefixes(word: Ints, child: Ints, ids: Ints, nodes: Ints) -> None:
    """See ``TrieBuilder.prefixes``; one search less for each word shared with the line before."""
    length = ids.shape[1] - 1
    path = np.full(length, -1, np.int64)
    shared = 0
    for i in range(len(ids)):
        k = 0
        while k < shared and ids[i, k] == ids[i - 1, k]:
            k += 1
        while k < length:
            if k == 0:
                path[k] = 1 + ids[i, k]
            else:
                begin, end = child[path[k - 1]], child[path[k - 1] + 1]
                path[k] = begin + np.searchsorted(word[begin:end], ids[i, k])
                if path[k] == end or word[path[k]] != ids[i, k]:
                    break
            k += 1
        shared = k
        nodes[i] = path[length - 1] if k == length else -1


@compiled
def link_suffixes(word: Ints, child: Ints, prefix: Ints, suffix: Ints, first: int) -> None:
    """The longest suffix in the trie of each n-gram of the newest order (from node ``first``).

    That of h·w is h″·w for the longest suffix h″ of h that has w after it: all prefixes of what
    is in the trie are in it.
    """
    for i in range(len(prefix)):
        token = word[first + i]
        context = suffix[prefix[i]]
        found = -1
        while found < 0:
            if context == 0:
                found = 1 + token
            else:
                begin, end = child[context], child[context + 1]
                place = begin + np.searchsorted(word[begin:end], token)
                if place < end and word[place] == token:
                    found = place
                context = suffix[context]
        suffix[first + i] = found
