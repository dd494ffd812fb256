"""Options of the n-gram estimators (light: imported when the command line starts)."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Discount = Annotated[float, Field(ge=0)]
DiscountTriple = tuple[
    Annotated[Discount, Field(le=1)],
    Annotated[Discount, Field(le=2)],
    Annotated[Discount, Field(le=3)],
]
MAXIMUM_ORDER = 10
Order = Annotated[int, Field(ge=1, le=MAXIMUM_ORDER)]


class NgramParameters(BaseModel):
    """How interpolated modified Kneser–Ney smoothing is estimated."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    discounts: dict[Order, DiscountTriple] = Field(
        default={},
        description="Discounts D1, D2, D3+ to use for an order instead of those estimated from "
        "its counts of counts, e.g. {5: [0.9, 1.4, 1.6]}; orders not named are estimated.",
    )
    discount_fallback: DiscountTriple = Field(
        default=(0.5, 1.0, 1.5),
        description="D1, D2, D3+ of an order whose counts of counts define none (small, "
        "repetitive or character-level text); its use is logged and recorded in the model.",
    )
    precision: Literal["double", "single"] = Field(
        default="double",
        description="Of stored log probabilities. Single halves the model's memory; its "
        "probabilities are then right to about 1e-7 and rows sum to one only as closely.",
    )
