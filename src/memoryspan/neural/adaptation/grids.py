"""What a search over a grid should say of itself."""

import logging
from collections.abc import Sequence

log = logging.getLogger(__name__)


def note_edges(model: str, **found: tuple[float, Sequence[float]]) -> None:
    """Say where the best value is the largest or the smallest of several tried (0 is no edge).

    Args:
        model: its name.
        found: by the name of the parameter, the best value and all that were tried.
    """
    for parameter, (best, tried) in found.items():
        if len(set(tried)) > 1 and best in (max(tried), min(tried)) and best != 0:
            beyond = "larger" if best == max(tried) else "smaller"
            log.info("%s: no %s was tried than the best, %s = %g", model, beyond, parameter, best)
