import numpy as np
import pandas as pd
import pytest

from memoryspan.reporting.figure_style import svg_text
from memoryspan.reporting.figures import learning_rates_figure
from memoryspan.reporting.palette import model_style


@pytest.fixture
def trials() -> pd.DataFrame:
    rnn = pd.DataFrame(
        {
            "model": "rnn",
            "trial": [1, 2, 3, 4, 5],
            "outcome": ["complete", "complete", "complete", "pruned", "broken"],
            "validation_nats_per_token": [5.5, 9.0, 5.25, 7.0, np.nan],
            "learning_rate": [0.002, 0.002, 0.001, 0.004, 0.016],
            "layers": [1, 2, 1, 1, 1],
        }
    )
    others = [rnn.assign(model=name) for name in ("feedforward", "gru", "lstm", "transformer")]
    return pd.concat([rnn, *others], ignore_index=True)


def dots(axes, name="rnn"):
    return {
        int(str(line.get_label()).removeprefix(f"{name} trial ")): line
        for line in axes.lines
        if str(line.get_label()).startswith(name)
    }


def test_a_panel_per_kind_of_network(trials):
    figure = learning_rates_figure(trials)
    titles = [axes.get_title(loc="left") for axes in figure.axes[:5]]
    assert titles == ["Feed-forward", "RNN", "GRU", "LSTM", "Transformer"]
    assert not figure.axes[5].axison
    assert svg_text(figure)


def test_trials_by_learning_rate_depth_and_outcome(trials):
    axes = learning_rates_figure(trials).axes[1]
    drawn = dots(axes)
    assert {n: line.get_xdata()[0] for n, line in drawn.items()} == {
        1: 0.002, 2: 0.002, 3: 0.001, 4: 0.004, 5: 0.016,
    }  # fmt: skip
    assert {n: line.get_marker() for n, line in drawn.items()} == dict.fromkeys(
        range(1, 6), "o"
    ) | {2: "s"}
    filled = {n for n, line in drawn.items() if line.get_markerfacecolor() != "none"}
    assert filled == {1, 2, 3}
    assert drawn[1].get_color() == model_style("rnn").colour
    # What is far above the best, or broke down, stands at the upper edge.
    heights = {n: line.get_ydata()[0] for n, line in drawn.items()}
    assert heights == {1: 5.5, 2: 6.25, 3: 5.25, 4: 6.25, 5: 6.25}
    assert axes.get_xscale() == "log"


def test_ring_around_the_configuration_and_cross_through_the_best(trials):
    axes = learning_rates_figure(trials).axes[1]
    ring, cross = axes.lines[-2:]
    assert (ring.get_marker(), ring.get_xydata().tolist()) == ("o", [[0.002, 5.5]])
    assert (cross.get_marker(), cross.get_xydata().tolist()) == ("+", [[0.001, 5.25]])


@pytest.mark.parametrize("change", ["one model", "one depth", "one trial"])
def test_small_searches(trials, change):
    some = trials[trials["model"] == "rnn"]
    if change == "one depth":
        some = trials.drop(columns="layers")
    elif change == "one trial":
        some = some.head(1)
    assert svg_text(learning_rates_figure(some))


def test_no_learning_rates_to_show(trials):
    for table in (trials.head(0), trials.drop(columns="learning_rate")):
        assert "nothing to show" in svg_text(learning_rates_figure(table))
