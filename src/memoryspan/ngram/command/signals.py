"""A process that is told to stop cleans up behind itself."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM


class Terminated(BaseException):
    """SIGTERM; like ``KeyboardInterrupt`` it is no ``Exception``, so that nothing swallows it."""


@contextmanager
def unwinding() -> Iterator[None]:
    """Within the block SIGTERM raises ``Terminated``, so that temporary files are removed."""
    if threading.current_thread() is not threading.main_thread():  # Python allows it there alone
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated
