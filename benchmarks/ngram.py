"""N-gram models: text file in, perplexity of a test file out, against KenLM or its substitutes.

    python benchmarks/ngram.py --kenlm FOLDER_WITH_LMPLZ_BUILD_BINARY_QUERY

Whole processes, start of the interpreter included, alternating with those of the peer; medians
with the smallest and largest value. Without ``--kenlm`` the peers are the n-gram counts of polars
and DuckDB, and the ``kenlm`` module for scoring, as far as they are installed.
"""

import argparse
import json
import math
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import curve_fit

from corpus import write_corpus
from measuring import Cost, cost, median_and_range, summed
from memoryspan.ngram import TextModel, train
from memoryspan.ngram.text_files import read_text
from memoryspan.ngram.words import WordTable
from memoryspan.text.streams import TokenStream
from peers import counting_peers, kenlm_module_speed

MILLION = 1_000_000


def memoryspan(text: Path, test: Path, order: int) -> Cost:
    """Count, estimate and score."""
    command = [sys.executable, "-m", "memoryspan.ngram", "train", "--order", str(order)]
    return cost([*command, "--text", str(text), "--evaluate", str(test)])


def kenlm(binaries: Path, text: Path, test: Path, order: int, folder: Path) -> list[Cost]:
    """lmplz, build_binary and query."""
    arpa, binary = folder / "kenlm.arpa", folder / "kenlm.binary"
    lmplz = [str(binaries / "lmplz"), "-o", str(order), "-S", "1G", "-T", str(folder)]
    return [
        cost(lmplz, stdin=str(text), stdout=str(arpa)),
        cost([str(binaries / "build_binary"), str(arpa), str(binary)]),
        cost([str(binaries / "query"), "-v", "summary", str(binary)], stdin=str(test)),
    ]


def compare(options: argparse.Namespace, text: Path, test: Path, tokens: int) -> None:
    """Alternating runs on the largest corpus."""
    ours, peers, lmplz_alone = [], [], []
    folder = text.parent
    memoryspan(text, test, 1)  # compile once
    for _ in range(options.runs):
        ours.append(memoryspan(text, test, options.order))
        if options.kenlm:
            parts = kenlm(options.kenlm, text, test, options.order, folder)
            lmplz_alone.append(parts[0])
            peers.append(summed(parts))
    print(f"\norder {options.order}, {tokens:,} tokens; CPU seconds, peak bytes per token")
    print_costs("memoryspan train --evaluate", ours, tokens)
    perplexity = json.loads(ours[0].output)["evaluation"]["perplexity_including_oov"]
    print(f"  perplexity including OOV {perplexity:.4f}")
    if options.kenlm:
        print_costs("lmplz", lmplz_alone, tokens)
        print_costs("lmplz + build_binary + query", peers, tokens)
        found = re.search(r"Perplexity including OOVs:\s+(\S+)", peers[0].output)
        print(f"  perplexity including OOV {found.group(1) if found else '?'}")
        print_ratio("memoryspan / lmplz", ours, lmplz_alone)
        print_ratio("memoryspan / (lmplz + build_binary + query)", ours, peers)
        return
    for name, costs in counting_peers(text, options.order, options.runs).items():
        print_costs(f"{name}, counts only", costs, tokens)
        print_ratio(f"memoryspan (all) / {name} (counts only)", ours, costs)


def print_costs(name: str, costs: list[Cost], tokens: int) -> None:
    """CPU time and memory of one program."""
    peak = statistics.median(each.peak_bytes for each in costs) / tokens
    cpu = median_and_range([each.cpu_seconds for each in costs])
    print(f"  {name:<46}{cpu:>24} s {peak:8.1f} B/token")


def print_ratio(name: str, ours: list[Cost], peers: list[Cost]) -> None:
    """CPU time of runs that followed each other."""
    pairs = zip(ours, peers, strict=True)
    ratios = [mine.cpu_seconds / peer.cpu_seconds for mine, peer in pairs]
    print(f"  {name:<46}{median_and_range(ratios):>24}")


def scoring_speed(options: argparse.Namespace, text: Path, test: Path) -> None:
    """Tokens per CPU second of scoring ids, and of scoring a text."""
    model = train(text, options.order)
    table = WordTable([word.encode() for word in model.vocabulary.tokens], learning=False)
    stream = TokenStream.of(read_text(test, table), len(table))
    model.model.score(stream)
    print("\nscoring, tokens per CPU second")
    print_speed("memoryspan, ids", lambda: model.model.score(stream), len(stream), options.runs)
    print_speed("memoryspan, text", lambda: model.score(test), len(stream), options.runs)
    if found := kenlm_module_speed(model_file(model, text.parent), test):
        print(f"  {'kenlm module, score()':<46}{found:>24,.0f}")


def print_speed(name: str, work: object, tokens: int, runs: int) -> None:
    """Median of several runs."""
    assert callable(work)
    seconds = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    print(f"  {name:<46}{tokens / statistics.median(seconds):>24,.0f}")


def model_file(model: TextModel, folder: Path) -> Path:
    """The model as an ARPA file."""
    path = folder / "memoryspan.arpa"
    model.write_arpa(path)
    return path


def growth(options: argparse.Namespace, test: Path, folder: Path) -> None:
    """CPU time by size of the text, and the exponent of a power law above a constant start."""
    sizes = 2.0 ** np.arange(int(math.log2(options.tokens / MILLION)) + 1)
    seconds = []
    print(f"\ngrowth, order {options.order}; CPU seconds")
    for size in sizes:
        path = folder / "grown.txt"
        write_corpus(path, int(size * MILLION), options.seed)
        runs = [memoryspan(path, test, options.order).cpu_seconds for _ in range(options.runs)]
        seconds.append(statistics.median(runs))
        print(f"  {size:6.0f} million tokens {median_and_range(runs)}")
    (start, slope, exponent), _ = curve_fit(
        lambda n, start, slope, exponent: start + slope * n**exponent, sizes, seconds, (1, 0.5, 1)
    )
    print(f"  least squares: {start:.2f} s + {slope:.2f} s per million tokens ^ {exponent:.3f}")


def main() -> None:
    """Build the corpora, run everything, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kenlm", type=Path, metavar="FOLDER", help="with KenLM's programs")
    parser.add_argument("--tokens", type=int, default=16 * MILLION)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, test = folder / "train.txt", folder / "test.txt"
        write_corpus(text, options.tokens, options.seed)
        write_corpus(test, MILLION, options.seed + 1)
        compare(options, text, test, options.tokens)
        scoring_speed(options, text, test)
        growth(options, test, folder)


if __name__ == "__main__":
    main()
