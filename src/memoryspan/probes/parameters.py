"""What can be set about the probes."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _ascending(lags: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(set(lags)))


Lags = Annotated[
    tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1), AfterValidator(_ascending)
]


class ContextLengthParameters(BaseModel):
    """Perplexity with only the last k tokens as context."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lags: Lags = Field(
        default=(1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100),
        description="The values of k, in tokens; repeated ones count once.",
    )
    positions: int = Field(
        default=2000, ge=1, description="Target tokens, the same for every k and every model."
    )


class GradientParameters(BaseModel):
    """The gradient that reaches back from a recurrent model's state to its earlier states."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_lag: int = Field(default=100, ge=3, description="How far back, in tokens.")
    positions: int = Field(default=64, ge=1, description="Positions that are looked back from.")
    vectors: int = Field(
        default=4, ge=1, description="Random directions per position, which are averaged."
    )
    warm_up: int = Field(
        default=20,
        ge=0,
        description="Tokens read from the zero state before the earliest state that is looked at.",
    )
