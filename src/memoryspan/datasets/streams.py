"""Token streams on disk: ids that are memory-mapped, bounds in JSON."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from memoryspan.datasets.atomic import AtomicFileDataset
from memoryspan.errors import MemoryspanError
from memoryspan.text.streams import TokenStream


class TokenStreamDataset(AtomicFileDataset[TokenStream, TokenStream]):
    """``NAME.json`` (documents and bounds) that names the file of ids beside it.

    The ids lie in ``NAME.<number>.npy``; the JSON file is renamed into place last, so it
    always speaks of a complete file of ids. Older ids are removed after that.
    """

    def write(self, path: Path, data: TokenStream) -> None:
        """Write the ids, then the JSON that points to them."""
        stem = self._filepath.stem
        number = max((_number(old) for old in self._ids_files()), default=0) + 1
        ids = self._filepath.with_name(f"{stem}.{number}.npy")
        with ids.open("wb") as file:
            np.save(file, np.ascontiguousarray(data.ids, dtype=np.int32), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        description = {
            "ids": ids.name,
            "tokens": len(data),
            "vocabulary_size": data.vocabulary_size,
            "vocabulary_digest": data.vocabulary_digest,
            "documents": list(data.documents),
            "document_bounds": data.document_bounds.tolist(),
            "document_bytes": data.document_bytes.tolist(),
            "document_words": data.document_words.tolist(),
        }
        path.write_text(json.dumps(description, ensure_ascii=False), encoding="utf-8")

    def save(self, data: TokenStream) -> None:
        """Write atomically, then remove the ids of the stream that was there before."""
        super().save(data)
        current = json.loads(self._filepath.read_text(encoding="utf-8"))["ids"]
        for old in self._ids_files():
            if old.name != current:
                old.unlink(missing_ok=True)

    def read(self, path: Path) -> TokenStream:
        """Map the ids and check that they are what the JSON says.

        Raises:
            MemoryspanError: if the file of ids is missing or of another length.
        """
        description = json.loads(path.read_text(encoding="utf-8"))
        ids_path = path.with_name(description["ids"])
        try:
            ids = np.load(ids_path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise MemoryspanError(
                f"{ids_path} cannot be read ({error}); run the pipeline tokenize again"
            ) from error
        if len(ids) != description["tokens"]:
            raise MemoryspanError(
                f"{ids_path} has {len(ids)} tokens, {path.name} says {description['tokens']}; "
                "run the pipeline tokenize again"
            )
        return TokenStream(
            ids=ids,
            vocabulary_size=description["vocabulary_size"],
            documents=tuple(description["documents"]),
            document_bounds=np.array(description["document_bounds"], dtype=np.int64),
            document_bytes=np.array(description["document_bytes"], dtype=np.int64),
            document_words=np.array(description["document_words"], dtype=np.int64),
            vocabulary_digest=description.get("vocabulary_digest", ""),
        )

    def _ids_files(self) -> list[Path]:
        folder = self._filepath.parent
        return [old for old in folder.glob(f"{self._filepath.stem}.*.npy") if _number(old)]

    def _describe(self) -> dict[str, Any]:
        return {"filepath": str(self._filepath), "memory_mapped": True}


def _number(path: Path) -> int:
    """The running number in ``NAME.<number>.npy``; 0 for another file."""
    number = path.name.split(".")[-2]
    return int(number) if number.isdigit() else 0
