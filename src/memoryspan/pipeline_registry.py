"""The pipelines by name."""

from kedro.pipeline import Pipeline

from memoryspan.pipelines import evaluate, ingest, ngram, probe, report, search, tokenize, train
from memoryspan.pipelines.models import ADAPTIVE, MIXTURE, NEURAL


def register_pipelines() -> dict[str, Pipeline]:
    """Every step, all of them (``__default__``), one pipeline per trained model, and ``search``.

    A model's pipeline (``lstm``) has what is the model's own: training, scores, samples, probes.
    It needs the token streams of ``ingest`` and ``tokenize``. So does ``search``, which is no step
    of the way from text to report.
    """
    steps = {
        "ingest": ingest.create_pipeline(),
        "tokenize": tokenize.create_pipeline(),
        "ngram": ngram.create_pipeline(),
        "train": train.create_pipeline(),
        "evaluate": evaluate.create_pipeline(),
        "probe": probe.create_pipeline(),
        "report": report.create_pipeline(),
    }
    everything = Pipeline(steps.values())
    own = NEURAL + ADAPTIVE + MIXTURE
    models = {name: everything.filter(node_namespaces=[name]) for name in own}
    return {"__default__": everything, **steps, **models, "search": search.create_pipeline()}
