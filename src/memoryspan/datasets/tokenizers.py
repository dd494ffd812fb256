"""Fitted tokenizers on disk."""

from pathlib import Path

from memoryspan.datasets.atomic import AtomicFileDataset
from memoryspan.text.tokenizers import Tokenizer


class TokenizerDataset(AtomicFileDataset[Tokenizer, Tokenizer]):
    """A fitted tokenizer with its vocabulary, as JSON."""

    def write(self, path: Path, data: Tokenizer) -> None:
        """Write the tokenizer's own JSON."""
        path.write_text(data.to_json(), encoding="utf-8")

    def read(self, path: Path) -> Tokenizer:
        """Read and check it."""
        return Tokenizer.from_json(path.read_text(encoding="utf-8"))
