"""Both counting engines by size of the text: CPU and wall seconds, memory, whole processes.

    python benchmarks/counting_engines.py --budget 500

Each process reads the text, counts its n-grams and estimates the model; peak memory is its own
(anonymous) and, where the operating system keeps files that it mapped, all of its resident set.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from corpus import write_corpus
from measuring import cost

MILLION = 1_000_000
PROGRAM = """
import sys, threading
from pathlib import Path
from memoryspan.ngram.parameters import CountingParameters, NgramParameters
from memoryspan.ngram.text_model import train
peak = 0
def watch(stop):
    global peak
    while not stop.wait(0.02):
        status = Path('/proc/self/status').read_text()
        peak = max(peak, int(status.split('RssAnon:')[1].split()[0]))
stop = threading.Event()
watcher = threading.Thread(target=watch, args=(stop,))
watcher.start()
counting = CountingParameters(engine=sys.argv[2], memory_budget_mb=int(sys.argv[3]))
parameters = NgramParameters(precision='single', counting=counting)
model = train(Path(sys.argv[1]), int(sys.argv[4]), parameters=parameters)
stop.set()
watcher.join()
print(peak * 1024, len(model.model.trie))
"""


def main() -> None:
    """Print a row per size and engine."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=int, default=500, help="MB, of the out-of-core engine")
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("million tokens  engine        CPU s  wall s  anonymous MB  resident MB   n-grams")
    with tempfile.TemporaryDirectory() as name:
        for millions in options.millions:
            text = Path(name) / "text.txt"
            write_corpus(text, millions * MILLION, options.seed)
            for engine in ("memory", "out_of_core"):
                arguments = [str(text), engine, str(options.budget), str(options.order)]
                begin = time.perf_counter()
                taken = cost([sys.executable, "-c", PROGRAM, *arguments])
                wall = time.perf_counter() - begin
                anonymous, ngrams = map(int, taken.output.split())
                print(
                    f"{millions:14d}  {engine:<12}{taken.cpu_seconds:7.1f} {wall:7.1f}"
                    f"{anonymous / 1e6:14.0f} {taken.peak_bytes / 1e6:12.0f} {ngrams:>12,}"
                )


if __name__ == "__main__":
    main()
