"""How each network learned: perplexity against training tokens, and its gradients."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

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

LARGEST_MULTIPLE_DRAWN = 5


@figure_style()
def learning_curves_figure(histories: Mapping[str, "pd.DataFrame"]) -> Figure:
    """Training (faint) and validation perplexity (marked), gradient norm before clipping below.

    A history has the columns ``tokens``, ``train_nats_per_token``, ``validation_nats_per_token``
    (missing where not evaluated) and ``gradient_norm_mean``, optionally ``gradient_norm_max``.
    The first steps, far above the rest, are cut off so that the models can be told apart.
    """
    if not histories:
        return empty_figure("learning-curves")
    figure = new_figure("learning-curves", 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [5, 3]})
    for name in in_order(histories):
        _draw_perplexity(upper, name, histories[name])
        _draw_gradient(lower, name, histories[name])
    logarithmic(upper, "y")
    _cut_first_steps(upper, histories)
    logarithmic(lower, "y")
    lower.xaxis.set_major_formatter(FuncFormatter(_tokens))
    upper.set(title="Perplexity", ylabel="perplexity per token")
    lower.set(title="Gradient norm before clipping", ylabel="norm", xlabel="training tokens seen")
    _add_legend(figure, in_order(histories))
    return figure


def _draw_perplexity(axes: Axes, name: str, history: "pd.DataFrame") -> None:
    style = model_style(name)
    axes.plot(
        history["tokens"], _perplexity(history["train_nats_per_token"]),
        color=style.colour, alpha=0.45, linewidth=1.1, label=f"{name} training",
    )  # fmt: skip
    evaluated = history[history["validation_nats_per_token"].notna()]
    axes.plot(
        evaluated["tokens"], _perplexity(evaluated["validation_nats_per_token"]),
        color=style.colour, marker=style.marker, markersize=5, label=f"{name} validation",
    )  # fmt: skip


def _cut_first_steps(axes: Axes, histories: Mapping[str, "pd.DataFrame"]) -> None:
    """End the axis at a multiple of the lowest validation perplexity, where there is one."""
    lowest = min(h["validation_nats_per_token"].min() for h in histories.values())
    if np.isfinite(lowest):
        _, top = axes.get_ylim()
        axes.set_ylim(top=min(top, float(np.exp(lowest)) * LARGEST_MULTIPLE_DRAWN))


def _draw_gradient(axes: Axes, name: str, history: "pd.DataFrame") -> None:
    style = model_style(name)
    axes.plot(history["tokens"], history["gradient_norm_mean"], color=style.colour, linewidth=1.2)
    if "gradient_norm_max" in history:
        axes.fill_between(
            history["tokens"], history["gradient_norm_mean"], history["gradient_norm_max"],
            color=style.colour, alpha=0.12, linewidth=0,
        )  # fmt: skip


def _add_legend(figure: Figure, names: list[str]) -> None:
    styles = [model_style(name) for name in names]
    handles = [Line2D([], [], color=s.colour, marker=s.marker, label=s.label) for s in styles]
    handles += [Line2D([], [], color=MUTED, alpha=0.5, linewidth=1.1, label="training")]
    handles += [Line2D([], [], color=MUTED, marker="o", markersize=5, label="validation")]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 6))


def _perplexity(nats: "pd.Series[float]") -> NDArray[np.float64]:
    """exp(nats); a diverged run overflows to infinity, which is not drawn."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(nats.to_numpy(dtype=float)))


def _tokens(value: float, _: object) -> str:
    if value >= 1e6:
        return f"{value / 1e6:g} M"
    return f"{value / 1e3:g} k" if value >= 1e3 else f"{value:g}"
