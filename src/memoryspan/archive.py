"""One file format for counts, models and scores: numpy arrays and a JSON header, never pickled."""

import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

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


@contextmanager
def atomically_written(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of ``path`` when the block ends without an error.

    Until then, and after any error, ``path`` is as it was. A link is followed; a device or a pipe
    cannot be replaced and is written to directly.

    Raises:
        MemoryspanError: the file cannot be written (no folder, no space, no permission).
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BrokenPipeError:  # who reads the pipe has enough
        raise
    except OSError as error:
        raise unwritable(str(path), error) from error
    finally:
        if temporary.exists():
            temporary.unlink()


@contextmanager
def atomically_written_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill that takes the place of ``folder`` when the block ends without an error.

    Until then, and after any error, ``folder`` is as it was.

    Raises:
        MemoryspanError: it cannot be written.
    """
    new = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    try:
        new.mkdir(parents=True)
        yield new
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except OSError as error:
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise unwritable(str(folder), error) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


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


def unwritable(name: str, error: OSError) -> MemoryspanError:
    """The error for a file that could not be written to its end."""
    return MemoryspanError(
        f"Cannot write {name}: {error.strerror or error}. "
        "Whatever was there before is unchanged; free some space or choose another folder."
    )
