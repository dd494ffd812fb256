"""Things that know how to save and load themselves: count tables, models, scores, tokenizers."""

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from kedro.io import AbstractDataset, DatasetError


class Artefact(Protocol):
    """An object with its own atomic ``save``."""

    def save(self, path: Path) -> None:
        """Write to ``path`` (a file or a folder), whole or not at all."""


class ArtefactDataset(AbstractDataset[Artefact, Any]):
    """An artefact that writes itself and a loader, named in the catalog, that reads it.

    Args:
        filepath: a file or a folder, as the artefact likes.
        loader: ``package.module:function`` or ``package.module:Class.method``, called with the
            path. It is imported only when something is loaded.
        metadata: for Kedro plugins only.
    """

    def __init__(
        self, *, filepath: str, loader: str, metadata: dict[str, Any] | None = None
    ) -> None:
        self._filepath = Path(filepath)
        self._loader = loader
        self.metadata = metadata

    def save(self, data: Artefact) -> None:
        """Let the artefact write itself."""
        self._filepath.parent.mkdir(parents=True, exist_ok=True)
        data.save(self._filepath)

    def load(self) -> Any:
        """Read the artefact.

        Raises:
            DatasetError: if it is not there.
        """
        if not self._filepath.exists():
            raise DatasetError(f"{self._filepath} does not exist yet: run the step that makes it")
        module, _, attributes = self._loader.partition(":")
        loader: Any = import_module(module)
        for attribute in attributes.split("."):
            loader = getattr(loader, attribute)
        return loader(self._filepath)

    def _exists(self) -> bool:
        return self._filepath.exists()

    def _describe(self) -> dict[str, Any]:
        return {"filepath": str(self._filepath), "loader": self._loader}
