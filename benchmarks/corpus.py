"""A text of any size for measurements, made by a seeded generator: nothing is downloaded.

Words follow a Zipf–Mandelbrot law; what comes next is drawn from all words, from a few that the
last word prefers, or from a few that the last two prefer. So the number of different n-grams
grows with the text about as in novels, where a stream of independent words would be all new.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WORDS = 120_000
STREAMS = 2_000
STEPS = 500
FROM_ALL, FROM_LAST = 0.30, 0.35  # the rest is drawn after the last two
SENTENCE_END = 1 / 13
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


def write_corpus(path: Path, tokens: int, seed: int = 1) -> None:
    """Write a text of about so many words and line ends (never fewer), one sentence per line."""
    words = np.array([_spelled(rank) for rank in range(WORDS)], object)
    with path.open("w", encoding="utf-8") as file:
        written = 0
        for sentence in _sentences(seed):
            file.write(" ".join(words[sentence]) + "\n")
            written += len(sentence) + 1
            if written >= tokens:
                return


def _spelled(rank: int) -> str:
    """A different word for every rank, longer for rarer ones."""
    letters = []
    rank += len(LETTERS)
    while rank:
        rank, letter = divmod(rank, len(LETTERS))
        letters.append(LETTERS[letter])
    return "".join(letters)


def _sentences(seed: int) -> Iterator[NDArray[np.int64]]:
    """Ranks of the words of one sentence after the other."""
    rng = np.random.default_rng(seed)
    cumulated = np.cumsum((np.arange(WORDS) + 2.7) ** -1.07)
    cumulated /= cumulated[-1]
    last = np.zeros(STREAMS, np.uint64)
    before = np.zeros(STREAMS, np.uint64)
    while True:
        ranks = np.empty((STEPS, STREAMS), np.int64)
        ends = rng.random((STEPS, STREAMS)) < SENTENCE_END
        for step in range(STEPS):
            place = _places(rng, last, before)
            word = np.searchsorted(cumulated, place).clip(max=WORDS - 1)
            ranks[step] = word
            before = np.where(ends[step], 0, last)
            last = np.where(ends[step], 0, word + 1).astype(np.uint64)
        for stream in range(STREAMS):
            yield from np.split(ranks[:, stream], np.flatnonzero(ends[:, stream]) + 1)


def _places(
    rng: np.random.Generator, last: NDArray[np.uint64], before: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Where in the cumulated distribution the next word of each stream lies, in [0, 1)."""
    choice = rng.random(STREAMS)
    preferred = rng.geometric(0.25, STREAMS).astype(np.uint64)
    context = np.where(choice < FROM_ALL + FROM_LAST, last, last * np.uint64(1 << 20) + before)
    mixed = (context * np.uint64(64) + preferred) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    hashed = (mixed >> np.uint64(11)) / float(1 << 53)
    return np.where(choice < FROM_ALL, rng.random(STREAMS), hashed)
