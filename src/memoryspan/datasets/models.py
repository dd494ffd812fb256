"""Read a model of any family back from where it saved itself."""

from pathlib import Path

from memoryspan.language_model import LanguageModel
from memoryspan.mixture.model import Mixture
from memoryspan.mixture.storage import load_mixture as load_mixture_of
from memoryspan.ngram.storage import load_model


def load_any(path: Path) -> LanguageModel:
    """The model in an archive (n-grams, chance) or in a folder (neural).

    Raises:
        MemoryspanError: it is missing, damaged or no model.
    """
    if path.is_dir():
        from memoryspan.neural.model import load

        return load(path)
    return load_model(path)


def load_mixture(folder: Path) -> Mixture:
    """The mixture in a folder, with all of its components.

    Raises:
        MemoryspanError: something is missing or damaged.
    """
    return load_mixture_of(folder, load_any)
