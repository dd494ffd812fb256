"""Test perplexity of every model, and its ratio to the best n-gram with the interval."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memoryspan.reporting.figure_style import (
    GRID,
    MUTED,
    empty_figure,
    figure_style,
    logarithmic,
    new_figure,
)
from memoryspan.reporting.formatting import is_missing, number, percent, ratio
from memoryspan.reporting.palette import in_order, model_style

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[Hashable, Any]

LARGEST_RATIO_DRAWN = 2.5
"""Ratios beyond this are written at the edge: they would press the intervals into points."""

LARGEST_SPREAD_DRAWN = 1e7
"""Times the lowest perplexity: uniform models lie below it, diverged ones above."""


@figure_style()
def perplexity_figure(table: "pd.DataFrame") -> Figure:
    """One row per model, by family: perplexity (log axis) and ratio to the reference model.

    ``table`` has the columns ``model``, ``test_perplexity`` and, where known,
    ``zero_probability_share``, ``ratio_to_best_ngram``, ``ratio_low``, ``ratio_high``,
    ``reference``, ``interval_unit`` and ``interval_clusters``. Hollow dots are chance rows; an
    infinite perplexity is said in words.
    """
    if table.empty:
        return empty_figure("perplexity")
    by_model = {str(row["model"]): row for row in table.to_dict("records")}
    rows: list[Row] = [by_model[name] for name in in_order(by_model)]
    figure = new_figure("perplexity", 0.31 * len(rows) + 1.1)
    if not any(_is_drawn(row) for row in rows):
        _draw_perplexities(figure.subplots(), rows)
        return figure
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [3, 2]})
    _draw_perplexities(left, rows)
    _draw_ratios(right, rows)
    return figure


def _draw_perplexities(axes: Axes, rows: list[Row]) -> None:
    lowest = min(
        [row["test_perplexity"] for row in rows if np.isfinite(row["test_perplexity"])] or [1.0]
    )
    most = lowest * LARGEST_SPREAD_DRAWN
    highest = max([p for row in rows if (p := row["test_perplexity"]) <= most] or [10.0])
    start = lowest / 1.4
    logarithmic(axes, "x")
    # Room on the right for the number beside the longest line.
    axes.set_xlim(start, highest * (highest / lowest) ** 0.25 * 1.5)
    for height, row in enumerate(rows):
        style, perplexity = model_style(row["model"]), row["test_perplexity"]
        if not perplexity <= most:
            words = f"{number(perplexity)} (off the axis: the model has diverged)"
            said = words if np.isfinite(perplexity) else _infinite(row)
            axes.annotate(said, (start, height), (4, 0), color=MUTED, **_BESIDE)
            continue
        axes.hlines(height, start, perplexity, color=GRID, linewidth=3, zorder=1)
        face = "white" if style.is_chance else style.colour
        axes.plot(
            perplexity, height, style.marker, color=style.colour, markerfacecolor=face,
            markeredgewidth=1.6, markersize=7, label=style.label, zorder=3,
        )  # fmt: skip
        axes.annotate(number(perplexity), (perplexity, height), (9, 0), **_BESIDE)
    axes.set_yticks(range(len(rows)), [model_style(row["model"]).label for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set(title="Test perplexity", xlabel="per token, log scale, lower is better")


def _draw_ratios(axes: Axes, rows: list[Row]) -> None:
    ends = [end for row in rows if _is_drawn(row) for end in _interval(row)]
    low, high = np.log(min(*ends, 0.95)), np.log(max(*ends, 1.05))
    margin = 0.06 * (high - low)
    logarithmic(axes, "x")
    axes.set_xlim(np.exp(low - margin), np.exp(high + margin))
    axes.axvline(1.0, color=MUTED, linewidth=1.0)
    for height, row in enumerate(rows):
        style, value = model_style(row["model"]), row["ratio_to_best_ngram"]
        if is_missing(value):
            continue
        if _is_drawn(row):
            axes.hlines(height, *_interval(row), color=style.colour, linewidth=2.2)
            axes.plot(value, height, style.marker, color=style.colour, markersize=4)
        axes.annotate(
            _ratio_words(row), (1.04, height), xycoords=("axes fraction", "data"), va="center",
            fontsize=9, color=None if _is_drawn(row) else MUTED,
        )  # fmt: skip
    axes.tick_params(axis="y", left=False, labelleft=False)
    axes.grid(visible=False, axis="y")
    axes.set(title=f"Ratio to {_reference(rows)}", xlabel=_resampled(rows))


_BESIDE: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 9}


def _is_drawn(row: Row) -> bool:
    value: Any = row.get("ratio_to_best_ngram")
    return not is_missing(value) and 0 < value <= LARGEST_RATIO_DRAWN


def _interval(row: Row) -> tuple[float, float]:
    """The interval's ends; the ratio itself where the table has none."""
    value: float = row["ratio_to_best_ngram"]
    low: Any = row.get("ratio_low")
    high: Any = row.get("ratio_high")
    return (value if is_missing(low) else low, value if is_missing(high) else high)


def _ratio_words(row: Row) -> str:
    value = row["ratio_to_best_ngram"]
    if _is_drawn(row):
        return ratio(value, row.get("ratio_low"), row.get("ratio_high"))
    return f"{ratio(value)} (off the axis)" if np.isfinite(value) else ratio(value)


def _infinite(row: Row) -> str:
    share = row.get("zero_probability_share")
    return "∞" if is_missing(share) else f"∞ ({percent(share)} of tokens have probability 0)"


def _reference(rows: list[Row]) -> str:
    named = [row["reference"] for row in rows if not is_missing(row.get("reference"))]
    return model_style(named[0]).label if named else "the best n-gram"


def _resampled(rows: list[Row]) -> str:
    """What the interval resamples, from the table itself."""
    for row in rows:
        unit, clusters = row.get("interval_unit"), row.get("interval_clusters")
        if not is_missing(unit) and not is_missing(clusters):
            return f"interval: {number(clusters, 1)} {str(unit).removesuffix('s')}s resampled"
    return "ratio"
