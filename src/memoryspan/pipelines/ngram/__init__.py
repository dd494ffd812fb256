"""Training stream → count tables, models of every estimator."""

from memoryspan.pipelines.ngram.pipeline import create_pipeline

__all__ = ["create_pipeline"]
