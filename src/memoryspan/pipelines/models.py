"""Which models a run has, and the names of their datasets.

A model ``m`` has the datasets ``m_model``, ``m_summary``, ``m_scores``, ``m_samples``, … of the
catalog's factories. Names have underscores, not dots: they are shared between namespaces.
"""

from memoryspan.ngram.parameters import EstimatorName

ORDERS = (1, 2, 3, 4, 5)
CHANCE = ("uniform", "unigram")
MAXIMUM_LIKELIHOOD = tuple(f"maximum_likelihood_{n}" for n in ORDERS)
SMOOTHING: tuple[EstimatorName, ...] = (
    "add_k",
    "witten_bell",
    "absolute_discounting",
    "katz",
    "jelinek_mercer",
)
SMOOTHED = tuple(f"{estimator}_{max(ORDERS)}" for estimator in SMOOTHING)
"""The other ways to smooth, at the highest order: what Kneser–Ney of that order is measured by."""

KNESER_NEY = tuple(f"kneser_ney_{n}" for n in ORDERS)
FEEDFORWARD = ("feedforward",)
RECURRENT = ("rnn", "gru", "lstm")
TRANSFORMER = ("transformer",)
NEURAL = FEEDFORWARD + RECURRENT + TRANSFORMER
ADAPTED = "lstm"
"""What adapts to the text as it reads on: by a neural cache, and by learning from it."""

CACHED, DYNAMIC = ADAPTIVE = (f"{ADAPTED}_neural_cache", f"{ADAPTED}_dynamic")
MIXTURE = ("mixture",)
MIXED = (f"kneser_ney_{max(ORDERS)}", "lstm")
"""What ``mixture`` interpolates, with a cache besides: any models of this file."""


NAMESPACES: dict[str, tuple[str, ...]] = {
    "chance": CHANCE,
    "maximum_likelihood": MAXIMUM_LIKELIHOOD,
    "smoothing": SMOOTHED,
    "kneser_ney": KNESER_NEY,
    **{name: (name,) for name in NEURAL + ADAPTIVE + MIXTURE},
}
"""Namespace → its models; in kedro-viz each namespace is one box."""

ALL_MODELS = tuple(model for models in NAMESPACES.values() for model in models)
SAMPLED_MODELS = tuple(model for model in ALL_MODELS if model != DYNAMIC)
"""What follows a text would learn from its own words."""

PROBED_MODELS = CHANCE + KNESER_NEY + NEURAL
"""Maximum likelihood is left out, as nearly all of its curves are infinite; so are the other ways
to smooth, which reach as far back as Kneser–Ney of their order, and the mixture, which reaches as
far as its components. What adapts can be added, at its price: dynamic evaluation learns anew from
the context of every single target."""


def namespace_of(model: str) -> str:
    """The namespace that a model belongs to."""
    return next(name for name, models in NAMESPACES.items() if model in models)


def datasets(kind: str, models: tuple[str, ...] = ALL_MODELS) -> list[str]:
    """The dataset names of one kind for several models, in their order."""
    return [f"{model}_{kind}" for model in models]
