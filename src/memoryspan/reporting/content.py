"""What the report is made of: the tables, figures and words of one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Reproduction:
    """What it takes to make the same report again.

    ``versions`` maps package names to versions, ``commands`` are shell lines in order.
    """

    seed: int | None = None
    commands: Sequence[str] = ()
    git_commit: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportContent:
    """Everything that the page says; what is None or empty is left out, with its section.

    Tables have the columns that the rooms give them: ``corpus_profile``, ``split_table`` and
    ``coverage`` from the corpus; ``ngram_tables`` by n, with w1 … wn and count, and the
    statistics of the counts, from ``counts_of_counts`` to ``top_continuations``, from the n-grams;
    ``perplexity``, ``perplexity_modes`` and ``verdicts`` from the evaluation; ``histories`` by
    model from training; the curves and their summaries from the probes; ``samples`` with model,
    prompt, continuation, note.

    The SVGs are what ``figure_style.svg_text`` makes. They go into the page as they are:
    never put text from elsewhere there.
    """

    title: str
    corpus: str = ""
    verdicts: Sequence[str] = ()
    corpus_profile: "pd.DataFrame | None" = None
    split_table: "pd.DataFrame | None" = None
    coverage: "pd.DataFrame | None" = None
    ngram_tables: Mapping[int, "pd.DataFrame"] = field(default_factory=dict)
    counts_of_counts: "pd.DataFrame | None" = None
    counts_of_counts_svg: str = ""
    vocabulary_growth: "pd.DataFrame | None" = None
    heaps_fit: "pd.DataFrame | None" = None
    vocabulary_growth_svg: str = ""
    seen_ngrams: "pd.DataFrame | None" = None
    seen_ngrams_svg: str = ""
    top_continuations: "pd.DataFrame | None" = None
    perplexity: "pd.DataFrame | None" = None
    perplexity_modes: "pd.DataFrame | None" = None
    perplexity_svg: str = ""
    histories: Mapping[str, "pd.DataFrame"] = field(default_factory=dict)
    learning_curves_svg: str = ""
    context_curve: "pd.DataFrame | None" = None
    effective_context: "pd.DataFrame | None" = None
    context_svg: str = ""
    gradient_curve: "pd.DataFrame | None" = None
    gradient_summary: "pd.DataFrame | None" = None
    gradient_svg: str = ""
    samples: "pd.DataFrame | None" = None
    configuration: Mapping[str, Any] = field(default_factory=dict)
    reproduction: Reproduction = field(default_factory=Reproduction)
