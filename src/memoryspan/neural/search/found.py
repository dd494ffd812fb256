"""What a search has found, ready to be configured. Imports neither torch nor Optuna."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import yaml

from memoryspan.neural.parameters import NetworkParameters

if TYPE_CHECKING:
    import pandas as pd

COMPLETE, PRUNED, BROKEN = "complete", "pruned", "broken"

Values = dict[str, Any]
"""Name of a dimension of the search → its value."""

OF_THE_NETWORK = ("learning_rate", "layers", "recurrent_gain")
OF_THE_TRAINING = ("clip_norm",)
DROPOUTS = ("input_dropout", "hidden_dropout", "output_dropout")
DIMENSIONS = (*OF_THE_NETWORK, *OF_THE_TRAINING, "dropout")


def placed(values: Mapping[str, Any]) -> tuple[Values, Values]:
    """The values by their keys in the groups ``network`` and ``training``."""
    network = {key: values[key] for key in OF_THE_NETWORK if key in values}
    training = {key: values[key] for key in OF_THE_TRAINING if key in values}
    if "dropout" in values:
        training |= dict.fromkeys(DROPOUTS, values["dropout"])
    return network, training


def best_row(trials: "pd.DataFrame") -> dict[str, Any]:
    """The trial with the lowest loss among those that were not pruned."""
    rows = trials[trials["outcome"] == COMPLETE].to_dict("records")
    best = min(rows, key=lambda row: row["validation_nats_per_token"])
    return {str(key): value for key, value in best.items()}


def found_configuration(
    searches: Mapping[str, "pd.DataFrame"],
    networks: Mapping[str, NetworkParameters],
    trainings: Mapping[str, Mapping[str, Any]],
) -> str:
    """The groups of all networks with the best values, as YAML to paste into ``conf``.

    Args:
        searches: of each network, the table of ``table.trials_table``.
        networks: what is configured of each.
        trainings: what each has in place of the shared group's values.
    """
    return "".join(
        _group(name, trials, networks[name], trainings[name]) for name, trials in searches.items()
    )


def _group(
    name: str, trials: "pd.DataFrame", network: NetworkParameters, own_training: Mapping[str, Any]
) -> str:
    best, configured = best_row(trials), trials.to_dict("records")[0]
    about = f"{_nats(best)} in trial {best['trial']}"
    if best["trial"] == configured["trial"]:
        about += ", the configuration"
    else:
        about += f"; the configuration {_nats(configured)}"
    values = {key: best[key] for key in DIMENSIONS if key in best}
    found_network, found_training = placed(values)
    lines = [f"{name}: # {about}"]
    groups = {
        "network": network.model_dump(mode="json", exclude_unset=True) | found_network,
        "training": {**own_training, **found_training},
    }
    for key, group in groups.items():
        flow = yaml.safe_dump(group, default_flow_style=True, sort_keys=False, width=1000)
        lines.append(f"  {key}: {flow.strip()}")
    return "\n".join(lines) + "\n"


def _nats(row: Mapping[Any, Any]) -> str:
    if row["outcome"] == BROKEN:
        return "broke down"
    return f"{row['validation_nats_per_token']:.4f} nats per token"
