"""Options of the mixture."""

from pydantic import BaseModel, ConfigDict, Field


class MixtureParameters(BaseModel):
    """What is mixed with the models that the run interpolates."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cache_tokens: int = Field(
        default=500,
        ge=0,
        description="A unigram cache over so many last tokens is one more component; 0: none.",
    )
