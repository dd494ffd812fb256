"""Count the n-grams of a stream with a database, in bounded memory."""

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.counts import NgramCounts, countable_ids
from memoryspan.ngram.out_of_core.assembly import Batch, TrieBuilder
from memoryspan.ngram.trie import Ints
from memoryspan.text.streams import TokenStream

logger = logging.getLogger(__name__)

BATCH_ROWS = 1 << 17
Connect = Callable[[Path, int], AbstractContextManager[Any]]
"""Opens an Ibis backend; takes a folder for what it spills, and a memory budget in MB."""
Connected = Callable[[], AbstractContextManager[Any]]


def count_out_of_core(
    stream: TokenStream,
    order: int,
    connect: Connect,
    memory_budget_mb: int,
    folder: Path | None = None,
) -> NgramCounts:
    """The same as ``NgramCounts.of``; its arrays are memory maps of files without a name.

    Args:
        stream: N ids, possibly a memory map.
        order: the longest n-grams to count.
        connect: opens the database.
        memory_budget_mb: of the database and what is assembled beside it.
        folder: where to work, with room for about 60 bytes per token and order; the system's
            folder for temporary files if none is given. Nothing is left there.

    Raises:
        MemoryspanError: ids are outside the vocabulary, the disk is full, or the database fails.
    """
    ids = countable_ids(stream, order)
    unigrams = np.bincount(ids, minlength=stream.vocabulary_size).astype(np.int32)
    with working_folder(folder) as work:
        try:
            if order == 1:
                return TrieBuilder(unigrams, [], work).counts()
            return _counted(ids, unigrams, order, lambda: connect(work, memory_budget_mb), work)
        except MemoryspanError:
            raise
        except Exception as error:  # each database has errors of its own
            reason = str(error).strip().split("\n")[0] or type(error).__name__
            raise MemoryspanError(
                f"Counting n-grams out of core failed in {work.parent}: {reason}. Free some disk "
                "space there, or raise the memory budget."
            ) from error


def _counted(
    ids: Ints, unigrams: Ints, order: int, connected: Connected, work: Path
) -> NgramCounts:
    """The counts of orders 1 … N ≥ 2; what is computed goes from one Parquet file to the next."""
    import pyarrow.parquet as pq

    from memoryspan.ngram.out_of_core.expressions import longest_windows, ngrams
    from memoryspan.ngram.out_of_core.windows import write_windows

    windows, longest = work / "windows.parquet", work / "longest.parquet"
    tables = {n: work / f"order_{n}.parquet" for n in range(2, order + 1)}
    write_windows(ids, order, windows)
    with connected() as database:
        longest_windows(database.read_parquet(windows), order).to_parquet(longest)
        windows.unlink()
        for n, path in tables.items():
            ngrams(database.read_parquet(longest), n).to_parquet(path)
    _delete(longest)
    sizes = [
        sum(pq.read_metadata(part).num_rows for part in parts(path)) for path in tables.values()
    ]
    logger.info("n-grams of orders 2 to %d: %s", order, ", ".join(map(str, sizes)))
    builder = TrieBuilder(unigrams, sizes, work)
    for n, path in tables.items():
        builder.add(n, batches(path, n))
        _delete(path)
    return builder.counts()


def parts(path: Path) -> list[Path]:
    """The files of a table in their order: one, or, as Spark writes, a folder of them."""
    return [path] if path.is_file() else sorted(path.glob("part-*.parquet"))


def _delete(path: Path) -> None:
    """Room for what comes next."""
    if path.is_file():
        path.unlink()
    else:
        shutil.rmtree(path)


def batches(path: Path, n: int) -> Iterator[Batch]:
    """The rows of a table of n-grams, some at a time."""
    import pyarrow.parquet as pq

    for part in parts(path):
        with pq.ParquetFile(part) as file:
            for batch in file.iter_batches(BATCH_ROWS):
                tokens = np.stack([batch.column(f"w{k}").to_numpy() for k in range(n)])
                yield tokens, batch.column("count").to_numpy()


@contextmanager
def working_folder(folder: Path | None) -> Iterator[Path]:
    """A folder that is deleted, with all that is in it, whatever happens.

    Raises:
        MemoryspanError: none can be made.
    """
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="ngram_counts_", dir=folder))
    except OSError as error:
        raise MemoryspanError(
            f"Cannot make a folder for temporary files in {folder or tempfile.gettempdir()}: "
            f"{error.strerror or error}. Choose another one."
        ) from error
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
