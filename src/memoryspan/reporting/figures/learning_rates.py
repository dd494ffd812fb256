"""What a search has found: validation loss against learning rate, a panel per kind of network."""

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memoryspan.neural.search.found import BROKEN, COMPLETE
from memoryspan.reporting.figure_style import (
    INK,
    MUTED,
    empty_figure,
    figure_style,
    logarithmic,
    new_figure,
)
from memoryspan.reporting.palette import in_order, model_style

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = 3
DEPTH_MARKERS = ("o", "s", "^", "D", "v")
LARGEST_EXCESS = 1.0
"""Nats above the best trial beyond which a trial is drawn at the upper edge."""


@figure_style()
def learning_rates_figure(trials: "pd.DataFrame") -> Figure:
    """Trials that came to their end are filled, pruned ones faint where they were left.

    ``trials`` is what ``neural.search.table`` makes of one or more searches. The marker says how
    many hidden layers; a ring is around the configuration, a cross through the best trial. What
    is far above the best, or broke down, stands at the upper edge.
    """
    if trials.empty or "learning_rate" not in trials:
        return empty_figure("learning-rates")
    names = in_order(trials["model"])
    rows = -(-len(names) // COLUMNS)
    figure = new_figure("learning-rates", 0.7 + 2.7 * rows)
    grid = figure.subplots(rows, min(COLUMNS, len(names)), squeeze=False, sharex=True)
    for axes, name in zip(grid.flat, names, strict=False):
        _draw_panel(axes, name, trials[trials["model"] == name])
    for axes in grid.flat[len(names) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("validation, nats per token")
    for axes in grid.flat[max(0, len(names) - grid.shape[1]) : len(names)]:
        axes.set_xlabel("peak learning rate")
        axes.tick_params(labelbottom=True)
    figure.legend(handles=_legend(trials), loc="outside upper center", ncols=6)
    return figure


def _draw_panel(axes: Axes, name: str, trials: "pd.DataFrame") -> None:
    rows = [_Dot.of(row) for row in trials.to_dict("records")]
    ends = sorted(dot.nats for dot in rows if dot.complete)
    lowest, top = ends[0], min(ends[-1], ends[0] + LARGEST_EXCESS)
    style = model_style(name)
    for dot in rows:
        axes.plot(
            dot.learning_rate, min(dot.nats, top), linestyle="", marker=dot.marker, markersize=6,
            color=style.colour, markerfacecolor=style.colour if dot.complete else "none",
            alpha=1.0 if dot.complete else 0.45, label=f"{name} trial {dot.trial}",
        )  # fmt: skip
    best = min((dot for dot in rows if dot.complete), key=lambda dot: dot.nats)
    for dot, marker, size, colour in ((rows[0], "o", 13, MUTED), (best, "+", 15, INK)):
        axes.plot(
            dot.learning_rate, min(dot.nats, top), linestyle="", marker=marker, markersize=size,
            markerfacecolor="none", markeredgecolor=colour, markeredgewidth=1.2,
        )  # fmt: skip
    logarithmic(axes, "x")
    margin = max(0.08 * (top - lowest), 1e-3)
    axes.set_ylim(lowest - margin, top + margin)
    axes.set_title(style.label)


class _Dot(NamedTuple):
    """One trial in its panel; ``nats`` is infinite where the training broke down."""

    trial: int
    learning_rate: float
    nats: float
    complete: bool
    marker: str

    @classmethod
    def of(cls, row: Mapping[Hashable, Any]) -> Self:
        nats = row["validation_nats_per_token"]
        return cls(
            row["trial"],
            row["learning_rate"],
            math.inf if row["outcome"] == BROKEN else nats,
            row["outcome"] == COMPLETE,
            depth_marker(row.get("layers", 1)),
        )


def depth_marker(layers: int) -> str:
    """The marker of a number of hidden layers."""
    return DEPTH_MARKERS[(layers - 1) % len(DEPTH_MARKERS)]


def _legend(trials: "pd.DataFrame") -> list[Line2D]:
    """What markers mean, whatever the model."""

    def entry(label: str, marker: str, face: str = MUTED, edge: str = MUTED) -> Line2D:
        return Line2D(
            [], [], linestyle="", color=MUTED, marker=marker, label=label, markersize=7,
            markerfacecolor=face, markeredgecolor=edge,
        )  # fmt: skip

    depths = sorted({int(d) for d in trials.get("layers", [])})
    handles = [
        entry(f"{depth} layer{'s' if depth > 1 else ''}", depth_marker(depth)) for depth in depths
    ]
    handles.append(entry("pruned", DEPTH_MARKERS[0], "none"))
    ring = entry("configuration", "o", "none")
    ring.set_markersize(12)
    return [*handles, ring, entry("best", "+", edge=INK)]
