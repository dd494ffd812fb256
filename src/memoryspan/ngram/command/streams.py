"""Texts, progress and JSON at the command line."""

import io
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memoryspan.ngram.text_files import Progress

STANDARD = "-"


def text_named(name: str) -> Path | io.BufferedIOBase:
    """The text file of a name, or standard input."""
    if name == STANDARD:
        return io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False))
    return Path(name)


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


def print_json(result: dict[str, Any]) -> None:
    """One object on standard output; what is no number in JSON is null there."""
    finite = {key: _finite(value) for key, value in result.items()}
    print(json.dumps(finite, ensure_ascii=False, indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        return "infinity"
    return value
