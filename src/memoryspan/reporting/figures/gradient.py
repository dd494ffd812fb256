"""How much of the gradient survives each step back in time."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memoryspan.reporting.figure_style import (
    MUTED,
    empty_figure,
    figure_style,
    logarithmic,
    new_figure,
)
from memoryspan.reporting.figures.context import lecture_line
from memoryspan.reporting.palette import in_order, model_style

if TYPE_CHECKING:
    import pandas as pd

ONE_PERCENT = 0.01
SMALLEST_SHARE_DRAWN = 1e-9
LINES: dict[str, Any] = {"initialisation": (0, (4, 2)), "trained": "solid"}


@figure_style()
def gradient_figure(gradient_curve: "pd.DataFrame") -> Figure:
    """The norm of ∂s_t/∂s_i by lag t − i, relative to the shortest lag of the same curve.

    ``gradient_curve`` has ``model``, ``stage`` (initialisation or trained), ``lag`` (tokens),
    ``gradient_norm`` and, where known, ``low`` and ``high``.
    """
    if gradient_curve.empty:
        return empty_figure("gradient")
    figure = new_figure("gradient", 4.6)
    axes = figure.subplots()
    for name in in_order(gradient_curve["model"]):
        of_model = gradient_curve[gradient_curve["model"] == name]
        for stage, curve in of_model.groupby("stage", sort=True):
            _draw_curve(axes, name, str(stage), curve.sort_values("lag"))
    logarithmic(axes, "y")
    smallest = min((np.min(line.get_ydata()) for line in axes.get_lines()), default=ONE_PERCENT)
    axes.set_ylim(bottom=max(min(smallest, ONE_PERCENT) / 2, SMALLEST_SHARE_DRAWN))
    axes.axhline(ONE_PERCENT, color=MUTED, linewidth=1.0)
    axes.annotate(
        "1 %", (1.0, ONE_PERCENT), (-2, 3), xycoords=("axes fraction", "data"), ha="right",
        textcoords="offset points", fontsize=9, color=MUTED,
    )  # fmt: skip
    lecture_line(axes)
    axes.set(
        title="Gradient that reaches back, relative to the shortest lag",
        xlabel="lag, tokens back in time", ylabel="relative gradient norm (log scale)",
    )  # fmt: skip
    _add_legend(figure, gradient_curve)
    return figure


def _draw_curve(axes: Axes, name: str, stage: str, curve: "pd.DataFrame") -> None:
    norms = curve["gradient_norm"].to_numpy(dtype=float)
    # A norm of exactly zero has underflowed: it has no place on a logarithmic axis.
    kept = curve[np.isfinite(norms) & (norms > 0)]
    if kept.empty:
        return
    colour, first = model_style(name).colour, float(kept["gradient_norm"].iloc[0])
    axes.plot(
        kept["lag"], kept["gradient_norm"] / first, color=colour,
        linestyle=LINES.get(stage, "dotted"), label=f"{name} {stage}",
    )  # fmt: skip
    if {"low", "high"} <= set(kept.columns):
        low, high = (kept[end] / first for end in ("low", "high"))
        axes.fill_between(kept["lag"], low, high, color=colour, alpha=0.12, linewidth=0)


def _add_legend(figure: Figure, curve: "pd.DataFrame") -> None:
    styles = [model_style(name) for name in in_order(curve["model"])]
    handles = [Line2D([], [], color=style.colour, label=style.label) for style in styles]
    handles += [
        Line2D([], [], color=MUTED, linestyle=LINES.get(stage, "dotted"), label=stage)
        for stage in sorted(curve["stage"].unique())
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 6))
