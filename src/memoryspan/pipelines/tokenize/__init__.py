"""Documents → tokenizer, vocabulary and token streams."""

from memoryspan.pipelines.tokenize.pipeline import create_pipeline

__all__ = ["create_pipeline"]
