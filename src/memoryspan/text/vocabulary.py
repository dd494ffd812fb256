"""A closed vocabulary with its training counts.

Two tokens are in every vocabulary and always have the same ids: ``<unk>`` (an ordinary word of
the closed vocabulary, standing for all words outside it) and ``</s>`` (the end of a sentence;
as context it is the beginning of the next one).
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

UNKNOWN = "<unk>"
END = "</s>"
UNKNOWN_ID = 0
END_ID = 1


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a model, by id, with how often each stands in the training split.

    Attributes:
        tokens: ``tokens[i]`` is the text of token id ``i``; ``<unk>`` is 0 and ``</s>`` is 1.
        counts: int64 [V], occurrences in the training split.
    """

    tokens: tuple[str, ...]
    counts: NDArray[np.int64] = field(repr=False)

    def __post_init__(self) -> None:
        if self.tokens[:2] != (UNKNOWN, END):
            raise ValueError(f"a vocabulary starts with {UNKNOWN}, {END}, not {self.tokens[:2]}")
        if len(self.tokens) != len(self.counts):
            raise ValueError(f"{len(self.tokens)} tokens but {len(self.counts)} counts")

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the tokens in their order: the same for two vocabularies that mean the same.

        Ids of one vocabulary say nothing in another, even where both have the same size.
        """
        return hashlib.sha256("\0".join(self.tokens).encode("utf-8")).hexdigest()

    @cached_property
    def id_of(self) -> dict[str, int]:
        """Token text → id."""
        return {token: index for index, token in enumerate(self.tokens)}

    def encode(self, tokens: Iterable[str]) -> NDArray[np.int32]:
        """Ids [N] of already separated tokens; a token outside the vocabulary becomes ``<unk>``."""
        return np.array([self.id_of.get(token, UNKNOWN_ID) for token in tokens], dtype=np.int32)

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Token texts of ids."""
        return [self.tokens[index] for index in ids]
