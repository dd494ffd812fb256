"""Training stream → count tables, maximum likelihood and Kneser–Ney models."""

from memoryspan.pipelines.ngram.pipeline import create_pipeline

__all__ = ["create_pipeline"]
