"""``python -m memoryspan.ngram``: n-gram models at the command line."""

import sys

from memoryspan.ngram.command import main

if __name__ == "__main__":
    sys.exit(main())
