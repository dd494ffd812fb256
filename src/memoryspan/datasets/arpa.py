"""N-gram models as ARPA files, for all other tools that read them."""

from pathlib import Path

from kedro.io import AbstractDataset, DatasetError

from memoryspan.ngram.text_model import TextModel


class ArpaDataset(AbstractDataset[TextModel, TextModel]):
    """An ARPA file, compressed if its name ends in ``.gz``, ``.bz2`` or ``.xz``.

    Args:
        filepath: where the file is.
        metadata: for Kedro plugins only (kedro-viz layers).
    """

    def __init__(self, *, filepath: str, metadata: dict[str, object] | None = None) -> None:
        self._filepath = Path(filepath)
        self.metadata = metadata

    def save(self, data: TextModel) -> None:
        """Write the file, whole or not at all."""
        self._filepath.parent.mkdir(parents=True, exist_ok=True)
        data.write_arpa(self._filepath)

    def load(self) -> TextModel:
        """Read the file.

        Raises:
            DatasetError: if it is not there.
            MemoryspanError: it is no whole, consistent ARPA file; the message names the line.
        """
        if not self._filepath.exists():
            raise DatasetError(f"{self._filepath} does not exist yet: run the step that makes it")
        return TextModel.from_arpa(self._filepath)

    def _exists(self) -> bool:
        return self._filepath.exists()

    def _describe(self) -> dict[str, str]:
        return {"filepath": str(self._filepath)}
