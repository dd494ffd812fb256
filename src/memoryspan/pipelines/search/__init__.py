"""Token streams → the best learning rate and shape of every network."""

from memoryspan.pipelines.search.pipeline import create_pipeline

__all__ = ["create_pipeline"]
