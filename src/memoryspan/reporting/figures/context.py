"""Perplexity as the model is shown only the last k tokens."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memoryspan.reporting.figure_style import (
    MUTED,
    empty_figure,
    figure_style,
    logarithmic,
    new_figure,
)
from memoryspan.reporting.palette import in_order, model_style

if TYPE_CHECKING:
    import pandas as pd

LECTURE_WORDS = 7
"""How far back the lecture says that a plain RNN reaches."""
RING: dict[str, Any] = {"markerfacecolor": "none", "markersize": 12, "markeredgewidth": 1.5}


@figure_style()
def context_figure(
    context_curve: "pd.DataFrame", effective_context: "pd.DataFrame | None" = None
) -> Figure:
    """One line per model over k (log axis); a ring where its effective context is reached.

    ``context_curve`` has ``model``, ``distance`` (k in tokens), ``perplexity`` and, where known,
    ``low`` and ``high`` (interval of nats per token); ``effective_context`` has ``model`` and
    ``effective_context`` (tokens).
    """
    if context_curve.empty:
        return empty_figure("context")
    figure = new_figure("context", 4.6)
    axes = figure.subplots()
    distances = sorted(int(k) for k in context_curve["distance"].unique())
    logarithmic(axes, "x", [float(k) for k in distances])
    logarithmic(axes, "y")
    for name in in_order(context_curve["model"]):
        curve = context_curve[context_curve["model"] == name].sort_values("distance")
        _draw_curve(axes, name, curve)
        if effective_context is not None:
            _ring(axes, name, curve, effective_context)
    if effective_context is not None:
        axes.plot([], [], "o", label="effective context", color=MUTED, **RING)
    lecture_line(axes)
    _leave_chance_off(axes, context_curve)
    axes.set(
        title="Perplexity with only the last k tokens as context",
        xlabel="k, tokens of context (log scale)", ylabel="perplexity per token (log scale)",
    )  # fmt: skip
    figure.legend(loc="outside upper center", ncols=4)
    return figure


def lecture_line(axes: Axes) -> None:
    """The lecture's "about 7 words", for comparison."""
    axes.axvline(LECTURE_WORDS, color=MUTED, linewidth=1.0, linestyle=(0, (2, 2)))
    axes.annotate(
        f"lecture: about {LECTURE_WORDS} words", (LECTURE_WORDS, 1.0), (4, -4), va="top",
        xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=9, color=MUTED,
    )  # fmt: skip


def _leave_chance_off(axes: Axes, context_curve: "pd.DataFrame") -> None:
    """End the axis above the models proper: the uniform line would press them together."""
    chance = context_curve["model"].map(lambda name: model_style(name).is_chance)
    proper = context_curve.loc[~chance & np.isfinite(context_curve["perplexity"]), "perplexity"]
    if proper.empty:
        return
    top = 1.4 * float(proper.max())
    axes.set_ylim(top=top)
    for name, curve in context_curve[chance].groupby("model"):
        if curve["perplexity"].min() > top:
            for line in axes.get_lines():
                if line.get_label() == model_style(str(name)).label:
                    line.set_label(f"{line.get_label()} (off the axis)")


def _draw_curve(axes: Axes, name: str, curve: "pd.DataFrame") -> None:
    style = model_style(name)
    axes.plot(
        curve["distance"], curve["perplexity"], color=style.colour, marker=style.marker,
        markersize=4.5, label=style.label,
    )  # fmt: skip
    if {"low", "high"} <= set(curve.columns):
        low, high = (np.exp(curve[end].to_numpy(dtype=float)) for end in ("low", "high"))
        axes.fill_between(curve["distance"], low, high, color=style.colour, alpha=0.12, linewidth=0)


def _ring(axes: Axes, name: str, curve: "pd.DataFrame", reached: "pd.DataFrame") -> None:
    k = reached.loc[reached["model"] == name, "effective_context"].dropna()
    at = curve[curve["distance"].isin(k)]
    axes.plot(at["distance"], at["perplexity"], "o", color=model_style(name).colour, **RING)
