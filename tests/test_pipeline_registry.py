from memoryspan.pipeline_registry import register_pipelines
from memoryspan.pipelines.models import ADAPTIVE, ALL_MODELS, MIXTURE, NEURAL, namespace_of

STEPS = ["ingest", "tokenize", "ngram", "train", "evaluate", "probe", "report"]


def test_every_step_every_trained_model_and_everything():
    pipelines = register_pipelines()
    assert set(pipelines) == {"__default__", *STEPS, *NEURAL, *ADAPTIVE, *MIXTURE, "search"}
    everything = pipelines["__default__"]
    assert {node.name for step in STEPS for node in pipelines[step].nodes} == {
        node.name for node in everything.nodes
    }
    free = {name for name in everything.inputs() if not name.startswith("param")}
    assert free == {"counting_database"}  # an engine that the catalog opens, not data


def test_a_search_is_no_part_of_the_way_from_text_to_report():
    pipelines = register_pipelines()
    names = {node.name for node in pipelines["search"].nodes}
    assert {f"{model}.search_{model}" for model in NEURAL} < names
    assert names.isdisjoint(node.name for node in pipelines["__default__"].nodes)
    free = {name for name in pipelines["search"].inputs() if not name.startswith("param")}
    assert free == {"train_stream", "validation_stream", *(f"{model}_study" for model in NEURAL)}


def test_a_models_pipeline_is_its_namespace():
    lstm = register_pipelines()["lstm"]
    assert {node.namespace for node in lstm.nodes} == {"lstm"}
    assert {"params:lstm.network", "params:training", "params:lstm.training"} <= lstm.inputs()
    outputs = {"lstm_model", "lstm_scores", "lstm_samples", "lstm_gradient_items"}
    assert outputs <= lstm.all_outputs()


def test_every_model_is_in_the_box_of_its_name_or_of_its_kind():
    boxes = {model: namespace_of(model) for model in ALL_MODELS}
    shared = {model: box for model, box in boxes.items() if not model.startswith(box)}
    assert set(shared.values()) == {"chance", "smoothing"}
    assert len(boxes) == len(ALL_MODELS)  # none twice
