"""The units that a bootstrap over text draws: documents where there are enough, else blocks.

What each licenses:

- **documents** (at least 20): the documents are taken as a sample of documents, and an interval
  covers *other documents of this kind*.
- **blocks** (fewer documents): the documents are taken as given, and an interval covers *other
  passages of these documents*, not new ones. A block is a contiguous run of about 500 tokens,
  long enough that dependence across its edges matters little, cut at sentence ends and never
  across documents. A stream of fewer than 10,000 tokens is cut into about 20 smaller blocks.
"""

from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Unit = Literal["document", "block"]

MINIMUM_DOCUMENTS = 20
BLOCK_TOKENS = 500
SMALLEST_BLOCK_TOKENS = 50


class TokensOfDocuments(Protocol):
    """What is needed of a token stream (``memoryspan.text.streams.TokenStream`` has it)."""

    @property
    def ids(self) -> NDArray[np.int32]:
        """int32 [N]."""
        ...

    @property
    def documents(self) -> tuple[str, ...]:
        """Names of the D documents."""
        ...

    @property
    def document_bounds(self) -> NDArray[np.int64]:
        """int64 [D+1]; document ``d`` is ``ids[bounds[d]:bounds[d + 1]]``."""
        ...


@dataclass(frozen=True)
class Clusters:
    """Which cluster each token of a stream belongs to.

    Attributes:
        of_token: int64 [N], cluster index per token, ascending in ``range(count)``.
        unit: what a cluster is.
        names: the document's name, or ``name/number`` for a block of it.
    """

    of_token: NDArray[np.int64] = field(repr=False)
    unit: Unit
    names: tuple[str, ...] = field(repr=False)

    @property
    def count(self) -> int:
        """Number of clusters, each with at least one token."""
        return len(self.names)

    @property
    def tokens(self) -> NDArray[np.int64]:
        """int64 [count], tokens per cluster."""
        return np.bincount(self.of_token, minlength=self.count).astype(np.int64)

    def totals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums per cluster [count] of one value per token [N]."""
        sums = np.bincount(self.of_token, weights=values, minlength=self.count)
        return sums.astype(np.float64)


def token_clusters(stream: TokensOfDocuments, end_id: int = 1) -> Clusters:
    """The clusters of a stream (see the module's docstring for what they license).

    Args:
        stream: ids [N] and the bounds of their documents.
        end_id: the id of ``</s>``, 1 in every vocabulary.
    """
    bounds = stream.document_bounds
    lengths = np.diff(bounds)
    filled = np.flatnonzero(lengths)
    if len(filled) >= MINIMUM_DOCUMENTS:
        names = tuple(stream.documents[d] for d in filled)
        return Clusters(np.repeat(np.arange(len(filled)), lengths[filled]), "document", names)

    block = int(np.clip(lengths.sum() / MINIMUM_DOCUMENTS, SMALLEST_BLOCK_TOKENS, BLOCK_TOKENS))
    block_lengths: list[int] = []
    block_names: list[str] = []
    for d in filled:
        ids = stream.ids[bounds[d] : bounds[d + 1]]
        cuts = np.concatenate([[0], block_cuts(ids == end_id, block), [len(ids)]])
        block_lengths.extend(np.diff(cuts))
        block_names.extend(f"{stream.documents[d]}/{i}" for i in range(len(cuts) - 1))
    of_token = np.repeat(np.arange(len(block_names)), block_lengths)
    return Clusters(of_token, "block", tuple(block_names))


def block_cuts(is_end: NDArray[np.bool_], block_tokens: int) -> NDArray[np.int64]:
    """Where to cut one document into blocks of about ``block_tokens`` tokens.

    The evenly spaced cuts are moved to the nearest sentence end; one without a sentence end
    within half a block (text without sentence marks) stays where it is.

    Args:
        is_end: bool [n], whether each token is ``</s>``.
        block_tokens: the aim.

    Returns:
        int64, ascending, strictly between 0 and n: each block begins at 0 or at a cut.
    """
    length = len(is_end)
    blocks = max(1, round(length / block_tokens))
    even = np.arange(1, blocks) * length // blocks
    ends = np.flatnonzero(is_end) + 1
    ends = ends[ends < length]
    if len(ends) == 0:
        return even
    after = np.clip(np.searchsorted(ends, even), 0, len(ends) - 1)
    before = np.clip(after - 1, 0, None)
    nearest = np.where(even - ends[before] <= ends[after] - even, ends[before], ends[after])
    near = np.abs(nearest - even) <= length / blocks / 2
    return np.unique(np.where(near, nearest, even))
