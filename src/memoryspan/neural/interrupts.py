"""Ctrl-C during training: finish the step, save, then stop."""

import logging
import signal
import threading
from multiprocessing.synchronize import Event
from types import FrameType, TracebackType
from typing import Any, Protocol, Self

log = logging.getLogger(__name__)


class StopRequest(Protocol):
    """Whether somebody has asked the run to stop."""

    @property
    def requested(self) -> bool:
        """Looked at after every step."""
        ...


class ForwardedInterrupt:
    """The request of another process: the one that has the terminal."""

    def __init__(self, event: Event) -> None:
        self._event = event

    @property
    def requested(self) -> bool:
        """See ``StopRequest``."""
        return self._event.is_set()


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
