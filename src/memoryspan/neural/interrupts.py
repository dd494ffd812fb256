"""Ctrl-C during training: finish the step, save, then stop."""

import logging
import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

log = logging.getLogger(__name__)


class DeferredInterrupt:
    """Context in which the first SIGINT only sets ``requested``; a second one acts at once.

    Signals can be caught in the main thread only; elsewhere the context does nothing.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        log.warning("Stopping as soon as a checkpoint is saved (Ctrl-C again: at once).")


class Interrupted(Exception):  # noqa: N818 - not an error
    """The run was stopped on request, after its checkpoint was saved.

    Lightning turns a KeyboardInterrupt inside ``fit`` into an exit of the process; this passes.
    """
