"""The command line of the n-gram room: ``train`` and ``score``.

Results go to standard output (JSON, or an ARPA file or a table where that is asked for),
progress, warnings and errors to standard error. An error is one line, and the exit code 2.
"""

import logging
import os
import sys
from collections.abc import Sequence

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.command.arguments import parser

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", force=True)
    try:
        if options.command == "train":
            from memoryspan.ngram.command.train import run_train

            run_train(options)
        else:
            from memoryspan.ngram.command.score import run_score

            run_score(options)
        sys.stdout.flush()
    except MemoryspanError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # who reads us has enough; nothing may be flushed into the closed pipe at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        print(
            "error: not enough memory; choose a lower order, or prune, or use a shorter text.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print("interrupted; files that were there before are unchanged", file=sys.stderr)
        return INTERRUPTED
    return 0
