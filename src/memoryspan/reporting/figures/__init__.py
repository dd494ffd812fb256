"""The report's figures, each a function from tables to a matplotlib ``Figure``."""

from memoryspan.reporting.figures.context import context_figure
from memoryspan.reporting.figures.frequencies import counts_of_counts_figure
from memoryspan.reporting.figures.gradient import gradient_figure
from memoryspan.reporting.figures.growth import growth_figure
from memoryspan.reporting.figures.learning import learning_curves_figure
from memoryspan.reporting.figures.learning_rates import learning_rates_figure
from memoryspan.reporting.figures.perplexity import perplexity_figure
from memoryspan.reporting.figures.seen import seen_figure

__all__ = [
    "context_figure",
    "counts_of_counts_figure",
    "gradient_figure",
    "growth_figure",
    "learning_curves_figure",
    "learning_rates_figure",
    "perplexity_figure",
    "seen_figure",
]
