"""N-gram models: counts, discounts, maximum likelihood and Kneser–Ney.

    from memoryspan.ngram import NgramCounts, estimate_kneser_ney

    counts = NgramCounts.of(stream, order=5)
    counts.table(3, vocabulary)              # a DataFrame: w1, w2, w3, count
    model = estimate_kneser_ney(counts, order=5)
    model.token_log_probs(other_stream)      # nats, one per token
    model.next_log_probs(contexts)           # nats, a row over the vocabulary per context
    write_arpa(model, vocabulary, "model.arpa.gz")
    read_arpa("model.arpa.gz").model         # of any other tool, too

Names are loaded when they are first used, so that importing ``memoryspan.ngram.parameters``
stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryspan.ngram.arpa import ArpaModel, read_arpa, write_arpa
    from memoryspan.ngram.chance import UniformModel, UnigramModel
    from memoryspan.ngram.counts import NgramCounts
    from memoryspan.ngram.kneser_ney import estimate_kneser_ney
    from memoryspan.ngram.maximum_likelihood import estimate_maximum_likelihood
    from memoryspan.ngram.model import NgramModel
    from memoryspan.ngram.parameters import NgramParameters
    from memoryspan.ngram.storage import load_model

__all__ = [
    "ArpaModel",
    "NgramCounts",
    "NgramModel",
    "NgramParameters",
    "UniformModel",
    "UnigramModel",
    "estimate_kneser_ney",
    "estimate_maximum_likelihood",
    "load_model",
    "read_arpa",
    "write_arpa",
]

_MODULES = {
    "ArpaModel": "arpa",
    "NgramCounts": "counts",
    "NgramModel": "model",
    "NgramParameters": "parameters",
    "UniformModel": "chance",
    "UnigramModel": "chance",
    "estimate_kneser_ney": "kneser_ney",
    "estimate_maximum_likelihood": "maximum_likelihood",
    "load_model": "storage",
    "read_arpa": "arpa",
    "write_arpa": "arpa",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
