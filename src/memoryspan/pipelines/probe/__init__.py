"""Models → how far back each one looks."""

from memoryspan.pipelines.probe.pipeline import create_pipeline

__all__ = ["create_pipeline"]
