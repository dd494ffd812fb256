"""Perplexity: exp(total nats / number of tokens), and the table that compares the models.

Every figure is a ratio of totals over the whole split. Figures per token of a closed vocabulary
count ``<unk>`` as a word, so they (and the bits per byte made from them) compare models over the
*same* vocabulary; they must not stand beside those of an open vocabulary.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from memoryspan.errors import MemoryspanError
from memoryspan.evaluation.comparison import compare_with_reference
from memoryspan.evaluation.scores import ModelScores
from memoryspan.language_model import Floats
from memoryspan.statistics.bootstrap import Interval, perplexity_ratio
from memoryspan.statistics.clusters import Clusters, token_clusters
from memoryspan.text.streams import TokenStream

__all__ = [
    "ModelScores",
    "Perplexity",
    "bits_per_byte",
    "compare_with_reference",
    "perplexity",
    "perplexity_per_word",
    "perplexity_table",
]

FAMILY_ORDER = {
    "chance": 0,
    "n-gram": 1,
    "feed-forward": 2,
    "recurrent": 2,
    "transformer": 2,
    "adaptive": 3,
    "mixture": 4,
}

LARGEST_EXPONENT = float(np.log(np.finfo(np.float64).max))


@dataclass(frozen=True)
class Perplexity:
    """How well a model predicted N tokens.

    Attributes:
        tokens: N.
        nats_per_token: total nats / N; inf if any token had probability zero.
        perplexity: exp(nats_per_token).
        zero_probability_share: the share of tokens with probability zero.
    """

    tokens: int
    nats_per_token: float
    perplexity: float
    zero_probability_share: float

    def per_unit(self, units: int) -> float:
        """Nats per byte, word, … of the same text; NaN where there are none known."""
        return self.nats_per_token * self.tokens / units if units else float("nan")


def perplexity(log_probs: Floats) -> Perplexity:
    """The perplexity of log probabilities [N] in nats.

    Raises:
        ValueError: there are no tokens, or a value is no log probability (NaN or above zero).
    """
    if len(log_probs) == 0:
        raise ValueError("the perplexity of no tokens is not defined")
    if not (log_probs <= 1e-6).all():
        raise ValueError("log probabilities must be at most zero, and not NaN")
    nats_per_token = float(-log_probs.mean())
    with np.errstate(over="ignore"):  # beyond 709 nats per token it is infinite in float64
        value = float(np.exp(nats_per_token))
    return Perplexity(len(log_probs), nats_per_token, value, float(np.isneginf(log_probs).mean()))


def bits_per_byte(found: Perplexity, stream: TokenStream) -> float:
    """Total bits / bytes of the text that the stream was made from (NaN if not known)."""
    return found.per_unit(int(stream.document_bytes.sum())) / float(np.log(2))


def perplexity_per_word(found: Perplexity, stream: TokenStream) -> float:
    """exp(total nats / white-space separated words of the text).

    NaN if their number is not known, or if the text has no words in this sense: a Chinese
    novel's "words" are whole paragraphs, and the figure would leave the range of a float.
    """
    nats_per_word = found.per_unit(int(stream.document_words.sum()))
    if np.isfinite(nats_per_word) and nats_per_word > LARGEST_EXPONENT:
        return float("nan")
    return float(np.exp(nats_per_word))


def perplexity_table(
    scores: Mapping[str, ModelScores],
    test_stream: TokenStream,
    validation_stream: TokenStream,
    seed: int,
) -> pd.DataFrame:
    """All models side by side, each against the best n-gram model.

    The reference is the n-gram model of the lowest validation perplexity; nothing is chosen on
    the test split. Ratios are of test perplexities, with 95 % cluster-bootstrap intervals.

    Args:
        scores: by model name.
        test_stream: what ``test_log_probs`` are the scores of.
        validation_stream: what ``validation_log_probs`` are the scores of.
        seed: of the bootstrap.

    Returns:
        One row per model (chance, n-gram, neural, mixtures; otherwise in the given order) with
        the columns model, family, context_order (Int64, NA = unbounded), parameters,
        test_tokens, test_nats_per_token, test_perplexity, valid_perplexity, train_seconds,
        ratio_to_best_ngram, ratio_low, ratio_high, reference (NA where no n-gram model has a
        finite validation perplexity; then the ratios are NaN), interval_unit,
        interval_clusters, test_bits_per_byte, test_perplexity_per_word,
        zero_probability_share. An infinite perplexity has no interval (NaN).

    Raises:
        MemoryspanError: there are no scores, a model scored another number of tokens than the
            streams have, or its scores are not log probabilities.
    """
    if not scores:
        raise MemoryspanError("There are no scores to compare. Evaluate at least one model.")
    validation = {
        name: _checked(name, "validation", model.validation_log_probs, validation_stream)
        for name, model in scores.items()
    }
    test = {
        name: _checked(name, "test", model.test_log_probs, test_stream)
        for name, model in scores.items()
    }
    reference = best_ngram(scores, validation)
    clusters = token_clusters(test_stream)
    rows = []
    for name in sorted(scores, key=lambda name: FAMILY_ORDER[scores[name].family]):
        model = scores[name]
        ratio = _ratio(model, scores[reference] if reference else None, clusters, seed)
        compared = {
            "ratio_to_best_ngram": ratio.estimate,
            "ratio_low": ratio.low,
            "ratio_high": ratio.high,
            "reference": reference,
            "interval_unit": clusters.unit,
            "interval_clusters": clusters.count,
        }
        predicted = _predicted(model, test[name], validation[name])
        rows.append(predicted | compared | _per_text_unit(test[name], test_stream))
    return pd.DataFrame(rows).astype({"context_order": "Int64", "reference": "string"})


def _predicted(model: ModelScores, test: Perplexity, validation: Perplexity) -> dict[str, object]:
    """The model, and how well it predicts either split."""
    return {
        "model": model.name,
        "family": model.family,
        "context_order": model.context_order,
        "parameters": model.parameters,
        "test_tokens": test.tokens,
        "test_nats_per_token": test.nats_per_token,
        "test_perplexity": test.perplexity,
        "valid_perplexity": validation.perplexity,
        "train_seconds": model.train_seconds,
    }


def _per_text_unit(test: Perplexity, test_stream: TokenStream) -> dict[str, object]:
    """The same loss by byte and by word, and the share of tokens that were impossible."""
    return {
        "test_bits_per_byte": bits_per_byte(test, test_stream),
        "test_perplexity_per_word": perplexity_per_word(test, test_stream),
        "zero_probability_share": test.zero_probability_share,
    }


def best_ngram(
    scores: Mapping[str, ModelScores], validation: Mapping[str, Perplexity]
) -> str | None:
    """The n-gram model of the lowest finite validation perplexity, if there is one."""
    finite = [
        name
        for name, model in scores.items()
        if model.family == "n-gram" and np.isfinite(validation[name].perplexity)
    ]
    return min(finite, key=lambda name: validation[name].perplexity, default=None)


def _checked(name: str, split: str, log_probs: Floats, stream: TokenStream) -> Perplexity:
    if len(log_probs) != len(stream):
        raise MemoryspanError(
            f"Model '{name}' scored {len(log_probs):,} {split} tokens, but the {split} split has "
            f"{len(stream):,}. Its scores are of another text: evaluate it again."
        )
    try:
        return perplexity(log_probs)
    except ValueError as error:
        raise MemoryspanError(
            f"The {split} scores of model '{name}' cannot be used: {error}. If its training "
            "diverged, train it again with a lower learning rate."
        ) from error


def _ratio(
    model: ModelScores, reference: ModelScores | None, clusters: Clusters, seed: int
) -> Interval:
    if reference is None:
        return Interval(np.nan, np.nan, np.nan)
    return perplexity_ratio(
        clusters.totals(-model.test_log_probs),
        clusters.totals(-reference.test_log_probs),
        clusters.tokens,
        seed=seed,
    )
