"""The sparsity of counts: the share of n-grams of the test text that training has seen."""

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from memoryspan.reporting.figure_style import MUTED, empty_figure, figure_style, new_figure
from memoryspan.reporting.formatting import is_missing, number, percent
from memoryspan.reporting.palette import order_style

if TYPE_CHECKING:
    import pandas as pd

LINES = {
    "token_share": ("of the tokens: the n-gram that ends in each", order_style(5).colour, "o", 8),
    "type_share": ("of the types: each distinct n-gram once", MUTED, "s", -15),
}
"""Label, colour, marker, and how far the number stands from its point."""


@figure_style()
def seen_figure(seen: "pd.DataFrame") -> Figure:
    """The share that was seen by order n, of tokens and of types, with intervals.

    ``seen`` is what ``ngram.sparsity.seen_ngrams`` returns.
    """
    if seen.empty:
        return empty_figure("seen-ngrams")
    figure = new_figure("seen-ngrams", 4.0)
    axes = figure.subplots()
    for column in LINES:
        _draw_share(axes, column, seen)
    axes.set_xticks(seen["order"])
    axes.set_xlim(seen["order"].min() - 0.3, seen["order"].max() + 0.3)
    axes.set_ylim(-0.04, 1.1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: percent(share, 1)))
    axes.grid(visible=False, axis="x")
    axes.set(
        title="Test n-grams that the training text has", xlabel=_resampled(seen), ylabel="seen",
    )  # fmt: skip
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def _draw_share(axes: Axes, column: str, seen: "pd.DataFrame") -> None:
    label, colour, marker, distance = LINES[column]
    axes.plot(seen["order"], seen[column], color=colour, marker=marker, label=label)
    low, high = seen[f"{column}_low"], seen[f"{column}_high"]
    axes.vlines(seen["order"], low, high, color=colour, linewidth=5, alpha=0.35)
    for n, value in zip(seen["order"], seen[column], strict=True):
        axes.annotate(
            percent(value), (n, value), (0, distance), textcoords="offset points", ha="center",
            fontsize=9, color=colour,
        )  # fmt: skip


def _resampled(seen: "pd.DataFrame") -> str:
    """What the intervals resample, from the table itself."""
    row = seen.iloc[0]
    if is_missing(row["token_share_low"]):
        return "n"
    return f"n (interval: {number(row['interval_clusters'])} {row['interval_unit']}s resampled)"
