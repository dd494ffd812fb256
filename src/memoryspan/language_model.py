"""The one interface: what every model can be asked, whatever its family.

P(x_{t+1} | x_t, …, x_1) over a vocabulary V. Evaluation, probes, surprisal, generation and
serving are written against this protocol and never against a class. All probabilities are
natural logarithms (nats); a probability of zero is ``-inf``.
"""

from itertools import pairwise
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memoryspan.text.streams import TokenStream

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Family = Literal[
    "chance", "n-gram", "feed-forward", "recurrent", "transformer", "adaptive", "mixture"
]


@runtime_checkable
class LanguageModel(Protocol):
    """A model of the next token.

    Attributes:
        name: unique within a run: ``lstm``, ``kneser_ney_5``, …
        family: what kind of model it is, for tables and colours only.
        vocabulary_size: V.
        context_order: how many tokens of context can matter; None = unbounded.
            (A 5-gram model has 4, a unigram or uniform model 0.)
        parameter_count: trained weights, or stored probabilities and back-off weights.
    """

    name: str
    family: Family
    vocabulary_size: int
    context_order: int | None
    parameter_count: int

    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """Score a stream as it is read from its beginning.

        Args:
            stream: N ids. Token ``p`` is predicted from ``</s>, ids[0], …, ids[p-1]``.
            window: if given, each token is predicted from at most the last ``window`` tokens of
                that context and nothing else (no state from before them).

        Returns:
            float64 [N], log P(ids[p] | context) in nats.
        """
        ...

    def next_log_probs(self, contexts: Ids) -> Floats:
        """The distribution of the next token after contexts that have nothing before them.

        Args:
            contexts: int32 [B, K], K ≥ 0. A leading ``</s>`` means "at the start of a sentence";
                without it the context is a fragment whose left side is not known.

        Returns:
            float64 [B, V], nats; the exponentials of each row sum to one.
        """
        ...


@runtime_checkable
class StatefulLanguageModel(LanguageModel, Protocol):
    """A model that reads one token at a time and carries a state (recurrent models)."""

    def initial_state(self, batch_size: int) -> object:
        """The zero state of ``batch_size`` sequences."""
        ...

    def step(self, tokens: Ids, state: object) -> tuple[Floats, object]:
        """Read one token per sequence.

        Args:
            tokens: int32 [B].
            state: what ``initial_state`` or the last ``step`` gave; it is not changed.

        Returns:
            float64 [B, V] nats for the token after, and the new state.
        """
        ...


@runtime_checkable
class SentenceScorer(Protocol):
    """A model with a faster way than one text after the other to score sentences on their own."""

    def sentence_log_probs(self, stream: TokenStream) -> Floats:
        """See the function ``sentence_log_probs``."""
        ...


def sentence_log_probs(model: LanguageModel, stream: TokenStream) -> Floats:
    """Score every sentence of a stream as a text of its own: each forgets those before it.

    The predicted tokens are those of ``token_log_probs``; each is predicted from ``</s>`` and the
    tokens before it in its sentence.

    Args:
        model: any language model.
        stream: N ids.

    Returns:
        float64 [N], log P(ids[p] | its sentence so far) in nats.
    """
    if isinstance(model, SentenceScorer):
        return model.sentence_log_probs(stream)
    scores = np.empty(len(stream))
    bounds = stream.sentence_bounds.tolist()
    for begin, end in pairwise(bounds):
        sentence = TokenStream.of(stream.ids[begin:end], stream.vocabulary_size)
        scores[begin:end] = model.token_log_probs(sentence)
    return scores
