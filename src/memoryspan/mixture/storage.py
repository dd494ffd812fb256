"""A mixture on disk: a folder with ``mixture.json`` and its components, each as it saves itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memoryspan.archive import corrupt
from memoryspan.atomic import atomically_written_folder
from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.mixture.cache import UnigramCache
from memoryspan.mixture.model import Mixture

DESCRIPTION = "mixture.json"


def save_mixture(mixture: Mixture, folder: Path) -> None:
    """Write to a folder beside it, then exchange the two.

    Raises:
        MemoryspanError: it cannot be written; what was there is as it was.
    """
    with atomically_written_folder(folder) as new:
        about = [
            {**_saved(component, new, f"component_{number}"), "weight": float(weight)}
            for number, (component, weight) in enumerate(
                zip(mixture.components, mixture.weights, strict=True)
            )
        ]
        text = json.dumps({"name": mixture.name, "components": about}, indent=2)
        (new / DESCRIPTION).write_text(text, encoding="utf-8")


def _saved(component: Any, folder: Path, file: str) -> dict[str, Any]:
    """Write one component; how to find it again."""
    if isinstance(component, UnigramCache):
        return {"cache_tokens": component.tokens, "vocabulary_size": component.vocabulary_size}
    component.save(folder / file)
    return {"file": file}


def load_mixture(folder: Path, load_component: Callable[[Path], LanguageModel]) -> Mixture:
    """Read what ``save_mixture`` wrote.

    Args:
        folder: of the mixture.
        load_component: reads the model in a file or a folder.

    Raises:
        MemoryspanError: something is missing or damaged.
    """
    path = folder / DESCRIPTION
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        components = [_component(entry, folder, load_component) for entry in about["components"]]
        weights = [float(entry["weight"]) for entry in about["components"]]
        return Mixture(components, weights, str(about["name"]))
    except FileNotFoundError as error:
        raise MemoryspanError(
            f"There is no file {path}. Run the step that writes it first."
        ) from error
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise corrupt(path, error) from error


def _component(
    entry: dict[str, Any], folder: Path, load_component: Callable[[Path], LanguageModel]
) -> LanguageModel:
    """One component; its file lies in the folder, whatever the description says."""
    if "cache_tokens" in entry:
        return UnigramCache(int(entry["cache_tokens"]), int(entry["vocabulary_size"]))
    return load_component(folder / Path(str(entry["file"])).name)
