"""Tables → figures and the report page."""

from memoryspan.pipelines.report.pipeline import create_pipeline

__all__ = ["create_pipeline"]
