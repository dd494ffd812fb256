"""The train pipeline: one reusable step, a namespace per neural model."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.boxes import box_per_family
from memoryspan.pipelines.models import NEURAL
from memoryspan.pipelines.train.nodes import trainer


def create_pipeline() -> Pipeline:
    """Token streams → ``{model}_model``, ``{model}_summary``, ``{model}_history``.

    Each namespace reads its own ``params:{model}.network``, and ``params:{model}.training`` with
    what it has in place of ``params:training``; everything else is shared.
    """
    return Pipeline([box_per_family(training_of, NEURAL)], tags="train")


def training_of(model: str) -> Node:
    """The node that trains one model."""
    return Node(
        trainer(model),
        [
            "params:network",
            "params:training",
            "params:own_training",
            "train_stream",
            "validation_stream",
            "params:checkpoint_folder",
            "params:seed",
        ],
        [f"{model}_model", f"{model}_summary", f"{model}_history"],
        name=f"train_{model}",
        tags=model,
    )
