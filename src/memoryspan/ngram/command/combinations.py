"""Options of ``train`` that go together, and those that do not: none is ignored silently."""

from argparse import Namespace

from pydantic import ValidationError

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.parameters import CountingParameters, EstimatorName, NgramParameters

BACKING_OFF: tuple[EstimatorName, ...] = (
    "kneser_ney",
    "absolute_discounting",
    "witten_bell",
    "katz",
    "jelinek_mercer",
)
GOES_WITH: dict[str, tuple[EstimatorName, ...]] = {
    "--discounts": ("kneser_ney",),
    "--add-k": ("add_k",),
    "--validation": ("jelinek_mercer",),
    "--prune": BACKING_OFF,
    "--entropy-pruning": BACKING_OFF,
    "--arpa": BACKING_OFF,
}
OPTIONS = {
    "prune": "--prune",
    "entropy_threshold": "--entropy-pruning",
    "discounts": "--discounts",
    "add_k": "--add-k",
    "counting": "--memory-budget",
    "memory_budget_mb": "--memory-budget",
}


def check_combination(options: Namespace) -> None:
    """Make sure that each option given has something to say for the estimator and order.

    Raises:
        MemoryspanError: one does not; the message names it and what it goes with.
    """
    for option, estimators in GOES_WITH.items():
        if _value(options, option) is not None and options.estimator not in estimators:
            raise MemoryspanError(
                f"{option} does not go with --estimator {options.estimator}, only with "
                f"{' or '.join(estimators)}. Leave it out, or choose another estimator."
            )
    if options.estimator == "jelinek_mercer" and options.validation is None:
        raise MemoryspanError(
            "--estimator jelinek_mercer learns its weights from a text that is not trained on. "
            "Name one with --validation, or choose another estimator."
        )
    if options.prune is not None and len(options.prune) > options.order:
        raise MemoryspanError(
            f"--prune has {len(options.prune)} thresholds, but the model only --order "
            f"{options.order}. Leave some out, or choose a higher order."
        )
    _check_discounts(options)


def _value(options: Namespace, option: str) -> object:
    return getattr(options, option.removeprefix("--").replace("-", "_"))


def _check_discounts(options: Namespace) -> None:
    orders = [order for order, _ in options.discounts or ()]
    for place, order in enumerate(orders):
        if order > options.order:
            raise MemoryspanError(
                f"--discounts names order {order}, but the model has only --order "
                f"{options.order}. Leave it out, or choose a higher order."
            )
        if order in orders[:place]:
            raise MemoryspanError(f"--discounts names order {order} twice; leave one out.")


def parameters_of(options: Namespace) -> NgramParameters:
    """The estimator's parameters.

    Raises:
        MemoryspanError: one of them is impossible; the message names the option.
    """
    given = {
        "prune": tuple(options.prune) if options.prune is not None else None,
        "entropy_threshold": options.entropy_pruning,
        "discounts": dict(options.discounts) if options.discounts is not None else None,
        "add_k": options.add_k,
    }
    try:
        return NgramParameters(
            vocabulary="closed" if options.vocabulary == "closed" else "open",
            precision=options.precision,
            counting=CountingParameters(memory_budget_mb=options.memory_budget),
            **{name: value for name, value in given.items() if value is not None},
        )
    except ValidationError as error:
        raise MemoryspanError(_readable(error)) from error


def _readable(error: ValidationError) -> str:
    """What is wrong with which option."""
    first = error.errors()[0]
    name, *place = first["loc"]
    option = OPTIONS[str(name)]
    value = first["input"]
    if name == "discounts" and len(place) > 1:
        option = f"{option}, order {place[0]}, D{int(place[1]) + 1}"
    shown = " ".join(map(str, value)) if isinstance(value, tuple) else value
    problem = first["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    return f"{option} = {shown}: {problem}."
