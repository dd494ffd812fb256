"""The report's four figures, each a function from tables to a matplotlib ``Figure``."""

from memoryspan.reporting.figures.context import context_figure
from memoryspan.reporting.figures.gradient import gradient_figure
from memoryspan.reporting.figures.learning import learning_curves_figure
from memoryspan.reporting.figures.perplexity import perplexity_figure

__all__ = ["context_figure", "gradient_figure", "learning_curves_figure", "perplexity_figure"]
