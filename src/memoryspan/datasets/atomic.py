"""What all our datasets share: one file, written whole or not at all."""

import os
from abc import abstractmethod
from pathlib import Path
from typing import Any, TypeVar

from kedro.io import AbstractDataset, DatasetError

In = TypeVar("In")
Out = TypeVar("Out")


class AtomicFileDataset(AbstractDataset[In, Out]):
    """One file on the local disk; ``save`` writes beside it and renames.

    A reader never sees half a file, and a failed write leaves what existed as it was.

    Args:
        filepath: where the file is (Kedro makes it absolute from the project's root).
        metadata: for Kedro plugins only (kedro-viz layers).
    """

    def __init__(self, *, filepath: str, metadata: dict[str, Any] | None = None) -> None:
        self._filepath = Path(filepath)
        self.metadata = metadata

    @abstractmethod
    def write(self, path: Path, data: In) -> None:
        """Write ``data`` to ``path`` (a temporary file with the final suffix)."""

    @abstractmethod
    def read(self, path: Path) -> Out:
        """Read what ``write`` wrote."""

    def save(self, data: In) -> None:
        """Write to a temporary file in the same folder, then rename it into place."""
        self._filepath.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._filepath.with_name(f".{os.getpid()}.{self._filepath.name}")
        try:
            self.write(temporary, data)
            temporary.replace(self._filepath)
        finally:
            temporary.unlink(missing_ok=True)

    def load(self) -> Out:
        """Read the file.

        Raises:
            DatasetError: if it is not there.
        """
        if not self._filepath.is_file():
            raise DatasetError(f"{self._filepath} does not exist yet: run the step that makes it")
        return self.read(self._filepath)

    def _exists(self) -> bool:
        return self._filepath.is_file()

    def _describe(self) -> dict[str, Any]:
        return {"filepath": str(self._filepath)}
