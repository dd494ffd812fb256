"""What people give to ``train`` and its model by mistake, in words that say what to give."""

from collections.abc import Iterable
from operator import index
from typing import get_args

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.arpa.unigrams import START
from memoryspan.ngram.parameters import MAXIMUM_ORDER, EstimatorName, NgramParameters
from memoryspan.text.vocabulary import END, UNKNOWN

ALWAYS_KNOWN = frozenset({UNKNOWN, START, END})
"""In every vocabulary, so that a list of words may have them or not."""
WHITE_SPACE = frozenset(" \t\n\r\0")


def check_estimation(order: object, estimator: object, parameters: object) -> None:
    """Whether a model can be estimated, before a long text is read.

    Raises:
        MemoryspanError: it cannot.
    """
    if not 1 <= whole_number(order, "The order") <= MAXIMUM_ORDER:
        raise MemoryspanError(f"The order is from 1 to {MAXIMUM_ORDER}, not {order}.")
    if not isinstance(estimator, str) or estimator not in get_args(EstimatorName):
        offered = ", ".join(get_args(EstimatorName))
        raise MemoryspanError(f"There is no estimator {estimator!r}; choose one of {offered}.")
    if not isinstance(parameters, NgramParameters):
        raise MemoryspanError(
            f"The parameters are {type(parameters).__name__}; give NgramParameters, "
            "for example NgramParameters(prune=(0, 0, 1))."
        )


def whole_number(number: object, what: str) -> int:
    """A number without a fraction, of Python or numpy.

    Raises:
        MemoryspanError: it is something else.
    """
    try:
        if not isinstance(number, bool):
            return index(number)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise MemoryspanError(f"{what} is a whole number, not {number!r}.")


def known_words(vocabulary: object) -> list[bytes]:
    """The words of a vocabulary in UTF-8, each once, without those that are always known.

    Raises:
        MemoryspanError: it is no list of words, or has none.
    """
    if isinstance(vocabulary, str | bytes) or not isinstance(vocabulary, Iterable):
        raise MemoryspanError(
            f"A vocabulary is a list of words, not {type(vocabulary).__name__}. "
            'Write ["the", "cat"]; for a file, Path("words.txt").read_text("utf-8").split().'
        )
    words = {}
    for place, word in enumerate(vocabulary, start=1):
        try:
            if not word or not WHITE_SPACE.isdisjoint(word):
                raise ValueError
            words[word.encode()] = word
        except (AttributeError, TypeError, ValueError):
            raise MemoryspanError(
                f"Word {place} of the vocabulary, {word!r}, cannot stand in a text: words are "
                "strings, not empty and without white space."
            ) from None
    known = [encoded for encoded, word in words.items() if word not in ALWAYS_KNOWN]
    if not known:
        raise MemoryspanError("The vocabulary has no words; list those that the model shall know.")
    return known


def check_context(context: object) -> str:
    """Words of one sentence, from its beginning on.

    Raises:
        MemoryspanError: they are something else.
    """
    if not isinstance(context, str):
        raise MemoryspanError(
            f'A context is a string such as "the cat", not {type(context).__name__}; '
            'join words by " ".'
        )
    if "\n" in context:
        raise MemoryspanError("The context has a line break in it; give words of one sentence.")
    if {START, END} & {*context.split()}:
        raise MemoryspanError(
            f"The context has {START} or {END} in it. Leave it out: a context is the beginning "
            "of a sentence."
        )
    return context
