"""All estimators by name."""

from collections.abc import Callable
from typing import Protocol

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.absolute_discounting import AbsoluteDiscounting
from memoryspan.ngram.add_k import AddK
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.jelinek_mercer import JelinekMercer
from memoryspan.ngram.katz import Katz
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.ngram.maximum_likelihood import MaximumLikelihood
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import EstimatorName, NgramParameters
from memoryspan.ngram.witten_bell import WittenBell
from memoryspan.text.streams import TokenStream


class Estimator(Protocol):
    """Makes a model of counts."""

    def estimate(self, counts: NgramCounts, order: int) -> NgramModel:
        """The model of one order from counts up to at least that order.

        Raises:
            MemoryspanError: the order was not counted.
        """
        ...


FROM_COUNTS_ALONE: dict[EstimatorName, Callable[[NgramParameters], Estimator]] = {
    "maximum_likelihood": MaximumLikelihood,
    "add_k": AddK,
    "witten_bell": WittenBell,
    "absolute_discounting": AbsoluteDiscounting,
    "katz": Katz,
    "kneser_ney": KneserNey,
}


def make_estimator(
    name: EstimatorName, parameters: NgramParameters, validation: TokenStream | None = None
) -> Estimator:
    """The estimator of a name.

    Args:
        name: see ``EstimatorName``.
        parameters: each estimator reads what concerns it.
        validation: a text that is not counted; Jelinek–Mercer learns its weights from it.

    Raises:
        MemoryspanError: there is no such estimator, or it needs a validation text.
    """
    if name == "jelinek_mercer":
        if validation is None:
            raise MemoryspanError(
                "Jelinek–Mercer smoothing learns its weights from a validation text; give one, "
                "or choose another estimator."
            )
        return JelinekMercer(validation, parameters)
    if name not in FROM_COUNTS_ALONE:
        offered = ", ".join([*FROM_COUNTS_ALONE, "jelinek_mercer"])
        raise MemoryspanError(f"There is no estimator {name!r}; choose one of {offered}.")
    return FROM_COUNTS_ALONE[name](parameters)
