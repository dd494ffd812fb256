"""Which engine counts: in memory where the counts fit a budget, else the database."""

import logging
from pathlib import Path

from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.out_of_core.databases import duckdb_database
from memoryspan.ngram.out_of_core.engine import Connect, count_out_of_core
from memoryspan.ngram.parameters import CountingParameters
from memoryspan.text.streams import TokenStream

logger = logging.getLogger(__name__)

BYTES_PER_TOKEN_AND_ORDER = 15
"""What counting and estimating in memory takes at most, of text like novels."""


def count_ngrams(
    stream: TokenStream,
    order: int,
    parameters: CountingParameters,
    connect: Connect = duckdb_database,
    folder: Path | None = None,
) -> NgramCounts:
    """The n-grams of a stream, by the engine that the parameters choose.

    Args:
        stream: N ids.
        order: the longest n-grams to count, 1–10.
        parameters: engine and memory budget.
        connect: opens the database of the out-of-core engine.
        folder: where that engine works.

    Raises:
        MemoryspanError: see ``NgramCounts.of`` and ``count_out_of_core``.
    """
    engine = parameters.engine
    needed_mb = len(stream) * order * BYTES_PER_TOKEN_AND_ORDER / 1e6
    if engine == "auto":
        engine = "memory" if needed_mb <= parameters.memory_budget_mb else "out_of_core"
    logger.info(
        "counting %d tokens to order %d, engine %s (in memory about %.0f MB, budget %d MB)",
        *(len(stream), order, engine, needed_mb, parameters.memory_budget_mb),
    )
    if engine == "memory":
        return NgramCounts.of(stream, order)
    return count_out_of_core(stream, order, connect, parameters.memory_budget_mb, folder)
