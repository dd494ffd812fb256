"""Namespaces as boxes: kedro-viz folds them, ``--namespaces`` selects them."""

from collections.abc import Callable

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.models import NAMESPACES


def boxed(nodes: list[Node], namespace: str) -> Pipeline:
    """The nodes in one namespace; all their datasets keep their names.

    Parameters keep theirs too, except what every namespace has of its own: ``params:network``, and
    ``params:own_training``, which is ``training`` inside the namespace's group.
    """
    inner = Pipeline(nodes)
    parameters = {name for name in inner.inputs() if name.startswith("params:")}
    own = {"params:network": "network", "params:own_training": "training"}
    return Pipeline(
        inner,
        namespace=namespace,
        inputs=inner.inputs() - parameters,
        outputs=inner.all_outputs(),  # those that stay inside, too
        parameters={
            name: f"params:{namespace}.{own[name]}" if name in own else name for name in parameters
        },
    )


def box_per_family(node_of: Callable[[str], Node], models: tuple[str, ...]) -> Pipeline:
    """One node per model, each in the box of its model's namespace."""
    boxes = []
    for namespace, members in NAMESPACES.items():
        nodes = [node_of(model) for model in members if model in models]
        if nodes:
            boxes.append(boxed(nodes, namespace))
    return Pipeline(boxes)
