"""The evaluate pipeline."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.boxes import box_per_family, boxed
from memoryspan.pipelines.evaluate import nodes
from memoryspan.pipelines.models import ALL_MODELS, MIXED, datasets


def create_pipeline() -> Pipeline:
    """All models → ``perplexity``, ``verdicts`` and ``samples``."""
    return Pipeline(
        [
            boxed([mixing()], "mixture"),
            box_per_family(scoring_of, ALL_MODELS),
            Node(
                nodes.compare,
                ["validation_stream", "test_stream", "params:seed", *datasets("scores")],
                ["perplexity", "verdicts"],
                name="compare_perplexities",
            ),
            box_per_family(samples_of, ALL_MODELS),
            Node(nodes.collect, datasets("samples"), "samples", name="collect_samples"),
        ],
        tags="evaluate",
    )


def mixing() -> Node:
    """The node that finds the weights of the mixture, from what was scored of its components."""
    given = ["validation_stream", "params:mixture"]
    return Node(
        nodes.mix,
        [*given, *datasets("model", MIXED), *datasets("scores", MIXED)],
        ["mixture_model", "mixture_summary"],
        name="mix",
        tags="mixture",
    )


def scoring_of(model: str) -> Node:
    """The node that scores both held-out splits with one model."""
    inputs = [f"{model}_model", f"{model}_summary", "validation_stream", "test_stream"]
    return Node(nodes.score, inputs, f"{model}_scores", name=f"score_{model}", tags=model)


def samples_of(model: str) -> Node:
    """The node that lets one model continue the prompts."""
    about = [f"{model}_model", f"{model}_summary"]
    inputs = [*about, "tokenizer", "params:generation", "params:seed"]
    return Node(
        nodes.continue_prompts, inputs, f"{model}_samples", name=f"continue_{model}", tags=model
    )
