"""The tokenize pipeline."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.tokenize.nodes import (
    encode,
    encode_without_limit,
    fit,
    list_vocabulary,
    measure_coverage,
)

STREAMS = ["train_stream", "validation_stream", "test_stream"]


def create_pipeline() -> Pipeline:
    """``documents`` → ``tokenizer``, ``vocabulary``, one token stream per split, ``coverage``."""
    return Pipeline(
        [
            Node(fit, ["documents", "params:tokenizer"], "tokenizer", name="fit_tokenizer"),
            Node(list_vocabulary, "tokenizer", "vocabulary", name="list_vocabulary"),
            Node(encode, ["tokenizer", "documents"], STREAMS, name="encode_splits"),
            Node(
                encode_without_limit,
                ["tokenizer", "documents"],
                "all_types_stream",
                name="encode_all_types",
            ),
            Node(measure_coverage, ["tokenizer", *STREAMS], "coverage", name="measure_coverage"),
        ],
        tags="tokenize",
    )
