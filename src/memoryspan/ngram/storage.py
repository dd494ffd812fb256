"""Read any model of this room back from its file."""

from collections.abc import Callable
from pathlib import Path

from memoryspan.archive import Arrays, Header, corrupt, read_archive
from memoryspan.language_model import LanguageModel
from memoryspan.ngram import chance, model

READERS: dict[str, Callable[[Header, Arrays], LanguageModel]] = {
    model.KIND: model.NgramModel.from_archive,
    chance.KIND: chance.chance_model_from_archive,
}


def load_model(path: Path) -> LanguageModel:
    """The model that was saved to a file.

    Raises:
        MemoryspanError: the file is missing, damaged or holds no model.
    """
    header, arrays = read_archive(path)
    kind = header.get("kind", "something else")
    if kind not in READERS:
        raise corrupt(path, f"it holds {kind}, not a model")
    try:
        return READERS[kind](header, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise corrupt(path, error) from error
