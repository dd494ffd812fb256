"""Token streams → trained neural models, one namespace each."""

from memoryspan.pipelines.train.pipeline import create_pipeline

__all__ = ["create_pipeline"]
