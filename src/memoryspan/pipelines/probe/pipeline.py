"""The probe pipeline."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.boxes import box_per_family
from memoryspan.pipelines.models import PROBED_MODELS, RECURRENT, datasets
from memoryspan.pipelines.probe import nodes


def create_pipeline() -> Pipeline:
    """Models → context-length and gradient curves."""
    return Pipeline(
        [
            box_per_family(context_of, PROBED_MODELS),
            Node(
                nodes.summarise_context,
                ["params:seed", *datasets("context_items", PROBED_MODELS)],
                ["context_curve", "effective_context"],
                name="summarise_context_length",
            ),
            box_per_family(gradient_of, RECURRENT),
            Node(
                nodes.summarise_gradient,
                ["params:seed", *datasets("gradient_items", RECURRENT)],
                ["gradient_curve", "gradient_summary"],
                name="summarise_gradient",
            ),
        ],
        tags="probe",
    )


def context_of(model: str) -> Node:
    """The node that measures one model with only the last k tokens visible."""
    return Node(
        nodes.measure_context,
        [
            f"{model}_model",
            f"{model}_summary",
            "test_stream",
            "params:context_length",
            "params:seed",
        ],
        f"{model}_context_items",
        name=f"context_length_{model}",
        tags=model,
    )


def gradient_of(model: str) -> Node:
    """The node that measures one recurrent model's gradient by lag."""
    return Node(
        nodes.measure_gradient,
        [
            f"{model}_model",
            f"{model}_summary",
            "test_stream",
            "params:gradient",
            "params:seed",
        ],
        f"{model}_gradient_items",
        name=f"gradient_{model}",
        tags=model,
    )
