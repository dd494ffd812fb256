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
    ``coverage`` from the corpus; ``ngram_tables`` by n, with w1 … wn and count; ``perplexity``
    and ``verdicts`` from the evaluation; ``histories`` by model from training; the curves and
    their summaries from the probes; ``samples`` with model, prompt, continuation, note.

    The four SVGs are what ``figure_style.svg_text`` makes. They go into the page as they are:
    never put text from elsewhere there.
    """

    title: str
    corpus: str = ""
    verdicts: Sequence[str] = ()
    corpus_profile: "pd.DataFrame | None" = None
    split_table: "pd.DataFrame | None" = None
    coverage: "pd.DataFrame | None" = None
    ngram_tables: Mapping[int, "pd.DataFrame"] = field(default_factory=dict)
    perplexity: "pd.DataFrame | None" = None
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
