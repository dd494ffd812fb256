"""Two ways to evaluate: reading on through the whole text, or every sentence on its own.

- **streaming**: the text is read from its beginning, and what a model carries (a state, a cache,
  adapted weights) goes on from sentence to sentence. So is every other figure of the evaluation.
- **sentence reset**: each sentence is predicted from ``</s>`` alone, as if nothing preceded it.

The predicted tokens are the same. A model that never looks over ``</s>``, as n-gram models, gives
them the same probabilities both times.
"""

from collections.abc import Mapping

import pandas as pd

from memoryspan.evaluation.perplexity import FAMILY_ORDER, perplexity
from memoryspan.evaluation.scores import ModelScores
from memoryspan.statistics.bootstrap import perplexity_ratio
from memoryspan.statistics.clusters import token_clusters
from memoryspan.text.streams import TokenStream


def modes_table(
    scores: Mapping[str, ModelScores], test_stream: TokenStream, seed: int
) -> pd.DataFrame:
    """Both perplexities of every model, on the tokens that all of them scored both ways.

    Args:
        scores: by model name.
        test_stream: whose first tokens those are.
        seed: of the bootstrap.

    Returns:
        One row per model, in the order of the perplexity table, with the columns model, family,
        test_tokens, streaming_perplexity, sentence_reset_perplexity, reset_ratio (of the latter
        to the former: what the sentences before are worth), reset_ratio_low, reset_ratio_high
        (95 % cluster-bootstrap interval, paired), interval_unit, interval_clusters.
    """
    tokens = min(len(model.test_reset_log_probs) for model in scores.values())
    clusters = token_clusters(test_stream.beginning(tokens))
    rows = []
    for name in sorted(scores, key=lambda name: FAMILY_ORDER[scores[name].family]):
        model = scores[name]
        reset, streaming = model.test_reset_log_probs[:tokens], model.test_log_probs[:tokens]
        ratio = perplexity_ratio(
            clusters.totals(-reset), clusters.totals(-streaming), clusters.tokens, seed=seed
        )
        rows.append(
            {
                "model": name,
                "family": model.family,
                "test_tokens": tokens,
                "streaming_perplexity": perplexity(streaming).perplexity,
                "sentence_reset_perplexity": perplexity(reset).perplexity,
                "reset_ratio": ratio.estimate,
                "reset_ratio_low": ratio.low,
                "reset_ratio_high": ratio.high,
                "interval_unit": clusters.unit,
                "interval_clusters": clusters.count,
            }
        )
    return pd.DataFrame(rows)
