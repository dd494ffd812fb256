"""How every figure is drawn and written: fonts, grid, and an SVG that a page can hold.

Figures are built on ``matplotlib.figure.Figure`` directly: no pyplot, no global state. Text stays
text in the SVG, so that it can be searched, is small, and is set in the reader's fonts.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from memoryspan.reporting.formatting import axis_number

INK, MUTED, GRID = "#22262b", "#6b7280", "#e3e6ea"
WIDTH_INCHES = 8.6

_CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "SimHei",
)
# Ships with matplotlib and has a box for every character: named here, it does not warn.
_LAST_RESORT = "Last Resort High-Efficiency"


@cache
def font_families() -> tuple[str, ...]:
    """The fonts to try for each character, only those that this machine has."""
    installed = set(fontManager.get_font_names())
    wanted = ("DejaVu Sans", *_CHINESE_FONTS, _LAST_RESORT)
    return tuple(family for family in wanted if family in installed)


@contextmanager
def figure_style() -> Iterator[None]:
    """The style inside which figures are built; a decorator too."""
    style: dict[Any, Any] = {
        "font.family": list(font_families()),
        "font.size": 10,
        "text.parse_math": False,  # a model's name is never markup
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.titlesize": 12,
        "axes.titlelocation": "left",
        "axes.labelsize": 10,
        "axes.edgecolor": MUTED,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": GRID,
        "grid.linewidth": 0.8,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "legend.frameon": False,
        "legend.fontsize": 9.5,
        "lines.linewidth": 1.8,
        "svg.fonttype": "none",
    }
    with matplotlib.rc_context(style):
        yield


def new_figure(name: str, height_inches: float) -> Figure:
    """An empty figure; its ``name`` keeps the ids of its SVG apart from other figures'."""
    figure = Figure(figsize=(WIDTH_INCHES, height_inches), layout="constrained")
    figure.set_label(name)
    return figure


def empty_figure(name: str) -> Figure:
    """What a step draws that has nothing to show (a run without networks has no gradients)."""
    figure = new_figure(name, 1.0)
    figure.text(0.5, 0.5, "This run has nothing to show here.", ha="center", color=MUTED)
    return figure


class ReadableLogLocator(LogLocator):
    """Ticks of a log axis at 1, 2, 5 of each decade; round numbers where it spans less than one."""

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Between three and eight ticks for any range."""
        if vmax < 10 * vmin:
            ticks = MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]).tick_values(vmin, vmax)
            return [tick for tick in ticks if tick > 0]
        self.set_params(subs=(1.0, 2.0, 5.0) if vmax < 100 * vmin else (1.0,))
        return super().tick_values(vmin, vmax)


def logarithmic(axes: Axes, axis: str, ticks: list[float] | None = None) -> None:
    """Make one axis ("x" or "y") logarithmic, with plain numbers at its ticks."""
    axes.set(**{f"{axis}scale": "log"})
    scale = axes.xaxis if axis == "x" else axes.yaxis
    if ticks is None:
        scale.set_major_locator(ReadableLogLocator())
    else:
        scale.set_ticks(ticks)
    scale.set_minor_locator(NullLocator())
    scale.set_major_formatter(FuncFormatter(lambda value, _: axis_number(value)))


def svg_text(figure: Figure) -> str:
    """The figure as one ``<svg>`` element, the same bytes for the same figure.

    No date, no metadata, and ids that begin with the figure's name, so that several figures can
    stand in one page.
    """
    name = re.sub(r"\W+", "-", str(figure.get_label())) or "figure"
    buffer = io.StringIO()
    with figure_style(), matplotlib.rc_context({"svg.hashsalt": f"memoryspan {name}"}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    return text.strip() + "\n"
