"""Counts of counts: how many n-grams occur how often."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from memoryspan.reporting.figure_style import (
    empty_figure,
    figure_style,
    logarithmic,
    new_figure,
)
from memoryspan.reporting.palette import order_style

if TYPE_CHECKING:
    import pandas as pd


@figure_style()
def counts_of_counts_figure(counts_of_counts: "pd.DataFrame") -> Figure:
    """How many distinct n-grams occur exactly r times, for each order (both axes logarithmic).

    Faint dots are the numbers themselves; far out, where most r have one n-gram or none, the
    lines say more: means over all r of a bin, bins that widen with r (Newman 2005, section 2).

    Args:
        counts_of_counts: has ``order``, ``count`` (r) and ``ngrams`` (how many).
    """
    if counts_of_counts.empty:
        return empty_figure("counts-of-counts")
    figure = new_figure("counts-of-counts", 4.4)
    axes = figure.subplots()
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    for n, rows in counts_of_counts.groupby("order"):
        style = order_style(int(str(n)))
        r, ngrams = rows["count"].to_numpy(), rows["ngrams"].to_numpy()
        axes.plot(
            r, ngrams, ".", color=style.colour, markersize=4, alpha=0.5, markeredgewidth=0
        )  # fmt: skip
        axes.plot(
            *binned_means(r, ngrams), color=style.colour, marker=style.marker, markersize=4,
            label=style.label,
        )  # fmt: skip
    axes.set(
        title="How many n-grams occur how often",
        xlabel="r, occurrences in the training text (log scale)",
        ylabel="distinct n-grams (log scale)",
    )
    figure.legend(loc="outside upper center", ncols=5)
    return figure


def binned_means(
    r: NDArray[np.int64], ngrams: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The middle of each bin of r (geometric), and n-grams per r in it, those with none included.

    Bins are 1, 2, 3, 4 and then two per doubling of r; empty ones are left out.
    """
    halves = np.arange(4, 2 * int(r.max()).bit_length() + 6)
    edges = np.concatenate([[1.0, 2.0, 3.0], np.floor(np.sqrt(2.0) ** halves)])
    total, _ = np.histogram(r, edges, weights=ngrams)
    filled = total > 0
    first, last = edges[:-1], edges[1:] - 1
    return np.sqrt(first * last)[filled], (total / (last - first + 1))[filled]
