import math
from pathlib import Path

import numpy as np
import pytest

from memoryspan.text.streams import TokenStream
from memoryspan.tracking.corpus import corpus_input
from memoryspan.tracking.parameters import TrackingParameters
from memoryspan.tracking.recorder import Recorder, flatten


@pytest.fixture(scope="module")
def settings(tmp_path_factory) -> TrackingParameters:
    folder = tmp_path_factory.mktemp("mlflow")
    return TrackingParameters(
        tracking_uri=f"sqlite:///{folder}/mlflow.db",
        artifact_location=str(folder / "artifacts"),
        experiment="tests",
    )


@pytest.fixture
def client(settings):
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=settings.uri)


def test_one_flat_run_per_model_with_curves_parameters_and_corpus(settings, client):
    record = Recorder(settings, {"kedro.run_id": "one"})
    stream = TokenStream.of(np.array([2, 3, 1], dtype=np.int32), 4)
    for model in ("lstm", "kneser_ney_5"):
        record.open_new(model)
        record.log_parameters(model, {"network": {"hidden_size": 8}, "seed": 1})
        record.log_metrics(model, {"test.perplexity": 12.5, "infinite": math.inf})
        record.log_curve(model, "train.loss", range(1500), np.linspace(3, 2, 1500))
        record.log_input(model, corpus_input(stream, "shakespeare"))
    record.finish("FINISHED")

    for model in ("lstm", "kneser_ney_5"):
        run = client.get_run(record.runs[model])
        assert run.info.status == "FINISHED"
        assert run.info.run_name == model
        assert "mlflow.parentRunId" not in run.data.tags
        assert run.data.tags["kedro.run_id"] == "one"
        assert run.data.params == {"network.hidden_size": "8", "seed": "1"}
        assert run.data.metrics == {"test.perplexity": 12.5, "train.loss": 2.0}
        assert len(client.get_metric_history(run.info.run_id, "train.loss")) == 1500
        assert run.inputs.dataset_inputs[0].dataset.name == "shakespeare"


def test_evaluation_alone_adds_to_the_latest_run_of_the_model(settings, client):
    first = Recorder(settings, {})
    first.open_new("gru")
    first.finish("FINISHED")
    second = Recorder(settings, {})
    second.log_metrics("gru", {"test.perplexity": 7.0})
    assert second.runs == first.runs
    assert client.get_run(first.runs["gru"]).data.metrics == {"test.perplexity": 7.0}


def test_making_the_model_again_opens_another_run(settings):
    first, second = Recorder(settings, {}), Recorder(settings, {})
    first.open_new("rnn")
    second.open_new("rnn")
    assert first.runs["rnn"] != second.runs["rnn"]


def test_figures_go_to_every_open_run(settings, client, tmp_path):
    record = Recorder(settings, {})
    record.open_new("a")
    record.open_new("b")
    figure = tmp_path / "perplexity.png"
    figure.write_bytes(b"png")
    record.log_figure(figure)
    for run_id in record.runs.values():
        assert [Path(entry.path).name for entry in client.list_artifacts(run_id)] == [figure.name]


def test_flatten():
    assert flatten({"a": {"b": {"c": 1}}, "d": [2]}) == {"a.b.c": 1, "d": [2]}


def test_environment_variable_chooses_the_server(settings, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://example.invalid")
    assert settings.uri == "http://example.invalid"
    assert settings.artifacts is None
