"""The report pipeline."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.models import ADAPTIVE, MIXTURE, NEURAL, ORDERS, datasets
from memoryspan.pipelines.report import nodes


def create_pipeline() -> Pipeline:
    """Tables → figures and the report page."""
    return Pipeline(
        [
            Node(
                nodes.draw_counts_of_counts,
                "counts_of_counts",
                "counts_of_counts_figure",
                name="draw_counts_of_counts",
            ),
            Node(
                nodes.draw_growth,
                ["vocabulary_growth", "heaps_fit"],
                "vocabulary_growth_figure",
                name="draw_vocabulary_growth",
            ),
            Node(
                nodes.draw_seen_ngrams, "seen_ngrams", "seen_ngrams_figure", name="draw_seen_ngrams"
            ),
            Node(nodes.draw_perplexity, "perplexity", "perplexity_figure", name="draw_perplexity"),
            Node(
                nodes.draw_learning_curves,
                datasets("history", NEURAL),
                "learning_curves_figure",
                name="draw_learning_curves",
            ),
            Node(
                nodes.draw_context,
                ["context_curve", "effective_context"],
                "context_figure",
                name="draw_context_curves",
            ),
            Node(nodes.draw_gradient, "gradient_curve", "gradient_figure", name="draw_gradients"),
            Node(
                nodes.write_report,
                {
                    **{name: name for name in nodes.TABLES},
                    **{name: name for name in datasets("figure", nodes.FIGURES)},
                    "verdicts": "verdicts",
                    "corpus_description": "corpus_description",
                    "tokenizer": "tokenizer",
                    **{name: name for name in datasets("summary", NEURAL + ADAPTIVE + MIXTURE)},
                    **{f"ngram_table_{n}": f"ngram_table_{n}" for n in ORDERS},
                    **{name: name for name in datasets("history", NEURAL)},
                },
                "report",
                name="write_report",
            ),
        ],
        tags="report",
    )
