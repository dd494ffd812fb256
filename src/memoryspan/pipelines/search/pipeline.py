"""The search pipeline: one reusable step, a namespace per network."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.boxes import box_per_family
from memoryspan.pipelines.evaluate.nodes import collect
from memoryspan.pipelines.models import NEURAL, datasets
from memoryspan.pipelines.search import nodes


def create_pipeline() -> Pipeline:
    """Token streams → ``{model}_search``; all trials, the best values and a figure."""
    return Pipeline(
        [
            box_per_family(search_of, NEURAL),
            Node(collect, datasets("search", NEURAL), "search_trials", name="collect_trials"),
            Node(
                nodes.write_best,
                {
                    "search": "params:search",
                    "seed": "params:seed",
                    **{f"{model}_network": f"params:{model}.network" for model in NEURAL},
                    **{f"{model}_training": f"params:{model}.training" for model in NEURAL},
                    **{name: name for name in datasets("search", NEURAL)},
                },
                "search_best",
                name="write_best_values",
            ),
            Node(
                nodes.draw_learning_rates,
                "search_trials",
                "learning_rates_figure",
                name="draw_learning_rates",
            ),
        ],
        tags="search",
    )


def search_of(model: str) -> Node:
    """The node that searches for one network."""
    return Node(
        nodes.searcher(model),
        [
            "params:network",
            "params:training",
            "params:own_training",
            "params:search",
            "train_stream",
            "validation_stream",
            f"{model}_study",
            "params:checkpoint_folder",
            "params:seed",
        ],
        f"{model}_search",
        name=f"search_{model}",
        tags=model,
    )
