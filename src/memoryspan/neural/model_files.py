"""The files of a trained network: weights as safetensors, and a description as JSON."""

import hashlib
import json
from pathlib import Path

from safetensors.torch import load, save

from memoryspan.atomic import replaced
from memoryspan.errors import MemoryspanError
from memoryspan.neural.network import Network
from memoryspan.neural.networks import build_network
from memoryspan.neural.parameters import NetworkParameters

WEIGHTS_FILE = "model.safetensors"
DESCRIPTION_FILE = "model.json"
FORMAT = 2


def save_network(folder: Path, name: str, network: Network) -> None:
    """Write weights and description; each file is replaced at once, the description last."""
    folder.mkdir(parents=True, exist_ok=True)
    data = save({key: tensor.cpu() for key, tensor in network.state_dict().items()})
    description = {
        "format": FORMAT,
        "name": name,
        "vocabulary_size": network.vocabulary_size,
        "network": network.parameters_.model_dump(),
        "weights_sha256": hashlib.sha256(data).hexdigest(),
    }
    with replaced(folder / WEIGHTS_FILE) as weights:
        weights.write_bytes(data)
    with replaced(folder / DESCRIPTION_FILE) as described:
        described.write_text(json.dumps(description, indent=1), encoding="utf-8")


def load_network(folder: Path) -> tuple[str, Network]:
    """Name and network that ``save_network`` wrote.

    Raises:
        MemoryspanError: if a file is missing, damaged, of another version, or does not fit.
    """
    description_path, weights_path = folder / DESCRIPTION_FILE, folder / WEIGHTS_FILE
    for path in (description_path, weights_path):
        if not path.is_file():
            raise MemoryspanError(f"{path} is missing: no complete model was saved in {folder}.")
    try:
        description = json.loads(description_path.read_text(encoding="utf-8"))
        _check_format(description_path, description["format"])
        shape = NetworkParameters(**description["network"])
        name, digest = description["name"], description["weights_sha256"]
        network = build_network(shape, description["vocabulary_size"])
    except (ValueError, KeyError, TypeError) as error:  # ValidationError is a ValueError
        raise MemoryspanError(
            f"{description_path} does not describe a model. Delete {folder} and train again."
        ) from error
    data = weights_path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise MemoryspanError(
            f"{weights_path} is damaged or not the file that {description_path} describes."
            f" Delete {folder} and train again."
        )
    network.load_state_dict(load(data))
    return name, network


def _check_format(path: Path, version: object) -> None:
    if version != FORMAT:
        raise MemoryspanError(
            f"{path} has format {version}; this version of memoryspan reads {FORMAT}."
            f" Delete {path.parent} and train again."
        )
