"""Adapting models on disk: a folder with ``adaptation.json`` and the network as it saves itself."""

import json
from pathlib import Path
from typing import Any

from memoryspan.archive import atomically_written_folder, corrupt
from memoryspan.errors import MemoryspanError
from memoryspan.neural.adaptation.neural_cache import NeuralCache
from memoryspan.neural.model import load

DESCRIPTION = "adaptation.json"
NETWORK = "network"
FORMAT = 1


def save_neural_cache(cache: NeuralCache, folder: Path) -> None:
    """See ``NeuralCache.save``."""
    with atomically_written_folder(folder) as new:
        cache.model.save(new / NETWORK)
        _describe(new, {"kind": "neural cache", "name": cache.name, "values": cache.tuned})


def load_adapting(folder: Path) -> NeuralCache:
    """Read what an adapting model saved.

    Raises:
        MemoryspanError: something is missing or damaged.
    """
    path = folder / DESCRIPTION
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["format"] != FORMAT:
            raise ValueError(f"its format is {about['format']}, not {FORMAT}")
        kind, name, values = about["kind"], str(about["name"]), dict(about["values"])
        model = load(folder / NETWORK)
        if kind == "neural cache":
            return NeuralCache(model, name=name, **values)
        raise ValueError(f"its kind is {kind!r}")
    except FileNotFoundError as error:
        raise MemoryspanError(
            f"There is no file {path}. Run the step that writes it first."
        ) from error
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise corrupt(path, error) from error


def _describe(folder: Path, about: dict[str, Any]) -> None:
    text = json.dumps({"format": FORMAT, **about}, indent=2)
    (folder / DESCRIPTION).write_text(text, encoding="utf-8")
