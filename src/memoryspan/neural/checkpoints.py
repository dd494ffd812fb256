"""The checkpoint folder of one model: what is in it, and whose it is.

Files: ``checkpoint.pt`` (to resume from), ``best/`` (the model with the lowest validation loss),
``result.json`` (history and summary; written last, so its presence means finished). Each carries
the fingerprint of the run. All writes are atomic, and ``checkpoint.pt`` loads with
``weights_only=True``: tensors and plain values, no code.
"""

import hashlib
import json
import pickle
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch

from memoryspan.atomic import atomically_written, replaced
from memoryspan.errors import MemoryspanError
from memoryspan.text.streams import TokenStream

_DIGEST_BLOCK = 1 << 22
# What torch.load raises for a file that is none of its own, by where the damage is.
_DAMAGE = (RuntimeError, EOFError, pickle.UnpicklingError, struct.error, LookupError, ValueError)


def stream_digest(stream: TokenStream) -> str:
    """SHA-256 of a stream's ids, read block by block."""
    digest = hashlib.sha256()
    for start in range(0, len(stream), _DIGEST_BLOCK):
        block = np.ascontiguousarray(stream.ids[start : start + _DIGEST_BLOCK], dtype="<i4")
        digest.update(block.tobytes())
    return digest.hexdigest()


def fingerprint(facts: dict[str, Any]) -> str:
    """SHA-256 of everything that determines the outcome of a run."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class CheckpointFolder:
    """Reads and writes the files of one run."""

    def __init__(self, folder: Path, run_fingerprint: str) -> None:
        self.folder = folder
        self.fingerprint = run_fingerprint
        self.checkpoint_path = folder / "checkpoint.pt"
        self.result_path = folder / "result.json"
        self.best_folder = folder / "best"

    def result(self) -> dict[str, Any] | None:
        """History and summary, if this very run has finished."""
        if not self.result_path.exists():
            return None
        try:
            result: dict[str, Any] = json.loads(self.result_path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise _unreadable(self.result_path) from error
        if not isinstance(result, dict):
            raise _unreadable(self.result_path)
        return result if result.get("fingerprint") == self.fingerprint else None

    def checkpoint(self) -> dict[str, Any] | None:
        """The last checkpoint, if there is one of this very run."""
        if not self.checkpoint_path.exists():
            return None
        try:
            values: dict[str, Any] = torch.load(
                self.checkpoint_path, map_location="cpu", weights_only=True
            )
        except _DAMAGE as error:
            raise _unreadable(self.checkpoint_path) from error
        if not isinstance(values, dict):
            raise _unreadable(self.checkpoint_path)
        return values if values.get("fingerprint") == self.fingerprint else None

    def clear(self) -> None:
        """Make the folder empty of any run's files, and make sure that it exists."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.result_path.unlink(missing_ok=True)
        self.checkpoint_path.unlink(missing_ok=True)
        if self.best_folder.exists():
            shutil.rmtree(self.best_folder)

    def save_checkpoint(self, values: dict[str, Any]) -> None:
        """Replace the checkpoint."""
        with atomically_written(self.checkpoint_path) as file:
            torch.save({"fingerprint": self.fingerprint, **values}, file)

    def save_result(self, values: dict[str, Any]) -> None:
        """Mark the run as finished; its checkpoint is no longer needed."""
        text = json.dumps({"fingerprint": self.fingerprint, **values}, indent=1)
        with replaced(self.result_path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        self.checkpoint_path.unlink(missing_ok=True)


def _unreadable(path: Path) -> MemoryspanError:
    return MemoryspanError(f"{path} cannot be read. Delete {path.parent} to train from the start.")
