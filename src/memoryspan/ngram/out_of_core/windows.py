"""All places of a stream as rows of a Parquet file: the tokens w0, w1, … that begin there."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from memoryspan.ngram.trie import Ints
from memoryspan.text.vocabulary import END_ID

PLACES_PER_GROUP = 1 << 18
NOTHING = -1
"""Stands where an n-gram would go beyond its sentence."""


def write_windows(ids: Ints, order: int, path: Path) -> None:
    """One row per place: the N+1 tokens are ``</s>`` (what stands before the text) and the ids.

    Args:
        ids: int32 [N], possibly a memory map; it is read a piece at a time.
        order: columns w0 … w(order−1).
        path: of the file.

    Raises:
        OSError: it cannot be written.
    """
    columns = [f"w{k}" for k in range(order)]
    schema = pa.schema([(name, pa.int32()) for name in columns])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, len(ids) + 1, PLACES_PER_GROUP):
            end = min(begin + PLACES_PER_GROUP, len(ids) + 1)
            rows = windows(_read(ids, begin, end + order - 1), end - begin, order)
            writer.write_table(pa.table(dict(zip(columns, rows, strict=True)), schema=schema))


def _read(ids: Ints, begin: int, end: int) -> Ints:
    """Tokens ``begin:end``, where token 0 is the ``</s>`` before the text."""
    if begin > 0:
        return np.asarray(ids[begin - 1 : end - 1])
    return np.concatenate([np.array([END_ID], np.int32), ids[: end - 1]])


def windows(tokens: Ints, places: int, order: int) -> list[Ints]:
    """The tokens at and after each of the first places, ``NOTHING`` beyond the sentence.

    Returns:
        ``order`` columns, each int32 [places].
    """
    padded = np.full(places + order - 1, NOTHING, np.int32)
    padded[: len(tokens)] = tokens
    columns = [padded[:places]]
    inside = np.ones(places, bool)
    for k in range(1, order):
        if k > 1:
            inside &= padded[k - 1 : k - 1 + places] != END_ID
        columns.append(np.where(inside, padded[k : k + places], np.int32(NOTHING)))
    return columns
