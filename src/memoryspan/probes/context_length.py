"""Context length: how the perplexity falls as a model is shown more of the past.

Each target token is predicted from only the k tokens before it, with a zero state and as a
fragment whose left side is not known, for several k; the targets are the same for every k and
every model (Khandelwal et al. 2018, "Sharp Nearby, Fuzzy Far Away", section 4). The *effective
context length* is the smallest k whose perplexity is within 1 % of that of the longest k.

What it does not say: a model that was trained with its state carried along has never seen a
zero state in mid-text, so part of what a short context costs is that surprise, and **truncation
at test time alone overstates how much context a model needs**. And on a model of finite context
order it says nothing that is not known: its curve is exactly flat from k = order.
"""

import logging

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memoryspan.language_model import Floats, LanguageModel
from memoryspan.probes.items import cluster_totals
from memoryspan.probes.parameters import ContextLengthParameters
from memoryspan.probes.positions import contexts_before, sample_positions
from memoryspan.statistics.bootstrap import MINIMUM_CLUSTERS, mean_intervals, mean_replicates
from memoryspan.statistics.clusters import token_clusters
from memoryspan.text.streams import TokenStream

CONDITION = "zero state, fragment"  # state policy and start-of-sentence policy
_BATCH_BYTES = 64 * 2**20
_LARGEST_BATCH = 512

logger = logging.getLogger(__name__)


def context_length_items(
    model: LanguageModel, stream: TokenStream, parameters: ContextLengthParameters, seed: int
) -> pd.DataFrame:
    """Surprisal of sampled targets given the last k tokens alone.

    Args:
        model: any language model.
        stream: held-out text.
        parameters: the values of k and how many targets.
        seed: of the sample of targets.

    Returns:
        One row per target and k, with the columns model, item, cluster (document or block),
        condition, position (of the target in the stream), distance (k, tokens) and nats
        (−log p; inf where p is zero).

    Raises:
        MemoryspanError: the text is too short for even the smallest k.
    """
    positions = sample_positions(stream, parameters.lags, parameters.positions, seed)
    clusters = token_clusters(stream)
    lags = [k for k in parameters.lags if k <= positions.longest]
    names = np.array(clusters.names, dtype=object)[clusters.of_token[positions.at]]
    count = len(positions.at)
    return pd.DataFrame(
        {
            "model": model.name,
            "item": np.tile(np.arange(count), len(lags)),
            "cluster": np.tile(names, len(lags)),
            "condition": CONDITION,
            "position": np.tile(positions.at, len(lags)),
            "distance": np.repeat(lags, count),
            "nats": np.concatenate([surprisals(model, stream, positions.at, k) for k in lags]),
        }
    )


def surprisals(
    model: LanguageModel, stream: TokenStream, at: NDArray[np.int64], context: int
) -> Floats:
    """−log p in nats [P] of the tokens at some positions, given the ``context`` ones before each.

    The batches are the same for every ``context``, and their [B, V] distributions take at most
    64 MiB.
    """
    rows = int(np.clip(_BATCH_BYTES // (8 * model.vocabulary_size), 1, _LARGEST_BATCH))
    nats = np.empty(len(at))
    for start in range(0, len(at), rows):
        batch = at[start : start + rows]
        log_probs_BV = model.next_log_probs(contexts_before(stream, batch, context))
        nats[start : start + rows] = -log_probs_BV[np.arange(len(batch)), stream.ids[batch]]
    return nats


def context_curve(items: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Perplexity by model and k.

    Args:
        items: of one or several models, as ``context_length_items`` makes them.
        seed: of the bootstrap.

    Returns:
        The columns model, distance (k), nats_per_token, perplexity, low and high (95 %
        cluster-bootstrap interval of nats_per_token; its exponentials are that of the
        perplexity; NaN where that is infinite or there are fewer than five clusters), n (targets)
        and clusters.
    """
    curves = []
    for name, of_model in items.groupby("model", sort=False):
        found = cluster_totals(of_model, of_model["nats"])
        nats = mean_intervals(found.totals, found.counts, seed=seed)
        with np.errstate(over="ignore"):
            perplexities = np.exp(nats.estimate)
        curve = {
            "model": name,
            "distance": found.distances,
            "nats_per_token": nats.estimate,
            "perplexity": perplexities,
            "low": nats.low,
            "high": nats.high,
            "n": int(found.counts.sum()),
            "clusters": len(found.counts),
        }
        curves.append(pd.DataFrame(curve))
    return pd.concat(curves, ignore_index=True)


def effective_context(items: pd.DataFrame, seed: int, tolerance: float = 0.01) -> pd.DataFrame:
    """The smallest k whose perplexity is at most 1 % above that of the longest k.

    Args:
        items: of one or several models, as ``context_length_items`` makes them.
        seed: of the bootstrap.
        tolerance: 0.01 is 1 %.

    Returns:
        The columns model, effective_context (tokens, Int64; NA where the perplexity of the
        longest k is infinite), low and high (95 % bootstrap interval, Int64), censored (it is
        the longest k itself: the need may reach further back), longest (k),
        perplexity_at_longest and tolerance. All are among the measured k, so read "more than the
        measured k before it, and at most this one".
    """
    rows = []
    for name, of_model in items.groupby("model", sort=False):
        found = cluster_totals(of_model, of_model["nats"])
        mean_K = found.totals.sum(axis=0) / found.counts.sum()
        effective = low = high = None
        if np.isfinite(mean_K[-1]):
            effective = int(found.distances[_first_within(mean_K[None], tolerance)[0]])
            if len(found.counts) >= MINIMUM_CLUSTERS:
                means_RK = mean_replicates(found.totals, found.counts, seed)
                lengths = found.distances[_first_within(means_RK, tolerance)]
                low, high = np.quantile(lengths, [0.025, 0.975], method="inverted_cdf").tolist()
        longest = int(found.distances[-1])
        with np.errstate(over="ignore"):
            perplexity = float(np.exp(mean_K[-1]))
        row = {
            "model": name,
            "effective_context": effective,
            "low": low,
            "high": high,
            "censored": effective == longest,
            "longest": longest,
            "perplexity_at_longest": perplexity,
            "tolerance": tolerance,
        }
        rows.append(row)
    whole = dict.fromkeys(["effective_context", "low", "high"], "Int64")
    return pd.DataFrame(rows).astype(whole)


def _first_within(means_RK: Floats, tolerance: float) -> NDArray[np.intp]:
    """Per row, the first column whose perplexity is at most (1 + tolerance) · the last one's."""
    within_RK = means_RK <= means_RK[:, -1:] + np.log1p(tolerance)
    first: NDArray[np.intp] = within_RK.argmax(axis=1)
    return first
