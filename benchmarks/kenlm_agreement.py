"""The reference table: our numbers beside those that KenLM printed, and the digits that agree.

    python benchmarks/kenlm_agreement.py FOLDER [--wikitext FOLDER]

FOLDER has ``summary.json`` (what ``lmplz`` and ``query`` said, by corpus and order), texts
``tinyshakespeare.{train,test}.txt``, and ``…token_scores.tsv.gz`` (word, length of the matched
n-gram, log10 probability). With ``--wikitext``, also WikiText-2 (``wiki.{train,test}.tokens``),
without blank lines and with ``<unk>`` renamed, as KenLM's input has to be.
"""

import argparse
import csv
import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from memoryspan.ngram import TextModel, train
from memoryspan.ngram.text_scores import TextScores

ORDERS = (2, 3, 4, 5)
RENAMED = "<rare>"


def digits(ours: float, theirs: float) -> float:
    """Significant decimal digits that agree."""
    return 17 if ours == theirs else -math.log10(abs(ours / theirs - 1))


def renamed(path: Path) -> Iterator[str]:
    """Lines that are not blank; ``<unk>`` is an ordinary word in them."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield line.rstrip("\n").replace("<unk>", RENAMED)


def largest_difference(folder: Path, order: int, scores: TextScores) -> tuple[float, int]:
    """Of any token's log10 probability; and how many matched lengths differ."""
    path = folder / f"tinyshakespeare.order{order}.token_scores.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    log10_probs = np.array([float(row["log10_prob"]) for row in rows])
    matched = np.array([int(row["ngram_length"]) for row in rows])
    difference = np.abs(scores.log_probs / math.log(10) - log10_probs).max()
    return float(difference), int(np.count_nonzero(matched != scores.matched))


def print_row(name: str, model: TextModel, scores: TextScores, theirs: dict[str, object]) -> None:
    """One corpus and order."""
    trie = model.model.trie
    levels = [trie.level(n) for n in range(1, trie.order + 1)]
    ngrams = [level.stop - level.start for level in levels]
    ngrams[0] += 1  # KenLM lists <s>
    assert isinstance(theirs["ngrams"], dict)
    assert isinstance(theirs["discounts"], dict)
    same = ngrams == list(theirs["ngrams"].values())
    agree = [
        digits(value, expected)
        for entry in model.model.discounts
        for value, expected in zip(entry.values, theirs["discounts"][str(entry.order)], strict=True)
    ]
    columns = []
    for key in ("perplexity_including_oov", "perplexity_excluding_oov"):
        ours, expected = getattr(scores, key), theirs[key]
        assert isinstance(expected, float)
        columns.append(f"{ours:11.5f} {expected:11.5f} {digits(ours, expected):5.1f}")
    print(f"{name:<26} {'same' if same else 'DIFFER':<7} {min(agree):9.1f} {' '.join(columns)}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wikitext", type=Path)
    options = parser.parse_args()
    summary = json.loads((options.folder / "summary.json").read_text(encoding="utf-8"))
    print(
        f"{'corpus and order':<26} {'n-grams':<7} discounts {'incl. OOV':>11} {'KenLM':>11} "
        f"digits{'excl. OOV':>11} {'KenLM':>11} digits"
    )
    tokens = []
    for order in ORDERS:
        model = train(options.folder / "tinyshakespeare.train.txt", order)
        scores = model.score(options.folder / "tinyshakespeare.test.txt")
        name = f"tinyshakespeare/order{order}"
        print_row(name, model, scores, summary[name])
        tokens.append((name, *largest_difference(options.folder, order, scores)))
    if options.wikitext:
        for order in ORDERS:
            model = train(renamed(options.wikitext / "wiki.train.tokens"), order)
            scores = model.score(renamed(options.wikitext / "wiki.test.tokens"))
            name = f"wikitext-2/order{order}"
            print_row(name, model, scores, summary[name])
    print(f"\n{'tokens':<26} {'largest difference in log10 P':<32} other matched length")
    for name, difference, others in tokens:
        print(f"{name:<26} {difference:<32.2g} {others}")


if __name__ == "__main__":
    main()
