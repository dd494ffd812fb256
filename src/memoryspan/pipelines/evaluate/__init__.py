"""Models → scores on the same tokens, the perplexity table, sample continuations."""

from memoryspan.pipelines.evaluate.pipeline import create_pipeline

__all__ = ["create_pipeline"]
