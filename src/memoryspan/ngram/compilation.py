"""Compile the inner loops once and keep the machine code between runs."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Loop = TypeVar("Loop", bound=Callable[..., object])


def compiled(function: Loop) -> Loop:
    """Compile with numba, releasing the interpreter lock, cached on disk where that is possible.

    numba keeps its cache in ``NUMBA_CACHE_DIR``, beside the source, or in the user's cache
    folder. Where none of them can be written (a read-only installation without a home), the
    function is compiled anew in each process. A cached loop does not notice that a compiled
    function of *another* file changed, so loops only call compiled functions of their own file.
    """
    try:
        loop = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba: "cannot cache function …: no locator available"
        loop = numba.njit(nogil=True)(function)
    return cast("Loop", loop)
