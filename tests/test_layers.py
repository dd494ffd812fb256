"""kedro-viz draws its layers only where data flows through them in one direction."""

from graphlib import TopologicalSorter
from pathlib import Path

from kedro.config import OmegaConfigLoader
from kedro.io import DataCatalog

from memoryspan.pipeline_registry import register_pipelines
from memoryspan.settings import CONFIG_LOADER_ARGS

CONF = Path(__file__).resolve().parents[1] / "conf"


def layers_of_datasets(pipeline):
    config = OmegaConfigLoader(str(CONF), **CONFIG_LOADER_ARGS)["catalog"]
    patterns = DataCatalog.from_config({n: c for n, c in config.items() if "{" in n})
    layers = {}
    for name in pipeline.datasets():
        if name.startswith("param"):
            continue
        found = config.get(name) or patterns.config_resolver.resolve_pattern(name)
        layers[name] = found.get("metadata", {}).get("kedro-viz", {}).get("layer")
    return layers


def test_data_flows_from_layer_to_layer():
    pipeline = register_pipelines()["__default__"]
    layers = layers_of_datasets(pipeline)
    before = {layer: set() for layer in layers.values()}
    for node in pipeline.nodes:
        for output in node.outputs:
            inputs = {layers[i] for i in node.inputs if i in layers}
            before[layers[output]] |= inputs - {layers[output]}
    order = [layer for layer in TopologicalSorter(before).static_order() if layer]
    assert order == ["intermediate", "primary", "feature", "models", "model_output", "reporting"]
