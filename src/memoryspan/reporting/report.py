"""The report page: one HTML file that needs nothing else, offline and in print."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from memoryspan.reporting.content import ReportContent, Reproduction
from memoryspan.reporting.counts import continuation_views, count_sentences, count_tables
from memoryspan.reporting.formatting import is_missing, number, percent
from memoryspan.reporting.palette import in_order, model_style
from memoryspan.reporting.tables import (
    Cell,
    TableView,
    flattened,
    model_cell,
    ngram_view,
    table_view,
    with_intervals,
    with_ratio,
)
from memoryspan.statistics.bootstrap import LEVEL

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ReportContent", "Reproduction", "render_report"]

_HERE = Path(__file__).parent
_PERPLEXITY_COLUMNS = (
    "model",
    "test_perplexity",
    "ratio_and_interval",
    "valid_perplexity",
    "test_nats_per_token",
    "test_bits_per_byte",
    "test_perplexity_per_word",
    "zero_probability_share",
    "context_order",
    "parameters",
    "train_seconds",
)

_MODES_COLUMNS = (
    "model",
    "streaming_perplexity",
    "sentence_reset_perplexity",
    "reset_ratio",
    "reset_ratio_interval",
)


def render_report(content: ReportContent) -> str:
    """The page as HTML; the same content gives the same bytes.

    All text is escaped (a corpus may hold anything); only the figures' SVG is taken as markup.
    """
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent}
    page = environment.get_template("report.html").render(
        content=content,
        css=Markup((_HERE / "report.css").read_text(encoding="utf-8")),
        figures=_figures(content),
        tables=_tables(content),
        facts=_perplexity_facts(content.perplexity)
        | _mode_facts(content.perplexity_modes)
        | _corpus_facts(content.corpus_profile),
        bounded=_bounded(content.perplexity, content.context_curve),
        level=LEVEL,
        ngrams={
            n: ngram_view(frame, n)
            for n, frame in sorted(content.ngram_tables.items())
            if len(frame)
        },
        count_sentences=count_sentences(content),
        continuations=continuation_views(content.top_continuations),
        prompts=_prompts(content.samples),
        parameter_groups=_parameter_groups(content.configuration),
    )
    return page.strip() + "\n"


def _figures(content: ReportContent) -> dict[str, Markup]:
    """The drawings of tables that have rows: a figure of nothing is left out."""
    pairs = {
        "counts": (content.counts_of_counts_svg, content.counts_of_counts),
        "growth": (content.vocabulary_growth_svg, content.vocabulary_growth),
        "seen": (content.seen_ngrams_svg, content.seen_ngrams),
        "perplexity": (content.perplexity_svg, content.perplexity),
        "context": (content.context_svg, content.context_curve),
        "gradient": (content.gradient_svg, content.gradient_curve),
    }
    drawn = {
        name: Markup("" if frame is None or frame.empty else svg)
        for name, (svg, frame) in pairs.items()
    }
    return drawn | {"learning": Markup(content.learning_curves_svg if content.histories else "")}


def _tables(content: ReportContent) -> dict[str, TableView | None]:
    perplexity = content.perplexity
    return count_tables(content) | {
        "profile": table_view(content.corpus_profile),
        "splits": table_view(content.split_table),
        "coverage": table_view(content.coverage),
        "perplexity": None
        if perplexity is None
        else table_view(with_ratio(perplexity), _PERPLEXITY_COLUMNS, lowest="test_perplexity"),
        "modes": table_view(with_intervals(content.perplexity_modes), _MODES_COLUMNS),
        "learning": _learning_view(content.histories),
        "context": table_view(with_intervals(content.effective_context)),
        "gradient": table_view(with_intervals(content.gradient_summary)),
    }


def _corpus_facts(profile: "pd.DataFrame | None") -> dict[str, Any]:
    """The totals of the corpus."""
    if profile is None or profile.empty:
        return {"corpus": None}
    totals = profile[profile["split"] == "total"].to_dict("records")
    return {"corpus": totals[0] if totals else None}


def _perplexity_facts(table: "pd.DataFrame | None") -> dict[str, Any]:
    """What the sentences around the perplexity table say, taken from the table."""
    facts: dict[str, Any] = dict.fromkeys(("test_tokens", "reference", "unit", "clusters"))
    facts |= {"models": 0, "chance": [], "infinite": 0}
    if table is None or table.empty:
        return facts
    rows = {str(row["model"]): row for row in table.to_dict("records")}
    in_family_order = [rows[name] for name in in_order(rows)]
    facts |= {
        "models": len(rows),
        "chance": [
            (model_style(str(row["model"])).label, row["test_perplexity"])
            for row in in_family_order
            if row.get("family") == "chance"
        ],
        "infinite": sum(math.isinf(row["test_perplexity"]) for row in rows.values()),
        "test_tokens": _shared_value(table, "test_tokens"),
        "unit": _shared_value(table, "interval_unit"),
        "clusters": _shared_value(table, "interval_clusters"),
    }
    if (reference := _shared_value(table, "reference")) is not None:
        facts["reference"] = model_style(str(reference)).label
    return facts


def _mode_facts(table: "pd.DataFrame | None") -> dict[str, Any]:
    """How many tokens were scored both ways."""
    return {"mode_tokens": None if table is None else _shared_value(table, "test_tokens")}


def _bounded(
    perplexity: "pd.DataFrame | None", curve: "pd.DataFrame | None"
) -> list[tuple[str, int]]:
    """(label, tokens of context) of the models on the context curve that can see only so far."""
    if perplexity is None or curve is None or curve.empty or "context_order" not in perplexity:
        return []
    orders = dict(zip(perplexity["model"], perplexity["context_order"], strict=True))
    return [
        (model_style(name).label, int(orders[name]))
        for name in in_order(curve["model"])
        if not is_missing(orders.get(name))
    ]


def _shared_value(table: "pd.DataFrame", column: str) -> Any:
    """The one value that a column holds; None if it is absent, empty or differs between rows."""
    values: Sequence[Any] = list(table[column].dropna().unique()) if column in table else []
    return values[0] if len(values) == 1 else None


def _learning_view(histories: Mapping[str, "pd.DataFrame"]) -> TableView | None:
    """What each network read and where its validation perplexity was lowest."""
    rows = []
    for name in in_order(histories):
        history = histories[name]
        evaluated = history.dropna(subset=["validation_nats_per_token"])
        if evaluated.empty:
            continue
        best = evaluated.nsmallest(1, "validation_nats_per_token").iloc[0]
        figures = (
            int(history["tokens"].iloc[-1]),
            float(history["seconds"].iloc[-1]),
            _exp(float(history["train_nats_per_token"].iloc[-1])),
            _exp(float(best["validation_nats_per_token"])),
            int(best["tokens"]),
        )
        rows.append((model_cell(name), *(Cell(number(x), numeric=True) for x in figures)))
    headings = (
        "training tokens seen",
        "training, s",
        "last training perplexity",
        "best validation perplexity",
        "reached at tokens",
    )
    cells = (Cell("model"), *(Cell(words, numeric=True) for words in headings))
    return TableView(cells, tuple(rows)) if rows else None


def _exp(nats: float) -> float:
    """exp(nats), infinite where float64 ends (a diverged run)."""
    return math.exp(nats) if nats < 700 else math.inf


def _prompts(samples: "pd.DataFrame | None") -> list[tuple[str, list[dict[str, Any]]]]:
    """For each prompt, in its order, what every model made of it."""
    if samples is None or samples.empty:
        return []
    records = samples.to_dict("records")
    prompts = dict.fromkeys(str(record["prompt"]) for record in records)
    order = in_order(samples["model"])
    return [
        (
            prompt,
            [
                {
                    "model": model_cell(str(record["model"])),
                    "continuation": _text(record["continuation"]),
                    "note": _text(record.get("note")),
                }
                for record in sorted(records, key=lambda record: order.index(record["model"]))
                if record["prompt"] == prompt
            ],
        )
        for prompt in prompts
    ]


def _text(value: object) -> str:
    return "" if is_missing(value) else str(value)


def _parameter_groups(
    configuration: Mapping[str, Any],
) -> list[tuple[str, list[tuple[str, str]]]]:
    """(group, its parameters as text); parameters outside any group come first."""
    alone = {k: v for k, v in configuration.items() if not isinstance(v, Mapping)}
    groups: dict[str, Mapping[str, Any]] = {"general": alone} if alone else {}
    groups |= {k: v for k, v in configuration.items() if isinstance(v, Mapping) and v}
    return [
        (name, [(key, _parameter_text(value)) for key, value in flattened(group)])
        for name, group in groups.items()
    ]


def _parameter_text(value: object) -> str:
    """As it would stand in a parameter file."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
