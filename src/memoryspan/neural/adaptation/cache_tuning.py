"""The size, flatness and weight of a neural cache, from the beginning of the validation split."""

import itertools
import logging

import numpy as np

from memoryspan.neural.adaptation.cache_equations import mixed
from memoryspan.neural.adaptation.cache_stream import CacheSetting, stream_log_probs
from memoryspan.neural.adaptation.grids import note_edges
from memoryspan.neural.adaptation.neural_cache import NeuralCache
from memoryspan.neural.adaptation.parameters import NeuralCacheParameters
from memoryspan.neural.model import NeuralLanguageModel
from memoryspan.text.streams import TokenStream

log = logging.getLogger(__name__)


def tuned_neural_cache(
    name: str,
    model: NeuralLanguageModel,
    parameters: NeuralCacheParameters,
    validation_stream: TokenStream,
) -> NeuralCache:
    """The cache of the grid that makes the first validation tokens most probable.

    They are read once; of equally good caches the first is taken.

    Raises:
        MemoryspanError: if the stream has another vocabulary size.
    """
    pairs = itertools.product(parameters.sizes, parameters.flatness)
    settings = [CacheSetting(*pair) for pair in pairs]
    inputs, targets = model.inputs_and_targets(validation_stream)
    inputs, targets = inputs[: parameters.tuning_tokens], targets[: parameters.tuning_tokens]
    log_vocab, log_cache = stream_log_probs(model, inputs, targets, settings)
    totals = {
        (setting, weight): -mixed(log_vocab, log_probs, weight).sum()
        for setting, log_probs in zip(settings, log_cache, strict=True)
        for weight in parameters.weights
    }
    (setting, weight), nats = min(totals.items(), key=lambda item: item[1])
    cache = NeuralCache(model, *setting, weight, name)
    log.info(
        "%s: N = %d, θ = %g, λ = %g; perplexity of %s validation tokens %.2f (%s alone: %.2f)",
        *(name, *cache.tuned.values(), f"{len(targets):,}"),
        np.exp(nats / len(targets)),
        *(model.name, np.exp(-log_vocab.mean())),
    )
    note_edges(
        name,
        flatness=(setting.flatness, parameters.flatness),
        weight=(weight, parameters.weights),
    )
    return cache
