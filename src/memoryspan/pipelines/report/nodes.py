"""Nodes of the report pipeline."""

from importlib.metadata import version
from typing import Any

import pandas as pd

from memoryspan.pipelines.models import ADAPTIVE, MIXTURE, NEURAL, ORDERS
from memoryspan.project import git_commit
from memoryspan.reporting.content import ReportContent, Reproduction
from memoryspan.reporting.report import render_report
from memoryspan.text.tokenizers import Tokenizer

TABLES = (
    "corpus_profile",
    "split_table",
    "coverage",
    "counts_of_counts",
    "vocabulary_growth",
    "heaps_fit",
    "seen_ngrams",
    "top_continuations",
    "perplexity",
    "perplexity_modes",
    "context_curve",
    "effective_context",
    "gradient_curve",
    "gradient_summary",
    "samples",
)
FIGURES = (
    "counts_of_counts",
    "vocabulary_growth",
    "seen_ngrams",
    "perplexity",
    "learning_curves",
    "context",
    "gradient",
)
VERSIONED = ("memoryspan", "torch", "pytorch-lightning", "kedro", "mlflow", "numpy", "tokenizers")


def draw_counts_of_counts(counts_of_counts: pd.DataFrame) -> Any:
    """How many n-grams occur how often."""
    from memoryspan.reporting.figures.frequencies import counts_of_counts_figure

    return counts_of_counts_figure(counts_of_counts)


def draw_growth(vocabulary_growth: pd.DataFrame, heaps_fit: pd.DataFrame) -> Any:
    """Distinct n-grams by tokens read, and Heaps' law."""
    from memoryspan.reporting.figures.growth import growth_figure

    return growth_figure(vocabulary_growth, heaps_fit)


def draw_seen_ngrams(seen_ngrams: pd.DataFrame) -> Any:
    """The share of test n-grams that the training text has."""
    from memoryspan.reporting.figures.seen import seen_figure

    return seen_figure(seen_ngrams)


def draw_perplexity(perplexity: pd.DataFrame) -> Any:
    """Perplexity of every model, and its ratio to the best n-gram."""
    from memoryspan.reporting.figures.perplexity import perplexity_figure

    return perplexity_figure(perplexity)


def draw_learning_curves(*histories: pd.DataFrame) -> Any:
    """Training and validation perplexity, and the gradient norm before clipping."""
    from memoryspan.reporting.figures.learning import learning_curves_figure

    return learning_curves_figure(dict(zip(NEURAL, histories, strict=True)))


def draw_context(context_curve: pd.DataFrame, effective_context: pd.DataFrame) -> Any:
    """Perplexity by visible context."""
    from memoryspan.reporting.figures.context import context_figure

    return context_figure(context_curve, effective_context)


def draw_gradient(gradient_curve: pd.DataFrame) -> Any:
    """Gradient norm by lag."""
    from memoryspan.reporting.figures.gradient import gradient_figure

    return gradient_figure(gradient_curve)


def write_report(
    corpus_description: dict[str, Any], tokenizer: Tokenizer, verdicts: list[str], **parts: Any
) -> str:
    """The page, from every table and figure that is there.

    What it says of corpus and configuration is what the artefacts themselves say, never the
    parameters of the run that writes the page.
    """
    summaries = {model: parts[f"{model}_summary"] for model in NEURAL}
    source = corpus_description["corpus"]["source"]
    content = ReportContent(
        title=f"How far back do they remember? {corpus_description['title']}",
        corpus=corpus_description["citation"],
        verdicts=verdicts,
        **{name: parts[name] for name in TABLES},
        ngram_tables={n: parts[f"ngram_table_{n}"] for n in ORDERS},
        histories={model: parts[f"{model}_history"] for model in NEURAL},
        **{f"{name}_svg": parts[f"{name}_figure"] for name in FIGURES},
        configuration={
            "corpus": corpus_description["corpus"],
            "tokenizer": tokenizer.parameters.model_dump(mode="json"),
            **{
                model: {key: summary[key] for key in ("network", "training", "seed")}
                for model, summary in summaries.items()
            },
            **{model: parts[f"{model}_summary"]["tuned"] for model in ADAPTIVE},
            **{model: parts[f"{model}_summary"]["weights"] for model in MIXTURE},
        },
        reproduction=Reproduction(
            seed=corpus_description["seed"],
            commands=(f"kedro run --params corpus.source={source}",),
            git_commit=git_commit(),
            versions={name: version(name) for name in VERSIONED},
        ),
    )
    return render_report(content)
