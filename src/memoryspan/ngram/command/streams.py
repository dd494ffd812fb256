"""Standard streams, progress and JSON at the command line."""

import io
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.text_files import Progress

STANDARD = "-"
STANDARD_ERROR = 2


def occupy_closed_streams() -> None:
    """Standard streams that are closed lead nowhere: no file of ours may get their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STANDARD_ERROR:
        pass
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = os.fdopen(STANDARD_ERROR, "w", encoding="utf-8", closefd=False)


def standard_input() -> io.BufferedReader:
    """The bytes of standard input.

    Raises:
        MemoryspanError: it is closed.
    """
    if sys.stdin is None:
        raise MemoryspanError("Standard input is closed; name a file instead of -.")
    return io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False))


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output; what cannot be written there is an error of ours.

    Raises:
        MemoryspanError: it is closed, or its device is full.
        BrokenPipeError: nobody reads it any more.
    """
    if sys.stdout is None:
        raise MemoryspanError(
            "Standard output is closed, but results go there; lead it to a file or to /dev/null."
        )
    try:
        yield sys.stdout
    except BrokenPipeError:
        raise
    except OSError as error:
        raise MemoryspanError(
            f"Cannot write standard output: {error.strerror or error}. "
            "Lead it to a file on a disk with free space."
        ) from error


def flush_output() -> None:
    """Write all that was printed; see ``standard_output``."""
    with standard_output() as output:
        output.flush()


def give_up_output() -> None:
    """What could not be written is forgotten: Python would try again when it exits."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def spoken(name: str) -> str:
    """How a file is called in a message."""
    return "standard input" if name == STANDARD else name


def text_named(name: str) -> Path | io.BufferedIOBase:
    """The text file of a name, or standard input."""
    return standard_input() if name == STANDARD else Path(name)


@contextmanager
def progress_bar(name: str, what: str) -> Iterator[Progress | None]:
    """A bar on standard error that counts bytes, where a person looks at it."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    path = Path(name)
    plain = path.is_file() and path.suffix.lower() not in (".gz", ".bz2", ".xz")
    size = path.stat().st_size if plain else None
    with tqdm(desc=what, total=size, unit="B", unit_scale=True, leave=False, delay=0.5) as bar:
        yield bar.update


def print_json(result: dict[str, Any], output: TextIO) -> None:
    """One object; what is no number in JSON is null there, or "infinity"."""
    finite = {key: _finite(value) for key, value in result.items()}
    print(json.dumps(finite, ensure_ascii=False, indent=2, allow_nan=False), file=output)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        return "infinity"
    return value
