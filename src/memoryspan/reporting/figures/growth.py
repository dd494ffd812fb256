"""How the number of distinct n-grams grows with the text."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memoryspan.reporting.figure_style import (
    INK,
    MUTED,
    empty_figure,
    figure_style,
    logarithmic,
    new_figure,
)
from memoryspan.reporting.palette import order_style

if TYPE_CHECKING:
    import pandas as pd

DASHES, DOTS = (0, (4, 2)), (0, (1, 2))
DECADES_DRAWN = 4


@figure_style()
def growth_figure(growth: "pd.DataFrame", heaps: "pd.DataFrame | None" = None) -> Figure:
    """One curve per order over the tokens read (both axes logarithmic), and Heaps' law.

    ``growth`` has ``order``, ``tokens`` and ``distinct``; ``heaps`` has ``order``, ``k``,
    ``beta``, ``from_tokens`` and ``to_tokens``. The law is drawn for the types, order 1, dashed
    over the range that it is fitted to. The dotted line is N: every n-gram a new one. The first
    tokens of a long text, where all lines are this one, are cut off.
    """
    if growth.empty:
        return empty_figure("vocabulary-growth")
    figure = new_figure("vocabulary-growth", 4.6)
    axes = figure.subplots()
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    most = int(growth["tokens"].max())
    first = max(1.0, most / 10**DECADES_DRAWN)
    axes.plot(
        [first, most], [first, most], linestyle=DOTS, color=MUTED, linewidth=1.2, label="all new"
    )  # fmt: skip
    for n, curve in growth[(growth["distinct"] > 0) & (growth["tokens"] >= first)].groupby("order"):
        style = order_style(int(str(n)))
        label = "types" if n == 1 else style.label
        axes.plot(
            curve["tokens"], curve["distinct"], color=style.colour, marker=style.marker,
            markersize=4, markevery=5, label=label,
        )  # fmt: skip
    if heaps is not None:
        _draw_law(axes, heaps[(heaps["order"] == 1) & heaps["beta"].notna()])
    axes.set(
        title="Distinct n-grams in the first N tokens",
        xlabel="N, tokens of the training text (log scale)",
        ylabel="distinct (log scale)",
    )
    figure.legend(loc="outside upper center", ncols=4)
    return figure


def _draw_law(axes: Axes, fits: "pd.DataFrame") -> None:
    for fit in fits.to_dict("records"):
        tokens = np.array([fit["from_tokens"], fit["to_tokens"]], float)
        law = fit["k"] * tokens ** fit["beta"]
        label = f"types by Heaps’ law, β = {fit['beta']:.2f}"
        axes.plot(tokens, law, linestyle=DASHES, color=INK, linewidth=1.4, label=label)
