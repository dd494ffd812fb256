"""One colour, marker and label per model, the same in every figure and table.

The neural hues are Okabe and Ito's (https://jfly.uni-koeln.de/color/), which stay apart for
colour-blind readers; n-grams are shades, darker with the order (blue: Kneser–Ney,
sand: maximum likelihood, teal: the other ways to smooth, told apart by their markers); chance
rows are grey. Markers repeat the distinction without colour.
"""

import colorsys
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

CHANCE, N_GRAM, FEED_FORWARD, RECURRENT, OTHER = range(5)

_KNESER_NEY_SHADES = ("#a9c3de", "#84a9cf", "#5d8dbd", "#3a6ea5", "#1f4e80")
_MAXIMUM_LIKELIHOOD_SHADES = ("#d5cbb3", "#c0b394", "#aa9b77", "#91815c", "#766744")
_TEAL_SHADES = ("#b7d6d2", "#94c1bc", "#6faaa4", "#4c918b", "#2f7771")
_ORDER_MARKERS = ("o", "s", "^", "D", "v")
_FALLBACK_MARKERS = ("P", "X", "h", "<", ">", "p")


@dataclass(frozen=True)
class NgramStyle:
    """How the models of one estimator look: a shade for each order from 1, and a rank."""

    title: str
    shades: tuple[str, ...]
    marker: str
    rank: int


_ESTIMATORS = {
    "maximum_likelihood": NgramStyle("Max. likelihood", _MAXIMUM_LIKELIHOOD_SHADES, "d", 0),
    "add_k": NgramStyle("Add-k", _TEAL_SHADES, "P", 1),
    "witten_bell": NgramStyle("Witten–Bell", _TEAL_SHADES, "X", 2),
    "absolute_discounting": NgramStyle("Absolute discounting", _TEAL_SHADES, "h", 3),
    "katz": NgramStyle("Katz", _TEAL_SHADES, "<", 4),
    "jelinek_mercer": NgramStyle("Jelinek–Mercer", _TEAL_SHADES, ">", 5),
    "kneser_ney": NgramStyle("Kneser–Ney", _KNESER_NEY_SHADES, "s", 6),
}
_ORDERED_NAME = re.compile(rf"({'|'.join(_ESTIMATORS)})_(\d+)")


@dataclass(frozen=True)
class ModelStyle:
    """How one model looks: ``family`` is a rank (chance first), ``order`` ranks inside it."""

    label: str
    colour: str
    marker: str
    family: int
    order: int = 0

    @property
    def is_chance(self) -> bool:
        """Whether the row only says what no memory at all achieves."""
        return self.family == CHANCE


_NAMED = {
    "uniform": ModelStyle("Uniform", "#a3a3a3", "o", CHANCE, 0),
    "unigram": ModelStyle("Unigram", "#6f6f6f", "o", CHANCE, 1),
    "feedforward": ModelStyle("Feed-forward", "#cc79a7", "v", FEED_FORWARD),
    "rnn": ModelStyle("RNN", "#e69f00", "^", RECURRENT, 0),
    "gru": ModelStyle("GRU", "#009e73", "D", RECURRENT, 1),
    "lstm": ModelStyle("LSTM", "#d55e00", "o", RECURRENT, 2),
    "lstm_neural_cache": ModelStyle("LSTM + neural cache", "#8c3b00", "p", RECURRENT, 3),
    "lstm_dynamic": ModelStyle("LSTM, dynamic", "#e0806b", "X", RECURRENT, 4),
    "mixture": ModelStyle("Mixture", "#7b3f61", "*", OTHER, 1),
    "transformer": ModelStyle("Transformer", "#6a3d9a", "H", OTHER),
}


def model_style(name: str) -> ModelStyle:
    """The style of a model; an unknown name gets a colour and marker that depend on it alone."""
    if name in _NAMED:
        return _NAMED[name]
    if ordered := _ORDERED_NAME.fullmatch(name):
        return _ngram_style(ordered[1], int(ordered[2]))
    digest = zlib.crc32(name.encode("utf-8"))
    red, green, blue = colorsys.hls_to_rgb(digest % 360 / 360, 0.42, 0.55)
    colour = f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
    marker = _FALLBACK_MARKERS[digest // 360 % len(_FALLBACK_MARKERS)]
    return ModelStyle(name, colour, marker, OTHER)


def order_style(n: int) -> ModelStyle:
    """The style of the n-grams of one order themselves: blue as Kneser–Ney, with own markers."""
    place = min(max(n, 1), len(_KNESER_NEY_SHADES)) - 1
    return ModelStyle(f"{n}-grams", _KNESER_NEY_SHADES[place], _ORDER_MARKERS[place], N_GRAM, n)


def in_order(names: Iterable[str]) -> list[str]:
    """The distinct names by family (chance, n-gram, feed-forward, recurrent, other) and order."""

    def rank(name: str) -> tuple[int, int, str]:
        style = model_style(name)
        return style.family, style.order, name

    return sorted(set(names), key=rank)


def _ngram_style(estimator: str, order: int) -> ModelStyle:
    style = _ESTIMATORS[estimator]
    shade = style.shades[min(max(order, 1), len(style.shades)) - 1]
    label = f"{style.title} {order}-gram"
    return ModelStyle(label, shade, style.marker, N_GRAM, 1000 * style.rank + order)
