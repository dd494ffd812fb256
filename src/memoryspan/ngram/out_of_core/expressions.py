"""N-gram counts as Ibis expressions: they run on DuckDB, on Spark, on what Ibis speaks to."""

import ibis.expr.types as ir

from memoryspan.ngram.out_of_core.windows import NOTHING


def longest_windows(windows: ir.Table, order: int) -> ir.Table:
    """How often each window of N tokens occurs, those that a sentence cuts short included.

    Args:
        windows: columns w0 … w(N−1), see ``write_windows``.
        order: N.
    """
    return windows.group_by(names(order)).aggregate(count=windows.count())


def ngrams(longest: ir.Table, n: int) -> ir.Table:
    """How often each n-gram of order n occurs, in lexicographic order of its ids.

    It is the sum of what the longest windows say, which are fewer than the places of the text.

    Args:
        longest: what ``longest_windows`` gave, computed: as one lazy expression the text would be
            read anew for each order.
        n: 2 … N.
    """
    whole = longest.filter(longest[f"w{n - 1}"] != NOTHING)
    counted = whole.group_by(names(n)).aggregate(count=whole["count"].sum().cast("int64"))
    return counted.order_by(names(n))


def names(n: int) -> list[str]:
    """Of the columns of n-grams."""
    return [f"w{k}" for k in range(n)]
