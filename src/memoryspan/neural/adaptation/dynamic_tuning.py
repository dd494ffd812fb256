"""The learning rate and decay of dynamic evaluation, from the beginning of the validation split."""

import itertools
import logging

import numpy as np

from memoryspan.neural.adaptation.adapting_network import mean_squared_gradients
from memoryspan.neural.adaptation.dynamic_evaluation import DynamicEvaluation
from memoryspan.neural.adaptation.grids import note_edges
from memoryspan.neural.adaptation.parameters import DynamicEvaluationParameters
from memoryspan.neural.model import NeuralLanguageModel
from memoryspan.text.streams import TokenStream

STREAMS = 20  # of the training text, whose gradients are averaged before they are squared

log = logging.getLogger(__name__)


def tuned_dynamic_evaluation(
    name: str,
    model: NeuralLanguageModel,
    parameters: DynamicEvaluationParameters,
    train_stream: TokenStream,
    validation_stream: TokenStream,
) -> DynamicEvaluation:
    """The values of the grid that make the first validation tokens most probable.

    Each combination reads them anew; of equally good ones the first is taken. Where none is
    better than the network alone, the learning rate is 0.

    Raises:
        MemoryspanError: if a stream has another vocabulary size.
    """
    model.inputs_and_targets(train_stream)
    inputs, targets = model.inputs_and_targets(validation_stream)
    inputs, targets = inputs[: parameters.tuning_tokens], targets[: parameters.tuning_tokens]
    squares = None
    if parameters.rule == "rms":
        squares = mean_squared_gradients(
            model.network, train_stream, parameters.statistics_tokens, parameters.chunk, STREAMS
        )

    def candidate(learning_rate: float, decay: float) -> DynamicEvaluation:
        values = parameters.chunk, learning_rate, decay, parameters.epsilon
        return DynamicEvaluation(model, *values, squares, name)

    alone = float(-model.sequence_log_probs(inputs, targets).sum())
    totals = {(0.0, 0.0): alone}
    for pair in itertools.product(parameters.learning_rates, parameters.decays):
        nats = -candidate(*pair).adapting().read(inputs, targets, parameters.chunk).sum()
        totals[pair] = float(nats) if np.isfinite(nats) else np.inf
    best, nats = min(totals.items(), key=lambda item: item[1])
    log.info(
        "%s: η = %g, λ = %g; perplexity of %s validation tokens %.2f (%s alone: %.2f)",
        *(name, *best, f"{len(targets):,}", np.exp(nats / len(targets))),
        *(model.name, np.exp(alone / len(targets))),
    )
    note_edges(
        name,
        learning_rate=(best[0], parameters.learning_rates),
        decay=(best[1], parameters.decays),
    )
    return candidate(*best)
