"""The evaluate pipeline."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.boxes import box_per_family, boxed
from memoryspan.pipelines.evaluate import nodes
from memoryspan.pipelines.models import (
    ADAPTED,
    ALL_MODELS,
    CACHED,
    DYNAMIC,
    MIXED,
    SAMPLED_MODELS,
    datasets,
)


def create_pipeline() -> Pipeline:
    """All models → ``perplexity``, ``perplexity_modes``, ``verdicts`` and ``samples``."""
    return Pipeline(
        [
            boxed([caching()], CACHED),
            boxed([following()], DYNAMIC),
            boxed([mixing()], "mixture"),
            box_per_family(scoring_of, ALL_MODELS),
            Node(
                nodes.compare,
                ["validation_stream", "test_stream", "params:seed", *datasets("scores")],
                ["perplexity", "verdicts", "perplexity_modes"],
                name="compare_perplexities",
            ),
            box_per_family(samples_of, SAMPLED_MODELS),
            Node(
                nodes.collect,
                datasets("samples", SAMPLED_MODELS),
                "samples",
                name="collect_samples",
            ),
        ],
        tags="evaluate",
    )


def made(model: str) -> list[str]:
    """The model, and what it says of itself."""
    return [f"{model}_model", f"{model}_summary"]


def caching() -> Node:
    """The node that finds the neural cache that suits the network."""
    given = [*made(ADAPTED), f"params:{CACHED}", "validation_stream"]
    return Node(nodes.add_neural_cache, given, made(CACHED), name=f"tune_{CACHED}", tags=CACHED)


def following() -> Node:
    """The node that finds how fast the network should follow the text."""
    given = [*made(ADAPTED), f"params:{DYNAMIC}", "train_stream", "validation_stream"]
    return Node(nodes.let_follow, given, made(DYNAMIC), name=f"tune_{DYNAMIC}", tags=DYNAMIC)


def mixing() -> Node:
    """The node that finds the weights of the mixture, from what was scored of its components."""
    given = ["validation_stream", "params:mixture"]
    return Node(
        nodes.mix,
        [*given, *datasets("model", MIXED), *datasets("scores", MIXED)],
        made("mixture"),
        name="mix",
        tags="mixture",
    )


def scoring_of(model: str) -> Node:
    """The node that scores both held-out splits with one model."""
    inputs = [*made(model), "validation_stream", "test_stream", "params:sentence_reset"]
    return Node(nodes.score, inputs, f"{model}_scores", name=f"score_{model}", tags=model)


def samples_of(model: str) -> Node:
    """The node that lets one model continue the prompts."""
    inputs = [*made(model), "tokenizer", "params:generation", "params:seed"]
    return Node(
        nodes.continue_prompts, inputs, f"{model}_samples", name=f"continue_{model}", tags=model
    )
