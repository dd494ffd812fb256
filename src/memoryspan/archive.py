"""One file format for counts, models and scores: numpy arrays and a JSON header, never pickled."""

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryspan.atomic import atomically_written
from memoryspan.errors import MemoryspanError

Arrays = dict[str, NDArray[Any]]
Header = dict[str, Any]


def write_archive(path: Path, header: Header, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write atomically: whatever happens, ``path`` is either the old file or the whole new one.

    Raises:
        MemoryspanError: the file cannot be written (no folder, no space, no permission).
    """
    text = json.dumps(header, ensure_ascii=False).encode()
    named: Any = {**arrays, "header": np.frombuffer(text, np.uint8)}
    with atomically_written(path) as file:
        np.savez(file, allow_pickle=False, **named)


def read_archive(path: Path) -> tuple[Header, Arrays]:
    """Header and arrays of an archive; its checksums are verified.

    Raises:
        MemoryspanError: there is no such file, or it is not a whole archive of this format.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return dict(json.loads(arrays.pop("header").tobytes())), arrays
    except FileNotFoundError as error:
        raise MemoryspanError(
            f"There is no file {path}. Run the step that writes it first."
        ) from error
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
    ) as error:
        raise corrupt(path, error) from error


def corrupt(path: Path, reason: object) -> MemoryspanError:
    """The error for a file that is there but cannot be used."""
    return MemoryspanError(
        f"{path} is damaged or is not what it should be ({reason}). "
        "Delete it and run the step that writes it again."
    )
