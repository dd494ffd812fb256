"""The node that trains one network."""

from tests.neural.conftest import network_parameters, random_stream, training_parameters

from memoryspan.pipelines.train.nodes import trainer


def test_a_network_has_values_of_its_own_in_place_of_the_shared_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    model, summary, history = trainer("gru")(
        network_parameters("gru"),
        training_parameters(epochs=2),
        {"epochs": 1, "clip_norm": 0.25},
        random_stream(400, seed=1),
        random_stream(90, seed=2),
        str(tmp_path),
        7,
    )
    assert summary["epochs"] == 1
    assert summary["training"]["clip_norm"] == 0.25
    assert summary["training"]["streams"] == 4
    assert model.name == "gru"
    assert history["tokens"].max() == 400
