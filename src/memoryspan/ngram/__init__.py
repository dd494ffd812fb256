"""N-gram models: counts, seven estimators, pruning, ARPA files. From sentences:

    from memoryspan.ngram import train

    model = train(["the cat sat", "the dog sat"], order=3)     # or Path("corpus.txt")
    model.perplexity(["the dog slept"])
    model.next_words("the", 5)
    model.write_arpa("model.arpa.gz")

From token ids, as the pipelines do:

    counts = NgramCounts.of(stream, order=5)
    counts.table(3, vocabulary)              # a DataFrame: w1, w2, w3, count
    seen_ngrams(counts, other_stream, seed)  # a DataFrame: the share that was counted, by order
    model = KneserNey().estimate(counts, order=5)
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
    from memoryspan.ngram.absolute_discounting import AbsoluteDiscounting
    from memoryspan.ngram.add_k import AddK
    from memoryspan.ngram.arpa import ArpaModel, read_arpa, write_arpa
    from memoryspan.ngram.chance import UniformModel, UnigramModel
    from memoryspan.ngram.continuations import top_continuations
    from memoryspan.ngram.counts import NgramCounts
    from memoryspan.ngram.estimators import Estimator, make_estimator
    from memoryspan.ngram.growth import growth_curve, heaps_fit
    from memoryspan.ngram.jelinek_mercer import JelinekMercer
    from memoryspan.ngram.katz import Katz
    from memoryspan.ngram.kneser_ney import KneserNey
    from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
    from memoryspan.ngram.model import NgramModel
    from memoryspan.ngram.parameters import NgramParameters
    from memoryspan.ngram.pruning import prune_by_entropy
    from memoryspan.ngram.sparsity import seen_ngrams
    from memoryspan.ngram.storage import load_model
    from memoryspan.ngram.text_model import TextModel, train
    from memoryspan.ngram.text_scores import TextScores
    from memoryspan.ngram.witten_bell import WittenBell

__all__ = [
    "AbsoluteDiscounting",
    "AddK",
    "ArpaModel",
    "Estimator",
    "JelinekMercer",
    "Katz",
    "KneserNey",
    "MaximumLikelihood",
    "NgramCounts",
    "NgramModel",
    "NgramParameters",
    "TextModel",
    "TextScores",
    "UniformModel",
    "UnigramModel",
    "WittenBell",
    "growth_curve",
    "heaps_fit",
    "load_model",
    "make_estimator",
    "prune_by_entropy",
    "read_arpa",
    "seen_ngrams",
    "top_continuations",
    "train",
    "write_arpa",
]

_MODULES = {
    "AbsoluteDiscounting": "absolute_discounting",
    "AddK": "add_k",
    "Estimator": "estimators",
    "JelinekMercer": "jelinek_mercer",
    "Katz": "katz",
    "KneserNey": "kneser_ney",
    "MaximumLikelihood": "maximum_likelihood",
    "ArpaModel": "arpa",
    "NgramCounts": "counts",
    "NgramModel": "model",
    "NgramParameters": "parameters",
    "TextModel": "text_model",
    "TextScores": "text_scores",
    "UniformModel": "chance",
    "UnigramModel": "chance",
    "WittenBell": "witten_bell",
    "growth_curve": "growth",
    "heaps_fit": "growth",
    "load_model": "storage",
    "make_estimator": "estimators",
    "prune_by_entropy": "pruning",
    "read_arpa": "arpa",
    "seen_ngrams": "sparsity",
    "top_continuations": "continuations",
    "train": "text_model",
    "write_arpa": "arpa",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
