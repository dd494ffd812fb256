"""Which document belongs to which split.

A split that comes with the corpus is honoured. What is missing is cut from the training text:
by document, where there are enough of them, each drawn by a hash of seed and name, so that a new
document does not move the others; else as contiguous blocks of lines, training first and test
last. Lines are never shuffled: a model's test text must not lie between its training lines.
"""

import hashlib
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.text.parameters import SPLITS, Split
from memoryspan.text.readers import split_lines

logger = logging.getLogger(__name__)

FEWEST_DOCUMENTS = 10
_SPLIT_WORDS: dict[str, Split] = {
    "train": "train",
    "valid": "validation",
    "validation": "validation",
    "val": "validation",
    "dev": "validation",
    "test": "test",
}


@dataclass(frozen=True)
class Document:
    """A text with its split; all text is for training until something is cut from it."""

    name: str
    text: str
    source: str
    split: Split = "train"


def given_splits(documents: Sequence[Document]) -> list[Document]:
    """Documents in the splits that their file names give, or all unchanged if they give none.

    A file name gives a split if a split word is one of its components (separated by ``.``,
    ``_``, ``-`` or a space), or else the name of a folder above it. Names count as given splits
    only if they name a training split and another one; files without a split word are then left
    out, with a warning.
    """
    splits = [_split_word(document.source) for document in documents]
    if "train" not in splits or not {"validation", "test"} & set(splits):
        return list(documents)
    pairs = list(zip(documents, splits, strict=True))
    left_out = [document.source for document, split in pairs if split is None]
    if left_out:
        logger.warning(
            "The file names give the splits; left out, because they name none: %s.",
            listing(left_out),
        )
    return [replace(document, split=split) for document, split in pairs if split is not None]


def listing(names: Sequence[str], most: int = 20) -> str:
    """Names for a message, the first ``most`` of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _split_word(source: str) -> Split | None:
    for part in reversed(source.lower().split("/")):
        words = [_SPLIT_WORDS[word] for word in re.split(r"[._\- ]", part) if word in _SPLIT_WORDS]
        if words:
            return words[-1]
    return None


def cut_missing_splits(
    documents: Sequence[Document], shares: Mapping[Split, float], seed: int, name: str
) -> list[Document]:
    """Documents with every split filled: the missing ones are cut from the training documents.

    Args:
        documents: at least one of them in training.
        shares: share of the training text that each of validation and test is to get.
        seed: of the draw by document.
        name: of the corpus, for the names of blocks.

    Raises:
        MemoryspanError: the training text is too small to cut.
    """
    present = {document.split for document in documents}
    missing = {split: share for split, share in shares.items() if split not in present}
    training = [document for document in documents if document.split == "train"]
    if not missing:
        return list(documents)
    if present != {"train"}:
        logger.info("The corpus gives no %s split: cut from training.", " and no ".join(missing))
    if len(training) >= FEWEST_DOCUMENTS:
        cut = _draw_documents(training, missing, seed)
    else:
        cut = _cut_blocks(training, missing, training[0].name if len(training) == 1 else name)
    return [document for document in documents if document.split != "train"] + cut


def _draw_documents(
    documents: Sequence[Document], shares: Mapping[Split, float], seed: int
) -> list[Document]:
    """Each document's split by its own draw; an empty split gets one from the fullest.

    The test split fills up from the low end of the draws and validation from the high end, so
    that no document passes from one to the other when the corpus grows.
    """
    by_draw = sorted(documents, key=lambda document: _draw(seed, document.name))
    groups: dict[Split, list[Document]] = {"train": [], **{split: [] for split in shares}}
    for document in by_draw:
        groups[_split_of(_draw(seed, document.name), shares)].append(document)
    for split, group in groups.items():
        if not group:
            group.append(max(groups.values(), key=len).pop(0 if split == "test" else -1))
    return [replace(document, split=split) for split in groups for document in groups[split]]


def _split_of(draw: float, shares: Mapping[Split, float]) -> Split:
    edge = 0.0
    for split, share in shares.items():
        edge += share
        if draw < edge:
            return split
    return "train"


def _draw(seed: int, name: str) -> float:
    """A number in [0, 1) that depends on seed and name alone."""
    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _cut_blocks(
    documents: Sequence[Document], shares: Mapping[Split, float], name: str
) -> list[Document]:
    """The documents' lines end to end, cut at line ends: training, validation, test."""
    lines = [line for document in documents for line in split_lines(document.text)]
    filled = np.flatnonzero([bool(line.strip()) for line in lines])
    blocks = 1 + len(shares)
    if len(filled) < blocks:
        words = sum(len(line.split()) for line in lines)
        raise MemoryspanError(
            f"{name} is too small to split (documents: {len(documents)}, lines with text: "
            f"{len(filled)}, words: {words}): {blocks} splits need at least {blocks} such lines. "
            "Add text, or break it into lines at sentences or paragraphs."
        )
    order: list[Split] = [split for split in SPLITS if split == "train" or split in shares]
    sizes = np.array([len(line) + 1 for line in lines])[filled]
    cuts = _cuts(sizes, [shares[split] for split in order[1:]])
    bounds = [0, *filled[cuts].tolist(), len(lines)]
    source = ", ".join(document.source for document in documents)
    return [
        Document(f"{name}:{split}", "\n".join(lines[start:stop]) + "\n", source, split)
        for split, start, stop in zip(order, bounds[:-1], bounds[1:], strict=True)
    ]


def _cuts(sizes: NDArray[np.int64], shares: Sequence[float]) -> list[int]:
    """Before which of the lines to cut, so that the last blocks have the given shares of size.

    At least one line lies on either side of every cut.
    """
    ends = sizes.cumsum()
    cuts: list[int] = []
    for i in range(len(shares)):
        wanted = int(np.searchsorted(ends, (1.0 - sum(shares[i:])) * ends[-1], side="right"))
        least = cuts[-1] + 1 if cuts else 1
        most = len(sizes) - len(shares) + i
        cuts.append(min(max(wanted, least), most))
    return cuts
