"""Weights of a linear interpolation by expectation–maximisation (Dempster, Laird & Rubin 1977).

For P(x) = Σ_m λ_m P_m(x), the weights that make a text most probable (Jelinek & Mercer 1980):

    E: r_m(x) = λ_m P_m(x) / Σ_k λ_k P_k(x)        M: λ_m = mean over x of r_m(x)

log P of the text is concave in λ, so there is one maximum, and no step makes it smaller.
"""

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError

Floats = NDArray[np.float64]
SMALLEST_GAIN = 1e-10  # nats per token
MOST_ITERATIONS = 10_000


def interpolation_weights(log_probs: Floats) -> Floats:
    """λ ≥ 0, Σ λ = 1, under which the tokens are most probable.

    Args:
        log_probs: float64 [M, N], log P_m of each token, nats; −inf where a component is sure
            that it cannot be.

    Returns:
        float64 [M].

    Raises:
        MemoryspanError: there are no tokens, or one that no component thinks possible.
    """
    components, tokens = log_probs.shape
    if tokens == 0 or components == 0:
        raise MemoryspanError("Weights need at least one token and one component; give a text.")
    highest = log_probs.max(axis=0)
    if not np.isfinite(highest).all():
        impossible = int(np.flatnonzero(~np.isfinite(highest))[0])
        raise MemoryspanError(
            f"Token {impossible + 1} of the text is impossible in every component, so no weights "
            "make it possible. Add a component that is smoothed."
        )
    relative = np.exp(log_probs - highest)  # the largest is 1: nothing underflows
    weights = np.full(components, 1 / components)
    before = -np.inf
    for _ in range(MOST_ITERATIONS):
        mixed = weights @ relative
        nats_per_token = float(np.log(mixed).mean())
        if nats_per_token - before < SMALLEST_GAIN:
            break
        before = nats_per_token
        weights = weights * (relative @ (1 / mixed)) / tokens
    normalised: Floats = weights / weights.sum()
    return normalised
