"""The space of a search: where its values are in a configuration, and how they are drawn."""

from typing import Any

from optuna.trial import BaseTrial

from memoryspan.errors import MemoryspanError
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.search.found import DROPOUTS, OF_THE_NETWORK, Values, placed
from memoryspan.neural.search.parameters import SearchSpace
from memoryspan.neural.training_parameters import TrainingParameters

LOGARITHMIC = ("learning_rate", "clip_norm")
SIGNIFICANT_DIGITS = 3


class Space:
    """What is varied around one configuration.

    Args:
        name: of the network, for messages.
        network: its configured shape.
        training: its configured training.
        ranges: what the user wants varied.

    Raises:
        MemoryspanError: the configuration lies outside of the space.
    """

    def __init__(
        self,
        name: str,
        network: NetworkParameters,
        training: TrainingParameters,
        ranges: SearchSpace,
    ) -> None:
        self.network = network
        self.training = training
        self.ranges: dict[str, tuple[Any, ...]] = {
            key: value for key, value in ranges if value is not None
        }
        if network.kind != "rnn":
            self.ranges.pop("recurrent_gain", None)
        if not self.ranges:
            raise MemoryspanError(
                f"search.space has nothing to vary for {name}: recurrent_gain belongs to the rnn."
            )
        self._check(name)
        self.configured: Values = {key: self._configured(key) for key in self.ranges}

    def _configured(self, key: str) -> Any:
        if key == "dropout":
            return self.training.input_dropout
        return getattr(self.network if key in OF_THE_NETWORK else self.training, key)

    def _check(self, name: str) -> None:
        """Refuse a configuration that could not be the first trial."""
        if "layers" in self.ranges and self.network.parameters is None:
            raise MemoryspanError(
                f"search.space.layers compares depths at an equal budget of weights: give"
                f" {name}.network.parameters in place of hidden_size, or set it to null."
            )
        if "dropout" in self.ranges and len({getattr(self.training, d) for d in DROPOUTS}) > 1:
            raise MemoryspanError(
                f"search.space.dropout is one value for {', '.join(DROPOUTS)}, but {name} is"
                " configured with different ones: make them equal, or set it to null."
            )
        for key, bounds in self.ranges.items():
            value = self._configured(key)
            inside = value is not None and (
                value in bounds if key == "layers" else bounds[0] <= value <= bounds[1]
            )
            if not inside:
                raise MemoryspanError(
                    f"{name} is configured with {key} {value}, outside of search.space.{key}"
                    f" {list(bounds)}: widen it, so that the first trial can be the configuration."
                )

    def references(self) -> list[Values]:
        """The configuration, then the same at every other depth: trials that are never pruned."""
        depths = [depth for depth in self.ranges.get("layers", ()) if depth != self.network.layers]
        return [self.configured, *(self.configured | {"layers": depth} for depth in depths)]

    def drawn(self, trial: BaseTrial) -> Values:
        """The values that Optuna wants to try."""
        return {key: self._drawn(trial, key) for key in self.ranges}

    def _drawn(self, trial: BaseTrial, key: str) -> Any:
        bounds = self.ranges[key]
        if key == "layers":
            return trial.suggest_categorical(key, bounds)
        value = trial.suggest_float(key, bounds[0], bounds[1], log=key in LOGARITHMIC)
        if value == self.configured[key]:
            return value
        # What is trained is what a person would write down.
        rounded = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
        return min(max(rounded, bounds[0]), bounds[1])

    def applied(self, values: Values) -> tuple[NetworkParameters, TrainingParameters]:
        """The configuration with these values in place of its own."""
        own_network, own_training = placed(values)
        network = self.network.model_copy(update=own_network)
        return network, self.training.with_values(own_training)
