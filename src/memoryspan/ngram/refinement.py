"""Count all n-grams of a token stream by refining a trie, one order at a time.

The positions of the stream are kept grouped by the n-gram that begins there, groups in
lexicographic order. To go from order n to n+1, each group is sorted by the token that follows
and splits into its successors; a group of one needs no sorting, and most groups soon are. The
suffix of the n-gram at position p is the (n−1)-gram at p+1: one look-up.

Position 0 is the ``</s>`` before the stream and position p > 0 is ``ids[p - 1]``. The loops are
linear in the length of the stream. They hold 8 bytes per token beside the trie itself.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.trie import Ints, NgramTrie
from memoryspan.text.vocabulary import END_ID

LOW_BITS = np.int64(0xFFFFFFFF)
INSERTION_SORT_LIMIT = 48


def count_ngrams(ids: Ints, vocabulary_size: int, order: int) -> tuple[NgramTrie, Ints]:
    """The trie of all n-grams up to an order, and the count of each node.

    Args:
        ids: int32 [N], N ≥ 1, each in ``range(vocabulary_size)``.
        vocabulary_size: V.
        order: the longest n-grams to count.

    Returns:
        The trie, and int32 [nodes] raw counts (node 0: the number of tokens).
    """
    positions, sizes, node_at = group_by_word(ids, vocabulary_size)
    predicted = sizes.copy()
    predicted[END_ID] -= 1  # position 0 is context only
    words = [np.zeros(1, np.int32), np.arange(vocabulary_size, dtype=np.int32)]
    counts = [np.array([len(ids)], np.int32), predicted]
    suffixes = [np.zeros(1, np.int32), np.zeros(vocabulary_size, np.int32)]
    children = [np.ones(1, np.int32)]
    first = [0, 1, 1 + vocabulary_size]
    digits = bytes_of_ids(vocabulary_size)
    for n in range(1, order):
        child, word, sizes, used = refine(ids, n, positions, sizes, words[n], first[-1], digits)
        positions = positions[:used]
        suffixes.append(link(positions, sizes, first[-1], node_at, n + 1 < order))
        children.append(child)
        words.append(word)
        counts.append(sizes)
        first.append(first[-1] + len(word))
    del positions, node_at, sizes
    children.append(np.array([first[-1]], np.int32))
    trie = NgramTrie(
        first=np.array(first, np.int64),
        word=_joined(words),
        child=_joined(children),
        suffix=_joined(suffixes),
    )
    return trie, _joined(counts)


def bytes_of_ids(vocabulary_size: int) -> int:
    """How many bytes tell all ids apart, at least one."""
    return max(1, -(-int(vocabulary_size - 1).bit_length() // 8))


def _joined(levels: list[Ints]) -> Ints:
    """One array for all orders; the list is emptied so that only one copy stays in memory."""
    whole = np.concatenate(levels)
    levels.clear()
    return whole


@compiled
def group_by_word(ids: Ints, vocabulary_size: int) -> tuple[Ints, Ints, Ints]:
    """Positions [N+1] sorted by token, the size [V] of each group, the unigram node at each."""
    node_at = np.empty(len(ids) + 1, np.int32)
    sizes = np.zeros(vocabulary_size, np.int32)
    node_at[0] = 1 + END_ID
    sizes[END_ID] = 1
    for p in range(1, len(node_at)):
        node_at[p] = 1 + ids[p - 1]
        sizes[ids[p - 1]] += 1
    cursor = np.empty(vocabulary_size, np.int32)
    total = 0
    for word in range(vocabulary_size):
        cursor[word] = total
        total += sizes[word]
    positions = np.empty(len(node_at), np.int32)
    for p in range(len(node_at)):
        group = node_at[p] - 1
        positions[cursor[group]] = p
        cursor[group] += 1
    return positions, sizes, node_at


@compiled
def sort_group(keys: NDArray[np.int64], spare: NDArray[np.int64], size: int, digits: int) -> None:
    """Sort ``keys[:size]`` by their upper half; equal ones keep their order."""
    if size <= INSERTION_SORT_LIMIT:
        for i in range(1, size):
            key = keys[i]
            j = i - 1
            while j >= 0 and keys[j] > key:  # lower halves ascend already
                keys[j + 1] = keys[j]
                j -= 1
            keys[j + 1] = key
        return
    start = np.empty(256, np.int64)
    for digit in range(digits):  # radix sort, least significant byte first
        shift = 32 + 8 * digit
        for value in range(256):
            start[value] = 0
        for i in range(size):
            start[(keys[i] >> shift) & 255] += 1
        total = 0
        for value in range(256):
            total, start[value] = total + start[value], total
        for i in range(size):
            value = (keys[i] >> shift) & 255
            spare[start[value]] = keys[i]
            start[value] += 1
        for i in range(size):
            keys[i] = spare[i]


@compiled
def refine(
    ids: Ints, n: int, positions: Ints, sizes: Ints, words: Ints, first_child: int, digits: int
) -> tuple[Ints, Ints, Ints, int]:
    """Split every group of order n by the following token.

    Args:
        ids: the stream.
        n: order of the groups.
        positions: grouped positions; regrouped in place.
        sizes: positions per group.
        words: last token of each group's n-gram.
        first_child: node number of the first (n+1)-gram.
        digits: bytes in a token id.

    Returns:
        child offset of each old group; last token and size of each new one; positions in use.
    """
    child = np.empty(len(sizes), np.int32)
    word = np.empty(len(positions), np.int32)  # an upper bound: pages never touched cost nothing
    count = np.empty(len(positions), np.int32)
    largest = 0
    for size in sizes:
        largest = max(largest, size)
    keys = np.empty(largest, np.int64)
    spare = np.empty(len(keys), np.int64)
    nodes = 0
    begin = 0
    used = 0
    for group in range(len(sizes)):
        child[group] = first_child + nodes
        end = begin + sizes[group]
        if n > 1 and words[group] == END_ID:  # </s> ends an n-gram
            begin = end
            continue
        size = 0
        for i in range(begin, end):
            p = positions[i]
            if p + n <= len(ids):
                keys[size] = (np.int64(ids[p + n - 1]) << 32) | np.int64(p)
                size += 1
        begin = end
        if size > 1:
            sort_group(keys, spare, size, digits)
        last = -1
        for i in range(size):
            following = keys[i] >> 32
            if following != last:
                word[nodes] = following
                count[nodes] = 0
                nodes += 1
                last = following
            count[nodes - 1] += 1
            positions[used] = keys[i] & LOW_BITS
            used += 1
    return child, word[:nodes], count[:nodes], used


@compiled
def link(positions: Ints, sizes: Ints, first_node: int, node_at: Ints, relabel: bool) -> Ints:
    """The suffix of each new n-gram; then, if asked, the stream is relabelled with the new ones.

    Args:
        positions: positions grouped by n-gram.
        sizes: positions per group.
        first_node: node number of the first group.
        node_at: the (n−1)-gram node at each position; overwritten by the n-gram node.
        relabel: whether a longer order follows that needs ``node_at``.
    """
    suffix = np.empty(len(sizes), np.int32)
    begin = 0
    for group in range(len(sizes)):
        suffix[group] = node_at[positions[begin] + 1]
        begin += sizes[group]
    if relabel:
        begin = 0
        for group in range(len(sizes)):
            for i in range(begin, begin + sizes[group]):
                node_at[positions[i]] = first_node + group
            begin += sizes[group]
    return suffix
