"""Test perplexity of every model, and its ratio to the best n-gram with the interval."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memoryspan.reporting.figure_style import GRID, MUTED, figure_style, logarithmic, new_figure
from memoryspan.reporting.formatting import interval, is_missing, number, percent
from memoryspan.reporting.palette import in_order, model_style

if TYPE_CHECKING:
    import pandas as pd

LARGEST_RATIO_DRAWN = 2.5
"""Ratios beyond this are written at the edge: they would press the intervals into points."""


@figure_style()
def perplexity_figure(table: "pd.DataFrame") -> Figure:
    """One row per model, by family: perplexity (log axis) and ratio to the reference model.

    ``table`` has the columns ``model``, ``test_perplexity`` and, where known,
    ``zero_probability_share``, ``ratio_to_best_ngram``, ``ratio_low``, ``ratio_high``,
    ``reference``, ``interval_unit`` and ``interval_clusters``. Hollow dots are chance rows; an
    infinite perplexity is said in words.
    """
    rows = table.set_index("model").loc[in_order(table["model"])]
    with_ratio = "ratio_to_best_ngram" in rows and rows["ratio_to_best_ngram"].notna().any()
    figure = new_figure("perplexity", 0.31 * len(rows) + 1.1)
    if not with_ratio:
        _draw_perplexities(figure.subplots(), rows)
        return figure
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [3, 2]})
    _draw_perplexities(left, rows)
    _draw_ratios(right, rows)
    return figure


def _draw_perplexities(axes: Axes, rows: "pd.DataFrame") -> None:
    perplexities = rows["test_perplexity"].astype(float)
    finite = perplexities[np.isfinite(perplexities)]
    lowest, highest = (finite.min(), finite.max()) if len(finite) else (1.0, 10.0)
    logarithmic(axes, "x")
    # Room on the right for the number beside the longest line.
    axes.set_xlim(lowest / 1.5, highest * (highest / lowest) ** 0.25 * 1.5)
    for height, (model, perplexity) in enumerate(perplexities.items()):
        style = model_style(str(model))
        if not np.isfinite(perplexity):
            _write(axes, lowest / 1.4, height, _infinite(rows.loc[model]), MUTED)
            continue
        axes.hlines(height, lowest / 1.5, perplexity, color=GRID, linewidth=3, zorder=1)
        face = "white" if style.is_chance else style.colour
        axes.plot(
            perplexity, height, style.marker, color=style.colour, markerfacecolor=face,
            markeredgewidth=1.6, markersize=7, label=style.label, zorder=3,
        )  # fmt: skip
        _write(axes, perplexity, height, number(perplexity), offset=9)
    axes.set_yticks(range(len(rows)), [model_style(str(model)).label for model in rows.index])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set(title="Test perplexity", xlabel="perplexity per token (log scale, lower is better)")


def _draw_ratios(axes: Axes, rows: "pd.DataFrame") -> None:
    ratios = rows["ratio_to_best_ngram"].astype(float)
    lows, highs = (
        rows[end].astype(float) if end in rows else ratios for end in ("ratio_low", "ratio_high")
    )
    drawn = np.isfinite(ratios) & (ratios <= LARGEST_RATIO_DRAWN)
    edges = np.log([min(lows[drawn].min(), 0.95), max(highs[drawn].max(), 1.05)])
    margin = 0.06 * (edges[1] - edges[0])
    logarithmic(axes, "x", [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0])
    axes.set_xlim(*np.exp(edges + [-margin, margin]))
    axes.axvline(1.0, color=MUTED, linewidth=1.0)
    for height, (model, ratio) in enumerate(ratios.items()):
        style = model_style(str(model))
        if drawn[model]:
            axes.hlines(height, lows[model], highs[model], color=style.colour, linewidth=2.4)
            axes.plot(ratio, height, style.marker, color=style.colour, markersize=5.5)
        words = f"{number(ratio)}  {interval(lows[model], highs[model])}" if drawn[model] else ""
        if not drawn[model] and not is_missing(ratio):
            words = f"{number(ratio)} (off the axis)"
        axes.text(
            1.04, height, words.strip(), va="center", fontsize=9,
            transform=axes.get_yaxis_transform(), color=None if drawn[model] else MUTED,
        )  # fmt: skip
    axes.tick_params(axis="y", left=False, labelleft=False)
    axes.grid(visible=False, axis="y")
    axes.set(title=f"Ratio to {_reference(rows)}", xlabel=_interval_words(rows))


def _write(axes: Axes, x: float, y: float, words: str, colour: str = "", offset: float = 0) -> None:
    axes.annotate(
        words, (x, y), (offset, 0), textcoords="offset points", va="center",
        fontsize=9, color=colour or None,
    )  # fmt: skip


def _infinite(row: "pd.Series[object]") -> str:
    share = row.get("zero_probability_share")
    return "∞" if is_missing(share) else f"∞ ({percent(share)} of tokens have probability 0)"


def _reference(rows: "pd.DataFrame") -> str:
    named = rows["reference"].dropna() if "reference" in rows else []
    return model_style(str(named.iloc[0])).label if len(named) else "the best n-gram"


def _interval_words(rows: "pd.DataFrame") -> str:
    """What the interval resamples, from the table itself."""
    if not {"interval_unit", "interval_clusters"} <= set(rows.columns):
        return "ratio"
    known = rows[["interval_unit", "interval_clusters"]].dropna()
    if known.empty:
        return "ratio"
    unit, clusters = known.iloc[0]
    return f"ratio, interval over {number(int(clusters))} × {unit}"
