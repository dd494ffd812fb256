"""What can be set about evaluation."""

from pydantic import BaseModel, ConfigDict, Field


class GenerationParameters(BaseModel):
    """How texts are continued."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompts: tuple[str, ...] = Field(
        default=("The king", "I have", "What is"),
        description="Beginnings of sentences; each model continues every one.",
    )
    length: int = Field(default=40, ge=1, le=10_000, description="Most tokens to add.")
    temperature: float = Field(
        default=1.0,
        gt=0,
        description="Log probabilities are divided by it: below 1 bolder, above 1 more random.",
    )
    top_k: int | None = Field(
        default=None,
        ge=1,
        description="Draw among the k likeliest tokens only (1 = the likeliest).",
    )
    top_p: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Draw among the fewest likeliest tokens that together reach p only.",
    )
    stop_at_end_of_sentence: int | None = Field(
        default=None, ge=1, description="Stop after so many ended sentences; null = never."
    )
    exclude_unknown: bool = Field(
        default=True, description="Never draw <unk>; the others are renormalised."
    )


class SentenceResetParameters(BaseModel):
    """What is scored a second time, every sentence on its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: int | None = Field(
        default=40_000, ge=1, description="First test tokens that are; null: all."
    )
