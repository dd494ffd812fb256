"""What the counts say: the views and sentences of that section of the report."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from memoryspan.reporting.content import ReportContent
from memoryspan.reporting.formatting import is_missing, number, percent
from memoryspan.reporting.tables import Cell, TableView, table_view

if TYPE_CHECKING:
    import pandas as pd

MOST_CONTEXTS = 24
_SEEN_COLUMNS = ("order", "seen_of_tokens", "types", "seen_of_types", "unknown_share")


def count_tables(content: ReportContent) -> dict[str, TableView | None]:
    """How often n-grams occur, how their number grows, and which the test text shares."""
    seen = content.seen_ngrams
    return {
        "frequencies": table_view(_by_order(content.counts_of_counts)),
        "growth": table_view(content.heaps_fit),
        "seen": table_view(None if seen is None else _with_shares(seen), _SEEN_COLUMNS),
    }


def count_sentences(content: ReportContent) -> list[str]:
    """What to read off the tables, in numbers taken from them."""
    return [
        *_frequency_sentences(_by_order(content.counts_of_counts)),
        *_growth_sentences(content.vocabulary_growth, content.heaps_fit),
        *_seen_sentences(content.seen_ngrams),
    ]


def continuation_views(table: "pd.DataFrame | None") -> list[tuple[str, TableView]]:
    """(caption, table) for each of the first contexts, in their order."""
    if table is None or table.empty:
        return []
    headings = ("next", "count", "P, counts", "P, Kneser–Ney")
    cells = tuple(Cell(words, numeric=place > 0) for place, words in enumerate(headings))
    views = []
    for (context, order, total), rows in table.groupby(
        ["context", "order", "context_count"], sort=False
    ):
        caption = f"after “{context}”: n = {order}, {number(total)} times"
        lines = tuple(_continuation(row) for row in rows.to_dict("records"))
        views.append((caption, TableView(cells, lines)))
    return views[:MOST_CONTEXTS]


def _continuation(row: Mapping[Hashable, Any]) -> tuple[Cell, ...]:
    return (
        Cell(str(row["continuation"])),
        Cell(number(row["count"]), numeric=True),
        Cell(number(row["maximum_likelihood"], 3), numeric=True),
        Cell(number(row["kneser_ney"], 3), numeric=True),
    )


def _by_order(counts_of_counts: "pd.DataFrame | None") -> "pd.DataFrame | None":
    """Distinct n-grams of each order, and how many of them occur once and twice."""
    if counts_of_counts is None or counts_of_counts.empty:
        return None
    by_order = counts_of_counts.groupby("order")["ngrams"].sum().rename("distinct").reset_index()
    for words, count in (("once", 1), ("twice", 2)):
        rows = counts_of_counts[counts_of_counts["count"] == count].set_index("order")["ngrams"]
        by_order[words] = by_order["order"].map(rows).fillna(0).astype(int)
    return by_order.assign(once_share=by_order["once"] / by_order["distinct"])


def _with_shares(seen: "pd.DataFrame") -> "pd.DataFrame":
    """Each share with its interval as text."""
    return seen.assign(
        seen_of_tokens=[_share(row, "token_share") for row in seen.to_dict("records")],
        seen_of_types=[_share(row, "type_share") for row in seen.to_dict("records")],
    )


def _share(row: Mapping[Hashable, Any], column: str) -> str:
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    value = percent(row[column])
    return value if is_missing(low) else f"{value} [{percent(low)}, {percent(high)}]"


def _frequency_sentences(by_order: "pd.DataFrame | None") -> list[str]:
    if by_order is None or len(by_order) < 2:
        return []
    rows = _first_and_last(by_order[by_order["order"] > 1])
    parts = [f"the {number(row['distinct'])} distinct {row['order']}-grams" for row in rows]
    shares = [percent(row["once_share"]) for row in rows]
    pairs = (f"of {part} {share}" for part, share in zip(parts, shares, strict=True))
    return [f"In the training text, {', '.join(pairs)} occur only once."]


def _growth_sentences(growth: "pd.DataFrame | None", heaps: "pd.DataFrame | None") -> list[str]:
    if growth is None or growth.empty:
        return []
    whole = growth[growth["order"] == 1].to_dict("records")[-1]
    said = (
        f"The {number(whole['tokens'])} tokens of the training text are of "
        f"{number(whole['distinct'])} types, before rare ones become <unk>"
    )
    fits = [] if heaps is None else heaps[heaps["order"] == 1].to_dict("records")
    if not fits or is_missing(fits[0]["beta"]):
        return [f"{said}."]
    fit = fits[0]
    return [
        f"{said}. By Heaps’ law, K · N^β with β = {number(fit['beta'], 3)} fitted from "
        f"{number(fit['from_tokens'])} to {number(fit['to_tokens'])} tokens, a text twice as long "
        f"has {number(2 ** fit['beta'], 3)} times as many."
    ]


def _seen_sentences(seen: "pd.DataFrame | None") -> list[str]:
    if seen is None or len(seen) < 2:
        return []
    rows = _first_and_last(seen[seen["order"] > 1])
    last = rows[-1]
    parts = [f"{_share(row, 'token_share')} end a {row['order']}-gram" for row in rows]
    said = (
        f"Of the {number(last['tokens'])} tokens of the test text {', '.join(parts)} that the "
        f"training text has. To the other {percent(1 - last['token_share'])} maximum likelihood of "
        "that order gives no probability: this is the sparsity that smoothing is for."
    )
    if not last["unknown_share"]:
        return [said]
    return [
        f"{said} With the rare words themselves in the place of <unk>, which is in "
        f"{percent(last['unknown_share'])} of these {last['order']}-grams, it would be greater."
    ]


def _first_and_last(rows: "pd.DataFrame") -> list[dict[Hashable, Any]]:
    """The first row and, where there are more, the last."""
    return rows.iloc[sorted({0, len(rows) - 1})].to_dict("records")
