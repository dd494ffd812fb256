"""The loops that read a model: one pass over a stream, one row per context.

A *state* is the node of the longest suffix of the context that is in the trie (at most ``reach``
tokens), and its order. Reading a token from a state that has it as a child is one look-up;
otherwise the state's back-off weight is paid and the search goes on from its suffix, at the
latest from the empty n-gram, which has every token as a child (Katz 1987; minimal state as in
Heafield 2011). The state depends on the last ``reach`` tokens alone, so a stream can be scored
from any position on.

A model that does not back off (add-k, maximum likelihood) knows a word only after the whole
context. On a miss it pays the back-off weight of the context, if it has that context, and then
takes the probability of the empty n-gram, node 0, which is that of any token. What is impossible
as a unigram stays impossible.

Every loop takes the model as the same arrays, see ``NgramTrie`` and ``NgramModel``.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.trie import Ints
from memoryspan.text.vocabulary import END_ID

START_NODE = 1 + END_ID
Reals = NDArray[np.floating]
Tables = tuple[NDArray[np.int64], Ints, Ints, Ints, Reals, Reals, bool, int]  # first … reach


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
def unseen(log_prob: Reals, log_backoff: Reals, context: int, known: bool, token: int) -> float:
    """log P of a token that was not seen after a context, in a model that does not back off."""
    if log_prob[1 + token] == -np.inf:
        return -np.inf
    if known:
        return float(log_prob[0] + log_backoff[context])
    return float(log_prob[0])


@compiled
def score_range(
    first: NDArray[np.int64],
    word: Ints,
    child: Ints,
    suffix: Ints,
    log_prob: Reals,
    log_backoff: Reals,
    backs_off: bool,
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
        backs_off: whether a miss goes on with shorter contexts.
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
        context, known = node, order == available
        node, order, paid = descend(first, word, child, suffix, log_backoff, node, order, token)
        if p >= begin:
            if backs_off or order > available:
                log_probs[p - begin] = paid + log_prob[node]
            else:
                log_probs[p - begin] = unseen(log_prob, log_backoff, context, known, token)
            matched[p - begin] = order
        if token == END_ID:  # whatever it ended, the next sentence starts
            node, order, available = START_NODE, 1, 0
        available = min(available + 1, reach)
        node, order = shorten(first, suffix, node, order, reach)


@compiled
def trace(
    first: NDArray[np.int64],
    word: Ints,
    child: Ints,
    suffix: Ints,
    ids: Ints,
    contexts: Ints,
    ngrams: Ints,
) -> None:
    """Which n-grams of all orders end at each position of a stream.

    Args:
        first, word, child, suffix: the trie.
        ids: N ids.
        contexts: receives, in column n−1, the node of the n−1 tokens before each position, −1 if
            they are not in the trie or reach into another sentence, [N, orders].
        ngrams: receives the node of those tokens and the one at the position, else −1.
    """
    reach = contexts.shape[1] - 1
    node, order = START_NODE, 1
    for p in range(len(ids)):
        contexts[p] = -1
        ngrams[p] = -1
        context, length = shorten(first, suffix, node, order, reach)
        node = -1
        while True:
            ngram = find_child(word, child, context, ids[p])
            contexts[p, length] = context
            ngrams[p, length] = ngram
            if node < 0 and ngram >= 0:  # the longest one is the next state
                node, order = ngram, length + 1
            if length == 0:
                break
            context, length = shorten(first, suffix, context, length, length - 1)
        if ids[p] == END_ID:
            node, order = START_NODE, 1


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
    backs_off: bool,
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
        paid[0] = 0.0
        if backs_off:
            while node != 0:
                path[length] = node
                paid[length + 1] = paid[length] + log_backoff[node]
                length += 1
                node = suffix[node]
            for token in range(rows.shape[1]):
                rows[b, token] = paid[length] + log_prob[1 + token]
        else:
            for token in range(rows.shape[1]):
                rows[b, token] = unseen(log_prob, log_backoff, node, known, token)
            path[0] = node
            length = 1 if known else 0
        for i in range(length - 1, -1, -1):
            for following in range(child[path[i]], child[path[i] + 1]):
                rows[b, word[following]] = paid[i] + log_prob[following]
