"""Dynamic evaluation as a language model: a network that goes on learning while it reads.

A token is scored before anything is learned from it: the weights that predict it come from whole
chunks of n tokens before it, counted from the beginning of the text. The same rule holds where a
context arrives alone: the network reads it as if the text began there, learns from each whole
chunk of n predicted tokens in it, and then predicts. A context of at most n tokens teaches
nothing, so the prediction after it is the network's own.

Legend: B contexts, K tokens of each, P places of a text, V tokens.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from torch import Tensor

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import Family, Floats, Ids
from memoryspan.neural.adaptation.adapting_network import AdaptingNetwork
from memoryspan.neural.adaptation.dynamic_equations import rms_steps, sgd_steps
from memoryspan.neural.contexts import Int64s, rows_of_distinct, windows
from memoryspan.neural.model import NeuralLanguageModel
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

EPSILON = 0.001  # Krause et al.'s


class DynamicEvaluation:
    """A ``LanguageModel``: a network whose weights follow the text (Krause et al. 2018).

    It begins every text, and every context, with the trained weights, and keeps nothing from one
    call to the next.

    Args:
        model: the network; it stays as it is.
        chunk: n ≥ 1, tokens between two updates.
        learning_rate: η ≥ 0; 0: the network alone.
        decay: λ in [0, 1], back to the trained weights.
        epsilon: ε > 0, added to √MS_g.
        mean_squares: MS_g by the name of the weights, for steps divided by the usual gradient;
            None: plain SGD.
        name: unique within a run.
    """

    family: Family = "adaptive"
    context_order: int | None = None

    def __init__(
        self,
        model: NeuralLanguageModel,
        chunk: int,
        learning_rate: float,
        decay: float,
        epsilon: float = EPSILON,
        mean_squares: Mapping[str, Tensor] | None = None,
        name: str = "dynamic",
    ) -> None:
        if chunk < 1 or learning_rate < 0 or not 0 <= decay <= 1 or epsilon <= 0:
            values = f"n = {chunk}, η = {learning_rate}, λ = {decay}, ε = {epsilon}"
            raise ValueError(f"no dynamic evaluation: {values}")
        weights = dict(model.network.named_parameters())
        if mean_squares is not None and {k: v.shape for k, v in mean_squares.items()} != {
            k: v.shape for k, v in weights.items()
        }:
            raise ValueError("the mean squares of the gradient are not those of the network")
        self.name = name
        self.model = model
        self.chunk = chunk
        self.learning_rate = learning_rate
        self.decay = decay
        self.epsilon = epsilon
        self.mean_squares = mean_squares
        self.vocabulary_size = model.vocabulary_size
        self.parameter_count = model.parameter_count + 2

    @property
    def tuned(self) -> dict[str, float]:
        """n, η, λ and ε."""
        return {
            "chunk": self.chunk,
            "learning_rate": self.learning_rate,
            "decay": self.decay,
            "epsilon": self.epsilon,
        }

    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """See ``LanguageModel``: float64 [P], nats.

        With a window of more than n tokens every token has an adaptation of its own, which takes
        its time.

        Raises:
            MemoryspanError: if the stream has another vocabulary size, or the weights ran away.
        """
        if self.learning_rate == 0 or (window is not None and window <= self.chunk):
            return self.model.token_log_probs(stream, window)
        inputs, targets = self.model.inputs_and_targets(stream)
        adapting = self.adapting()
        start = adapting.read(inputs[:window], targets[:window], self.chunk)
        if window is None:
            return self._finite(start)
        rest = np.empty(max(0, len(targets) - window))
        for rows, contexts in windows(inputs, window):
            for row, context in zip(rows, contexts, strict=True):
                log_probs_1V = self._after(adapting, context)
                rest[row] = log_probs_1V[0, targets[window + row]]
        return self._finite(np.concatenate([start, rest]))

    def next_log_probs(self, contexts: Ids) -> Floats:
        """See ``LanguageModel``: float64 [B, V], nats, after learning from each context alone.

        Raises:
            MemoryspanError: if the weights ran away.
        """
        if self.learning_rate == 0 or contexts.shape[1] <= self.chunk:
            return self.model.next_log_probs(contexts)
        adapting = self.adapting()

        def rows_of(contexts_BK: Tensor) -> Floats:
            return np.concatenate([self._after(adapting, row) for row in contexts_BK.numpy()])

        seen = np.asarray(contexts, dtype=np.int64)
        return self._finite(rows_of_distinct(seen, self.vocabulary_size, rows_of))

    def sentence_log_probs(self, stream: TokenStream) -> Floats:
        """See ``SentenceScorer``: sentences of at most n tokens are scored by the network alone.

        Raises:
            MemoryspanError: if the stream has another vocabulary size, or the weights ran away.
        """
        result = self.model.sentence_log_probs(stream)
        bounds = stream.sentence_bounds
        if self.learning_rate == 0 or np.diff(bounds).max(initial=0) <= self.chunk:
            return result
        adapting = self.adapting()
        for sentence in np.flatnonzero(np.diff(bounds) > self.chunk):
            places = slice(bounds[sentence], bounds[sentence + 1])
            targets = stream.ids[places].astype(np.int64)
            adapting.restart()
            inputs = np.concatenate([[END_ID], targets[:-1]])
            result[places] = adapting.read(inputs, targets, self.chunk)
        return self._finite(result)

    def adapting(self) -> AdaptingNetwork:
        """A copy of the network at the beginning of a text."""
        rates = self.learning_rate, self.decay
        if self.mean_squares is None:
            names = (name for name, _ in self.model.network.named_parameters())
            return AdaptingNetwork(self.model.network, sgd_steps(names, *rates))
        steps = rms_steps(self.mean_squares, *rates, self.epsilon)
        return AdaptingNetwork(self.model.network, steps)

    def _after(self, adapting: AdaptingNetwork, context: Int64s) -> Floats:
        """log P [1, V] after a context with nothing before it, K ≥ 1."""
        adapting.restart()
        learned = (len(context) - 1) // self.chunk * self.chunk
        adapting.read(context[:learned], context[1 : learned + 1], self.chunk)
        return adapting.log_probs_after(context[learned:])

    def _finite(self, log_probs: Floats) -> Floats:
        """The same, if all of them are numbers."""
        if np.isfinite(log_probs).all():
            return log_probs
        raise MemoryspanError(
            f"{self.name}: the weights ran away while they followed the text (η = "
            f"{self.learning_rate:g}). Lower the learning rate of dynamic evaluation."
        )

    def save(self, folder: Path) -> None:
        """Write the network, the tuned values and the mean squares, whole or not at all.

        Raises:
            MemoryspanError: it cannot be written.
        """
        from memoryspan.neural.adaptation.storage import save_dynamic_evaluation

        save_dynamic_evaluation(self, folder)
