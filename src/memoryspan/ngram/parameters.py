"""Options of the n-gram estimators (light: imported when the command line starts)."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

EstimatorName = Literal[
    "maximum_likelihood",
    "add_k",
    "witten_bell",
    "absolute_discounting",
    "katz",
    "jelinek_mercer",
    "kneser_ney",
]

Precision = Literal["double", "single"]
Discount = Annotated[float, Field(ge=0)]
DiscountTriple = tuple[
    Annotated[Discount, Field(le=1)],
    Annotated[Discount, Field(le=2)],
    Annotated[Discount, Field(le=3)],
]
MAXIMUM_ORDER = 10
Order = Annotated[int, Field(ge=1, le=MAXIMUM_ORDER)]


class CountingParameters(BaseModel):
    """Where n-grams are counted; the counts are the same, bit for bit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: Literal["auto", "memory", "out_of_core"] = Field(
        default="auto",
        description="memory: the fastest; out_of_core: a database that spills to disk; auto: in "
        "memory if the estimated need (15 bytes per token and order) is within the budget.",
    )
    memory_budget_mb: int = Field(
        default=8000,
        ge=100,
        description="Memory that counting may take, in MB. The out-of-core engine keeps to it, "
        "besides what the operating system caches of its files.",
    )


class TableParameters(BaseModel):
    """What is shown of the counts; no model depends on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    growth_points: int = Field(
        default=60,
        ge=2,
        le=10_000,
        description="Points of the growth curves, evenly spaced in the logarithm of the tokens.",
    )
    contexts: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        description='Contexts whose continuations are listed, e.g. ["the", "<s> I", "to be or"]; '
        "<s> is the start of a sentence, and at most the last words that the highest order can "
        "see count. None: the most frequent contexts of each order.",
    )
    frequent_contexts: int = Field(
        default=3,
        ge=1,
        le=1000,
        description="How many of the most frequent contexts of each order are taken where none "
        "are given.",
    )
    continuations: int = Field(
        default=5, ge=1, le=1000, description="How many continuations of each context are listed."
    )


class NgramParameters(BaseModel):
    """How n-gram models are estimated; each estimator reads what concerns it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocabulary: Literal["open", "closed"] = Field(
        default="open",
        description="Open: <unk> can be predicted even if the training text has none, and is "
        "smoothed as a word with count 0 (KenLM's convention). Closed: an <unk> that the "
        "training text does not have is impossible, and is not counted in V.",
    )
    prune: tuple[Annotated[int, Field(ge=0)], ...] = Field(
        default=(),
        description="Count thresholds by order, from order 1: an n-gram that occurs at most so "
        "often is left out and its mass goes to the back-off (lmplz --prune). The last one "
        "also holds for all higher orders; thresholds must not decrease, e.g. [0, 0, 1].",
    )
    entropy_threshold: float = Field(
        default=0,
        ge=0,
        allow_inf_nan=False,
        description="Leave out n-grams without which the model's perplexity rises by less than "
        "this, relatively (Stolcke 1998), e.g. 1e-8; 0: keep them all.",
    )
    discounts: dict[Order, DiscountTriple] = Field(
        default={},
        description="Kneser–Ney: discounts D1, D2, D3+ to use for an order instead of those "
        "estimated from its counts of counts, e.g. {5: [0.9, 1.4, 1.6]}; orders not named are "
        "estimated.",
    )
    discount_fallback: DiscountTriple = Field(
        default=(0.5, 1.0, 1.5),
        description="Kneser–Ney: D1, D2, D3+ of an order whose counts of counts define none "
        "(small, repetitive or character-level text); its use is logged and recorded in the "
        "model. Absolute discounting falls back to the first one.",
    )
    absolute_discount: Annotated[Discount, Field(le=1)] | None = Field(
        default=None,
        description="Absolute discounting: D of all orders; null: n1/(n1 + 2 n2) of each order.",
    )
    katz_cutoff: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Katz: counts up to this one are discounted (Good-Turing), greater ones are "
        "trusted.",
    )
    add_k: float = Field(
        default=1,
        gt=0,
        allow_inf_nan=False,
        description="Add-k: what is added to every count; 1 is Laplace's rule.",
    )
    jelinek_mercer_bucket: int = Field(
        default=100,
        ge=1,
        description="Jelinek–Mercer: contexts of one order whose counts are alike share a "
        "weight, so many of them that it is estimated from at least so many validation tokens.",
    )
    precision: Precision = Field(
        default="double",
        description="Of stored log probabilities. Single halves the model's memory; its "
        "probabilities are then right to about 1e-7 and rows sum to one only as closely.",
    )
    counting: CountingParameters = Field(
        default=CountingParameters(), description="In memory or with a database."
    )
    tables: TableParameters = Field(
        default=TableParameters(), description="What is shown of the counts."
    )

    @field_validator("prune")
    @classmethod
    def _not_decreasing(cls, prune: tuple[int, ...]) -> tuple[int, ...]:
        if list(prune) != sorted(prune):
            raise ValueError(
                "thresholds must not decrease: an n-gram would lose the shorter ones it needs"
            )
        return prune

    def count_threshold(self, n: int) -> int:
        """N-grams of order n that occur at most so often are pruned."""
        return self.prune[min(n, len(self.prune)) - 1] if self.prune else 0
