"""The ngram pipeline."""

from collections.abc import Callable
from typing import Any

from kedro.pipeline import Node, Pipeline

from memoryspan.ngram.parameters import EstimatorName
from memoryspan.pipelines.boxes import boxed
from memoryspan.pipelines.models import KNESER_NEY, ORDERS, SMOOTHING, datasets
from memoryspan.pipelines.ngram import nodes

COUNTED = ["ngram_counts", "train_stream"]


def create_pipeline() -> Pipeline:
    """``train_stream`` → count tables and their statistics, models of every estimator."""
    chance = [
        estimator(nodes.estimate_uniform, ["train_stream"], "uniform"),
        estimator(nodes.estimate_unigram, ["train_stream"], "unigram"),
    ]
    maximum_likelihood = [
        estimator(nodes.maximum_likelihood(n), COUNTED, f"maximum_likelihood_{n}") for n in ORDERS
    ]
    smoothing = [smoothed(name, max(ORDERS)) for name in SMOOTHING]
    kneser_ney = [*(smoothed("kneser_ney", n) for n in ORDERS), exporting(max(ORDERS))]
    return Pipeline(
        [
            Node(
                nodes.count,
                ["train_stream", "params:ngram.counting", "counting_database"],
                "ngram_counts",
                name="count_ngrams",
            ),
            *(listing(n) for n in ORDERS),
            *statistics_of_counts(),
            boxed(chance, "chance"),
            boxed(maximum_likelihood, "maximum_likelihood"),
            boxed(smoothing, "smoothing"),
            boxed(kneser_ney, "kneser_ney"),
        ],
        tags="ngram",
    )


def listing(order: int) -> Node:
    """The node that lists the n-grams of one order as a table."""
    inputs = ["ngram_counts", "tokenizer"]
    return Node(
        nodes.list_ngrams(order), inputs, f"ngram_table_{order}", name=f"list_ngrams_{order}"
    )


def statistics_of_counts() -> list[Node]:
    """The nodes that say what the counts are like: how sparse, and what follows what."""
    kneser_ney = [*datasets("model", KNESER_NEY), *datasets("summary", KNESER_NEY)]
    return [
        Node(nodes.count_counts, "ngram_counts", "counts_of_counts", name="count_counts"),
        Node(
            nodes.measure_growth,
            ["all_types_stream", "params:ngram.tables"],
            ["vocabulary_growth", "heaps_fit"],
            name="measure_vocabulary_growth",
        ),
        Node(
            nodes.look_up_test_ngrams,
            ["ngram_counts", "test_stream", "params:seed"],
            "seen_ngrams",
            name="look_up_test_ngrams",
        ),
        Node(
            nodes.list_continuations,
            {
                "counts": "ngram_counts",
                "tokenizer": "tokenizer",
                "tables": "params:ngram.tables",
                **{name: name for name in kneser_ney},
            },
            "top_continuations",
            name="list_continuations",
        ),
    ]


def smoothed(name: EstimatorName, order: int) -> Node:
    """The node of a smoothing; Jelinek–Mercer learns its weights from the validation split."""
    inputs = [*COUNTED, "params:ngram"]
    if name == "jelinek_mercer":
        inputs.append("validation_stream")
    return estimator(nodes.smoothed(name, order), inputs, f"{name}_{order}")


def exporting(order: int) -> Node:
    """The node that gives a model its words, to be written as an ARPA file."""
    model = f"kneser_ney_{order}"
    inputs = [f"{model}_model", f"{model}_summary", "tokenizer"]
    return Node(nodes.with_words, inputs, f"{model}_arpa", name=f"export_{model}", tags=model)


def estimator(function: Callable[..., Any], inputs: list[str], model: str) -> Node:
    """The node that estimates one model."""
    outputs = [f"{model}_model", f"{model}_summary"]
    return Node(function, inputs, outputs, name=f"estimate_{model}", tags=model)
