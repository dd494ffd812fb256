"""Source text → documents with their split, and a profile of the corpus."""

from memoryspan.pipelines.ingest.pipeline import create_pipeline

__all__ = ["create_pipeline"]
