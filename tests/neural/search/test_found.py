import pandas as pd
import yaml

from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.search.found import best_row, found_configuration, placed


def trials(**changes):
    table = pd.DataFrame(
        {
            "model": "rnn",
            "trial": [1, 2, 3, 4],
            "outcome": ["complete", "broken", "complete", "pruned"],
            "validation_nats_per_token": [5.5, None, 5.25, 5.0],
            "learning_rate": [0.002, 0.01, 0.00123, 0.1],
            "layers": [1, 2, 1, 1],
            "recurrent_gain": [0.5, 0.5, 0.75, 0.5],
            "dropout": [0.2, 0.2, 0.1, 0.0],
        }
    )
    return table.assign(**changes)


NETWORK = NetworkParameters(kind="rnn", parameters=3_600_000, learning_rate=0.002)


def test_the_best_is_complete():
    assert best_row(trials())["trial"] == 3


def test_what_was_found_can_be_configured_as_it_stands():
    text = found_configuration({"rnn": trials()}, {"rnn": NETWORK}, {"rnn": {"bptt": 20}})
    assert "# 5.2500 nats per token in trial 3; the configuration 5.5000 nats" in text
    found = yaml.safe_load(text)
    network = NetworkParameters.model_validate(found["rnn"]["network"])
    assert network == NETWORK.model_copy(
        update={"learning_rate": 0.00123, "layers": 1, "recurrent_gain": 0.75}
    )
    dropouts = {"input_dropout": 0.1, "hidden_dropout": 0.1, "output_dropout": 0.1}
    assert found["rnn"]["training"] == {"bptt": 20, **dropouts}


def test_a_configuration_that_nothing_beats_stays():
    losses = [5.0, None, 5.25, 5.1]
    text = found_configuration(
        {"rnn": trials(validation_nats_per_token=losses)}, {"rnn": NETWORK}, {"rnn": {}}
    )
    assert text.startswith("rnn: # 5.0000 nats per token in trial 1, the configuration\n")
    assert yaml.safe_load(text)["rnn"]["network"]["learning_rate"] == 0.002


def test_a_configuration_that_broke_down_is_said_to_have():
    outcomes = ["broken", "broken", "complete", "pruned"]
    text = found_configuration({"rnn": trials(outcome=outcomes)}, {"rnn": NETWORK}, {"rnn": {}})
    assert "the configuration broke down" in text


def test_values_by_group():
    assert placed({"layers": 2, "clip_norm": 0.5}) == ({"layers": 2}, {"clip_norm": 0.5})
