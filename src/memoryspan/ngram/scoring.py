"""The loops that read a model: one pass over a stream, one row per context.

A *state* is the node of the longest suffix of the context that is in the trie (at most ``reach``
tokens), and its order. Reading a token from a state that has it as a child is one look-up;
otherwise the state's back-off weight is paid and the search goes on from its suffix, at the
latest from the empty n-gram, which has every token as a child (Katz 1987; minimal state as in
Heafield 2011). The state depends on the last ``reach`` tokens alone, so a stream can be scored
from any position on.

Every loop takes the model as the same arrays, see ``NgramTrie`` and ``NgramModel``.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.trie import Ints
from memoryspan.text.vocabulary import END_ID

START_NODE = 1 + END_ID
Reals = NDArray[np.floating]
Tables = tuple[NDArray[np.int64], Ints, Ints, Ints, Reals, Reals, float, int]  # first … reach


@compiled
def find_child(word: Ints, child: Ints, node: int, token: int) -> int:
    """The node of a node's n-gram extended by a token, or −1."""
    if node == 0:
        return 1 + token
    low, high = int(child[node]), int(child[node + 1])
    while low < high:
        middle = (low + high) >> 1
        if word[middle] == token:
            return middle
        if word[middle] < token:
            low = middle + 1
        else:
            high = middle
    return -1


@compiled
def shorten(
    first: NDArray[np.int64], suffix: Ints, node: int, order: int, reach: int
) -> tuple[int, int]:
    """The longest suffix of an n-gram that has at most ``reach`` tokens, and its order."""
    while order > reach:
        node = suffix[node]
        while node < first[order]:
            order -= 1
    return node, order


@compiled
def descend(
    first: NDArray[np.int64],
    word: Ints,
    child: Ints,
    suffix: Ints,
    log_backoff: Reals,
    node: int,
    order: int,
    token: int,
) -> tuple[int, int, float]:
    """Find the longest n-gram that ends in a token read from a state.

    Returns:
        its node, its order, and the log back-off weights paid on the way, nats.
    """
    paid = 0.0
    found = find_child(word, child, node, token)
    while found < 0:
        paid += log_backoff[node]
        node, order = shorten(first, suffix, node, order, order - 1)
        found = find_child(word, child, node, token)
    return found, order + 1, paid


@compiled
def score_range(
    first: NDArray[np.int64],
    word: Ints,
    child: Ints,
    suffix: Ints,
    log_prob: Reals,
    log_backoff: Reals,
    unseen: float,
    reach: int,
    ids: Ints,
    begin: int,
    log_probs: NDArray[np.float64],
    matched: NDArray[np.int8],
) -> None:
    """Score ``ids[begin : begin + len(log_probs)]`` from at most ``reach`` tokens of context.

    Args:
        first, word, child, suffix: the trie.
        log_prob, log_backoff: the model, nats.
        unseen: log back-off weight of a context that is not in the trie, nats.
        reach: tokens of context, at most N−1.
        ids: the whole stream.
        begin: first position to score.
        log_probs: receives log P, nats.
        matched: receives the order of the n-gram found.
    """
    start = max(0, begin - reach)
    available = min(1, reach) if start == 0 else 0
    node, order = START_NODE * available, available
    for p in range(start, begin + len(log_probs)):
        token = ids[p]
        weight = 0.0 if order == available else unseen
        node, order, paid = descend(first, word, child, suffix, log_backoff, node, order, token)
        if p >= begin:
            log_probs[p - begin] = weight + paid + log_prob[node]
            matched[p - begin] = order
        if token == END_ID:  # whatever it ended, the next sentence starts
            node, order, available = START_NODE, 1, 0
        available = min(available + 1, reach)
        node, order = shorten(first, suffix, node, order, reach)


@compiled
def context_state(
    first: NDArray[np.int64],
    word: Ints,
    child: Ints,
    suffix: Ints,
    log_backoff: Reals,
    reach: int,
    context: Ints,
) -> tuple[int, bool]:
    """The state after a context with nothing before it, and whether all of it is in the trie."""
    node = order = available = 0
    for p in range(max(0, len(context) - reach), len(context)):
        token = context[p]
        node, order, _ = descend(first, word, child, suffix, log_backoff, node, order, token)
        if token == END_ID:
            node, order, available = START_NODE, 1, 0
        available = min(available + 1, reach)
        node, order = shorten(first, suffix, node, order, reach)
    return node, order == available


@compiled
def next_rows(
    first: NDArray[np.int64],
    word: Ints,
    child: Ints,
    suffix: Ints,
    log_prob: Reals,
    log_backoff: Reals,
    unseen: float,
    reach: int,
    contexts: Ints,
    rows: NDArray[np.float64],
) -> None:
    """log P(· | context) over the vocabulary: the child range of each suffix of the context.

    Args are those of ``score_range``; contexts [B, K], rows [B, V].
    """
    path = np.empty(reach + 1, np.int64)  # the state and its suffixes, longest first
    paid = np.empty(reach + 2, np.float64)  # back-off weights of all longer ones
    for b in range(len(contexts)):
        node, known = context_state(first, word, child, suffix, log_backoff, reach, contexts[b])
        length = 0
        paid[0] = 0.0 if known else unseen
        while node != 0:
            path[length] = node
            paid[length + 1] = paid[length] + log_backoff[node]
            length += 1
            node = suffix[node]
        for token in range(rows.shape[1]):
            rows[b, token] = paid[length] + log_prob[1 + token]
        for i in range(length - 1, -1, -1):
            for following in range(child[path[i]], child[path[i] + 1]):
                rows[b, word[following]] = paid[i] + log_prob[following]
