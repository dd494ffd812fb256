"""Options of the models that adapt to the text. Imports no torch."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Size = Annotated[int, Field(ge=1, le=1_000_000)]
Flatness = Annotated[float, Field(ge=0, le=1000)]
CacheWeight = Annotated[float, Field(ge=0, lt=1)]
LearningRate = Annotated[float, Field(gt=0, le=100)]
Decay = Annotated[float, Field(ge=0, le=1)]
TuningTokens = Annotated[
    int | None, Field(ge=1, description="first validation tokens that are tried on; null: all")
]


class NeuralCacheParameters(BaseModel):
    """What is tried on the validation split; the best of all combinations is taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[Size, ...] = Field(
        default=(500, 2000), min_length=1, description="N, the last tokens that are remembered"
    )
    flatness: tuple[Flatness, ...] = Field(
        default=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.4),
        min_length=1,
        description="θ: the larger, the fewer places count; 0: all alike",
    )
    weights: tuple[CacheWeight, ...] = Field(
        default=(0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4),
        min_length=1,
        description="λ, the weight of the cache; 0: the model itself",
    )
    tuning_tokens: TuningTokens = 20_000


class DynamicEvaluationParameters(BaseModel):
    """How the weights follow the text; what is tried on the validation split."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: Literal["rms", "sgd"] = Field(
        default="rms",
        description="rms: the gradient is divided by its usual size on the training text",
    )
    chunk: int = Field(default=100, ge=1, le=10_000, description="n, tokens between two updates")
    learning_rates: tuple[LearningRate, ...] = Field(
        default=(0.0005, 0.001, 0.002), min_length=1, description="η"
    )
    decays: tuple[Decay, ...] = Field(
        default=(0.002, 0.01), min_length=1, description="λ, back to the trained weights"
    )
    epsilon: float = Field(default=0.001, gt=0, le=1, description="ε, added to the usual size")
    statistics_tokens: int = Field(
        default=20_000, ge=1, description="training tokens that the usual size is measured on"
    )
    tuning_tokens: TuningTokens = 5_000
