"""The compiled loop that turns the nodes of a trie into n-gram lines."""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.arpa.parsing import LARGEST, LINE_FEED, SPACE, TAB
from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.trie import Ints
from memoryspan.ngram.words import Bytes, Offsets
from memoryspan.text.vocabulary import END_ID

DECIMALS = 10**7
LARGEST_NUMBER = 32  # bytes
LOG10_E = np.log10(np.e)


@compiled
def put_number(buffer: Bytes, at: int, nats: float, highest: float) -> int:
    """Write a logarithm to base 10 with seven decimals, without zeros at its end.

    Args:
        buffer: where to write.
        at: the first place to write to.
        nats: the natural logarithm.
        highest: what is above it is a rounding error.

    Returns:
        the place after the number.
    """
    value = min(nats * LOG10_E, highest)
    if value == -np.inf:
        scaled = np.int64(99 * DECIMALS)
    else:
        scaled = np.int64(round(min(abs(value), LARGEST) * DECIMALS))
        if scaled == 99 * DECIMALS:
            scaled += 1  # −99 itself means zero
    if value < 0 and scaled > 0:
        buffer[at] = 45
        at += 1
    whole, fraction = scaled // DECIMALS, scaled % DECIMALS
    digits = 1
    while 10**digits <= whole:
        digits += 1
    for k in range(digits - 1, -1, -1):
        buffer[at + k] = 48 + whole % 10
        whole //= 10
    at += digits
    if fraction:
        buffer[at] = 46
        end = at + 8
        for k in range(7, 0, -1):
            buffer[at + k] = 48 + fraction % 10
            fraction //= 10
        while buffer[end - 1] == 48:
            end -= 1
        at = end
    return at


@compiled
def put_word(buffer: Bytes, at: int, pool: Bytes, offsets: Offsets, word: int) -> int:
    """Copy a word; returns the place after it."""
    for p in range(offsets[word], offsets[word + 1]):
        buffer[at] = pool[p]
        at += 1
    return at


@compiled
def parents(first: NDArray[np.int64], child: Ints, n: int, node: int) -> NDArray[np.int64]:
    """The nodes of the prefixes of an n-gram: of order k at place k, itself at place n."""
    path = np.empty(n + 1, np.int64)
    path[n] = node
    for k in range(n - 1, 0, -1):
        offsets = child[first[k] : first[k + 1] + 1]
        path[k] = first[k] + np.searchsorted(offsets, path[k + 1], side="right") - 1
    return path


@compiled
def format_ngrams(
    first: NDArray[np.int64],
    word: Ints,
    child: Ints,
    log_prob: NDArray[np.floating],
    log_backoff: NDArray[np.floating],
    n: int,
    node: int,
    pool: Bytes,
    offsets: Offsets,
    buffer: Bytes,
    room: int,
) -> tuple[int, int]:
    """Write the lines of n-grams of one order until a buffer is full.

    Args:
        first, word, child: the trie.
        log_prob, log_backoff: the model, nats.
        n: the order.
        node: the first n-gram to write.
        pool, offsets: the words by id, then ``<s>``.
        buffer: where to write; it has room for two lines more than ``room``.
        room: bytes to fill.

    Returns:
        the node after the last one written, and the bytes used.
    """
    start = len(offsets) - 2
    path = parents(first, child, n, node)
    at = 0
    while node < first[n + 1] and at < room:
        path[n] = node
        for k in range(n - 1, 0, -1):
            while child[path[k] + 1] <= path[k + 1]:
                path[k] += 1
        final = word[node] == END_ID
        if n == 1 and final:  # <s> goes with </s>
            buffer[at : at + 4] = (45, 57, 57, TAB)
            at = put_word(buffer, at + 4, pool, offsets, start)
            if len(log_backoff) > node:
                buffer[at] = TAB
                at = put_number(buffer, at + 1, log_backoff[node], np.inf)
            buffer[at] = LINE_FEED
            at += 1
        at = put_number(buffer, at, log_prob[node], 0.0)
        buffer[at] = TAB
        at += 1
        for k in range(1, n + 1):
            token = word[path[k]]
            if k == 1 and n > 1 and token == END_ID:
                token = start
            at = put_word(buffer, at, pool, offsets, token)
            buffer[at] = SPACE
            at += 1
        is_context = not final and node < len(log_backoff)
        if is_context and (child[node + 1] > child[node] or log_backoff[node] != 0):
            buffer[at - 1] = TAB
            at = put_number(buffer, at, log_backoff[node], np.inf) + 1
        buffer[at - 1] = LINE_FEED
        node += 1
    return node, at
