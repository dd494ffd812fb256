"""What is searched and at what cost, as a user can set it. Imports neither torch nor Optuna."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from memoryspan.neural.training_parameters import TrainingParameters


def _rising(bounds: tuple[float, float]) -> tuple[float, float]:
    if bounds[0] >= bounds[1]:
        raise ValueError("give the lower bound first, then the higher one")
    return bounds


def _several(choices: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(choices)) != len(choices) or len(choices) < 2:
        raise ValueError("give at least two different numbers, or null")
    return choices


Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, lt=1)]
PositiveRange = Annotated[tuple[Positive, Positive], AfterValidator(_rising)]
ShareRange = Annotated[tuple[Share, Share], AfterValidator(_rising)]
Depths = Annotated[tuple[Annotated[int, Field(gt=0, le=64)], ...], AfterValidator(_several)]


class Group(BaseModel):
    """A group that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SearchSpace(Group):
    """What is varied: ranges [low, high] or choices; null leaves the configured value."""

    learning_rate: PositiveRange | None = Field(
        default=(0.0005, 0.016), description="peak of the schedule, on a logarithmic scale"
    )
    layers: Depths | None = Field(
        default=(1, 2), description="choices; the hidden size follows from the budget of weights"
    )
    recurrent_gain: PositiveRange | None = Field(
        default=(0.25, 1.0), description="of the plain rnn only"
    )
    clip_norm: PositiveRange | None = Field(default=None, description="on a logarithmic scale")
    dropout: ShareRange | None = Field(
        default=None, description="one value for input_dropout, hidden_dropout and output_dropout"
    )

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise ValueError("nothing is searched: give at least one range")
        return self


class SearchParameters(Group):
    """The budget of a search, the same for every network, and its space."""

    trials: int = Field(
        default=12, gt=0, description="trainings per network; the first is the configured one"
    )
    train_tokens: int | None = Field(
        default=500_000,
        gt=0,
        description="of each trial: the beginning of the training split; null: all of it",
    )
    epochs: int = Field(default=1, gt=0, description="passes over them; the schedule fits in")
    validation_tokens: int | None = Field(
        default=20_000, gt=0, description="the beginning of the validation split; null: all of it"
    )
    validations_per_epoch: int = Field(
        default=4, gt=0, description="where a trial can be pruned, the last one but the end"
    )
    startup_trials: int = Field(
        default=4, ge=0, description="before the sampler learns from them and trials are pruned"
    )
    space: SearchSpace = SearchSpace()

    def training_of_a_trial(self, training: TrainingParameters) -> TrainingParameters:
        """The configured training at the length of a trial."""
        length: dict[str, Any] = {
            "epochs": self.epochs,
            "max_minutes": None,
            "max_train_tokens": self.train_tokens or training.max_train_tokens,
            "max_validation_tokens": self.validation_tokens or training.max_validation_tokens,
            "patience": self.epochs,
        }
        return training.with_values(length)
