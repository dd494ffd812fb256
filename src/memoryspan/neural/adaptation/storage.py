"""Adapting models on disk: a folder with ``adaptation.json`` and the network as it saves itself.

Beside them, of dynamic evaluation, the mean squares of the gradient as safetensors.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from memoryspan.archive import corrupt
from memoryspan.atomic import atomically_written_folder
from memoryspan.errors import MemoryspanError
from memoryspan.neural.adaptation.dynamic_evaluation import DynamicEvaluation
from memoryspan.neural.adaptation.neural_cache import NeuralCache
from memoryspan.neural.model import load

DESCRIPTION = "adaptation.json"
NETWORK = "network"
SQUARES = "mean_squares.safetensors"
FORMAT = 1


def save_neural_cache(cache: NeuralCache, folder: Path) -> None:
    """See ``NeuralCache.save``."""
    with atomically_written_folder(folder) as new:
        cache.model.save(new / NETWORK)
        _describe(new, {"kind": "neural cache", "name": cache.name, "values": cache.tuned})


def save_dynamic_evaluation(dynamic: DynamicEvaluation, folder: Path) -> None:
    """See ``DynamicEvaluation.save``."""
    about = {"kind": "dynamic evaluation", "name": dynamic.name, "values": dynamic.tuned}
    with atomically_written_folder(folder) as new:
        dynamic.model.save(new / NETWORK)
        if dynamic.mean_squares is not None:
            about["squares_sha256"] = _save_squares(new / SQUARES, dynamic.mean_squares)
        _describe(new, about)


def load_adapting(folder: Path) -> NeuralCache | DynamicEvaluation:
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
        if kind == "dynamic evaluation":
            squares = _load_squares(folder / SQUARES, about.get("squares_sha256"))
            return DynamicEvaluation(model, name=name, mean_squares=squares, **values)
        raise ValueError(f"its kind is {kind!r}")
    except FileNotFoundError as error:
        raise MemoryspanError(
            f"There is no file {error.filename}. Run the step that writes it first."
        ) from error
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise corrupt(path, error) from error


def _describe(folder: Path, about: dict[str, Any]) -> None:
    text = json.dumps({"format": FORMAT, **about}, indent=2)
    (folder / DESCRIPTION).write_text(text, encoding="utf-8")


def _save_squares(path: Path, squares: Mapping[str, Tensor]) -> str:
    """Write the tensors; the digest of the file."""
    data = save_tensors(dict(squares))
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def _load_squares(path: Path, digest: str | None) -> dict[str, Tensor] | None:
    """The tensors of the file with this digest; None where there is to be none.

    Raises:
        FileNotFoundError: it is missing.
        ValueError: it is another file.
    """
    if digest is None:
        return None
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError(f"{path.name} is not the file that was saved with it")
    return load_tensors(data)
