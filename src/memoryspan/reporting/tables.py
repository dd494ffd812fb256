"""Data frames as tables of formatted text, ready for a page."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoryspan.reporting.formatting import interval, is_missing, number, percent, ratio
from memoryspan.reporting.palette import in_order, model_style
from memoryspan.statistics.bootstrap import LEVEL

if TYPE_CHECKING:
    import pandas as pd

HEADINGS = {
    "beta": "β",
    "context_order": "context, tokens",
    "censored": "reaches the longest",
    "distance": "k",
    "effective_context": "effective context, tokens",
    "from_tokens": "fitted from, tokens",
    "half_life": "half-life, steps",
    "k": "K",
    "lag_1_percent": "lag of 1 %",
    "lag_1_percent_interval": f"{percent(LEVEL, 1)} interval of that lag",
    "max_lag": "longest lag",
    "r_squared": "R² of the line",
    "slope_interval": f"{percent(LEVEL, 1)} interval of the slope",
    "interval": f"{percent(LEVEL, 1)} interval",
    "longest": "longest k tried",
    "once_share": "once, share",
    "order": "n",
    "perplexity_at_longest": "perplexity at the longest",
    "ratio_and_interval": f"ratio [{percent(LEVEL, 1)} interval]",
    "reset_ratio": "ratio of the two",
    "reset_ratio_interval": f"{percent(LEVEL, 1)} interval of the ratio",
    "seen_of_tokens": f"seen, of tokens [{percent(LEVEL, 1)} interval]",
    "seen_of_types": f"seen, of types [{percent(LEVEL, 1)} interval]",
    "sentence_reset_perplexity": "perplexity, sentence reset",
    "share": "share of words",
    "slope_nats_per_step": "slope, nats per step",
    "streaming_perplexity": "perplexity, streaming",
    "test_bits_per_byte": "bits per byte",
    "test_nats_per_token": "nats per token",
    "test_perplexity": "test perplexity",
    "test_perplexity_per_word": "perplexity per word",
    "to_tokens": "to",
    "train_seconds": "training, s",
    "unknown_share": "with <unk>",
    "valid_perplexity": "validation perplexity",
    "zero_probability_share": "tokens of probability 0",
}
_FORMATS: dict[str, Callable[[object], str]] = {
    "once_share": percent,
    "share": percent,
    "unknown_rate": percent,
    "unknown_share": percent,
    "vocabulary_share": percent,
    "tolerance": lambda share: percent(share, 1),
    "zero_probability_share": percent,
    "parameters": lambda value: number(value, 1),
}

_WORDS_IF_MISSING = {"context_order": "unbounded", "lag_1_percent": "beyond"}


@dataclass(frozen=True)
class Cell:
    """Text in a table; ``colour`` is the swatch before a model's label, ``name`` its raw name."""

    text: str
    numeric: bool = False
    colour: str = ""
    name: str = ""


@dataclass(frozen=True)
class TableView:
    """A table to show: the numbers of ``best`` rows are set in bold."""

    headings: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    best: frozenset[int] = frozenset()


def table_view(
    frame: "pd.DataFrame | None", columns: Iterable[str] | None = None, lowest: str = ""
) -> TableView | None:
    """The frame as text, or None if there is nothing to show.

    Args:
        frame: rows that have a ``model`` are put in the order of the palette.
        columns: those to show, in order; without them all. Missing ones and those without any
            value are left out (an empty ``context_order`` says "unbounded", so it stays).
        lowest: the column whose smallest value makes a row best.
    """
    if frame is None or frame.empty:
        return None
    if "model" in frame:
        rank = {name: place for place, name in enumerate(in_order(frame["model"]))}
        frame = frame.sort_values("model", key=lambda names: names.map(rank), kind="stable")
    chosen = [
        name
        for name in (frame.columns if columns is None else columns)
        if name in frame and (name in _WORDS_IF_MISSING or frame[name].notna().any())
    ]
    kinds = {name: getattr(frame[name].dtype, "kind", "O") in "iufb" for name in chosen}
    headings = (Cell(HEADINGS.get(name, name.replace("_", " ")), kinds[name]) for name in chosen)
    frame = _with_whole_numbers(frame)
    rows = (
        tuple(_cell(name, value, kinds[name]) for name, value in zip(chosen, values, strict=True))
        for values in frame[chosen].itertuples(index=False)
    )
    best = frozenset[int]()
    if lowest in chosen:
        smallest = frame[lowest].min()
        best = frozenset(i for i, value in enumerate(frame[lowest]) if value == smallest)
    return TableView(tuple(headings), tuple(rows), best)


def model_cell(name: str) -> Cell:
    """A model's label with its colour."""
    style = model_style(name)
    return Cell(style.label, colour=style.colour, name=name)


def with_ratio(perplexity: "pd.DataFrame") -> "pd.DataFrame":
    """The perplexity table with ratio and interval as one column of text."""
    if "ratio_to_best_ngram" not in perplexity:
        return perplexity
    words = [
        ratio(row["ratio_to_best_ngram"], row.get("ratio_low"), row.get("ratio_high"))
        for row in perplexity.to_dict("records")
    ]
    return perplexity.assign(ratio_and_interval=words)


def with_intervals(frame: "pd.DataFrame | None") -> "pd.DataFrame | None":
    """Each pair of columns ``…low`` and ``…high`` as one ``…interval``, where ``…low`` stood."""
    if frame is None:
        return None
    frame = _with_whole_numbers(frame)
    for low in [name for name in frame.columns if name.endswith("low")]:
        stem = low.removesuffix("low")
        if f"{stem}high" not in frame:
            continue
        ends = zip(frame[low], frame[f"{stem}high"], strict=True)
        frame = frame.assign(**{low: [interval(*pair) for pair in ends]})
        frame = frame.drop(columns=f"{stem}high").rename(columns={low: f"{stem}interval"})
    return frame


def ngram_view(frame: "pd.DataFrame", n: int, rows: int = 10) -> TableView:
    """The most frequent n-grams: the words joined by spaces, and their counts."""
    top = frame.head(rows)
    words = [f"w{i}" for i in range(1, n + 1)]
    texts = (" ".join(map(str, gram)) for gram in top[words].itertuples(index=False))
    cells = (
        (Cell(text), Cell(number(count), numeric=True))
        for text, count in zip(texts, top["count"], strict=True)
    )
    return TableView((Cell(f"{n}-gram"), Cell("count", numeric=True)), tuple(cells))


def flattened(group: Mapping[str, object], prefix: str = "") -> list[tuple[str, object]]:
    """Nested parameters as (dotted name, value) pairs, in their order."""
    pairs: list[tuple[str, object]] = []
    for key, value in group.items():
        if isinstance(value, Mapping) and value:
            pairs += flattened(value, f"{prefix}{key}.")
        else:
            pairs.append((f"{prefix}{key}", value))
    return pairs


def _with_whole_numbers(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Counts that missing values turned into floats are whole numbers again."""
    whole = {
        name: "Int64"
        for name in frame.columns
        if getattr(frame[name].dtype, "kind", "") == "f" and (frame[name].dropna() % 1 == 0).all()
    }
    return frame.astype(whole)


def _cell(column: str, value: object, numeric: bool) -> Cell:
    if column == "model":
        return model_cell(str(value))
    if is_missing(value) and column in _WORDS_IF_MISSING:
        return Cell(_WORDS_IF_MISSING[column], numeric)
    return Cell(_FORMATS.get(column, number)(value), numeric)
