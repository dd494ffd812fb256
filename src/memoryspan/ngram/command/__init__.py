"""The command line of the n-gram room: ``train`` and ``score``.

Results go to standard output (JSON, or an ARPA file or a table where that is asked for),
progress, warnings and errors to standard error. An error is one line, and the exit code 2.
"""

import logging
import sys
from collections.abc import Sequence

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.command.arguments import parser
from memoryspan.ngram.command.signals import INTERRUPTED, TERMINATED, Terminated, unwinding
from memoryspan.ngram.command.streams import (
    flush_output,
    give_up_output,
    occupy_closed_streams,
    standard_output,
)

MISTAKE = 2
STOPPED: dict[type[BaseException], tuple[str, int]] = {
    KeyboardInterrupt: ("interrupted", INTERRUPTED),
    Terminated: ("terminated", TERMINATED),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    occupy_closed_streams()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", force=True)
    try:
        with unwinding():
            _run(arguments)
    except BrokenPipeError:
        return 0  # who reads us has enough
    except MemoryError:
        advice = "choose a lower order, or prune, or use a shorter text"
        return _complain(f"error: not enough memory; {advice}.", MISTAKE)
    except (MemoryspanError, OSError) as error:
        return _complain(f"error: {error}", MISTAKE)
    except (KeyboardInterrupt, Terminated) as stop:
        what, code = STOPPED[type(stop)]
        return _complain(f"{what}; files that were there before are unchanged", code)
    finally:
        give_up_output()
    return 0


def _run(arguments: Sequence[str] | None) -> None:
    """Parse, and do it."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit:  # of --help, too
        if sys.stdout is not None:
            flush_output()
        raise
    with standard_output():  # no work for nothing
        pass
    if options.command == "train":
        from memoryspan.ngram.command.train import run_train

        run_train(options)
    else:
        from memoryspan.ngram.command.score import run_score

        run_score(options)
    flush_output()


def _complain(message: str, code: int) -> int:
    """Say what is wrong; returns the exit code."""
    print(message, file=sys.stderr)
    return code
