"""What all our datasets share: one file, written whole or not at all."""

from abc import abstractmethod
from pathlib import Path
from typing import Any, TypeVar

from kedro.io import AbstractDataset, DatasetError

from memoryspan.atomic import replaced, unwritable
from memoryspan.errors import MemoryspanError

# What readers of JSON, CSV and Parquet raise for a file that is none.
DAMAGE = (OSError, ValueError, LookupError, TypeError)

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
        """Write to a temporary file in the same folder, then rename it into place.

        Raises:
            MemoryspanError: if the file cannot be written; what existed is as it was.
        """
        try:
            self._filepath.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self._filepath, error) from error
        with replaced(self._filepath) as temporary:
            self.write(temporary, data)

    def load(self) -> Out:
        """Read the file.

        Raises:
            DatasetError: if it is not there.
            MemoryspanError: if it is damaged.
        """
        if not self._filepath.is_file():
            raise DatasetError(f"{self._filepath} does not exist yet: run the step that makes it")
        try:
            return self.read(self._filepath)
        except DAMAGE as error:
            raise MemoryspanError(
                f"{self._filepath} is damaged ({type(error).__name__}: {error}). "
                "Run the pipeline that makes it again."
            ) from error

    def _exists(self) -> bool:
        return self._filepath.is_file()

    def _describe(self) -> dict[str, Any]:
        return {"filepath": str(self._filepath)}
