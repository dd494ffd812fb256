"""Options of the models that adapt to the text. Imports no torch."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Size = Annotated[int, Field(ge=1, le=1_000_000)]
Flatness = Annotated[float, Field(ge=0, le=1000)]
CacheWeight = Annotated[float, Field(ge=0, lt=1)]


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
