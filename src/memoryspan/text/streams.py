"""Token streams: the ids of one split, end to end, with the bounds of its documents."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID


@dataclass(frozen=True)
class TokenStream:
    """The tokens of one split.

    Every sentence is its tokens followed by ``</s>``; documents follow each other without
    anything between them. Every id is predicted once, by every model: the first one from the
    context ``</s>`` alone, the others from ``</s>`` and all ids before them.

    Attributes:
        ids: int32 [N], possibly a memory map.
        vocabulary_size: V, ids are in ``range(V)``.
        documents: names of the D documents.
        document_bounds: int64 [D+1]; document ``d`` is ``ids[bounds[d]:bounds[d + 1]]``.
        document_bytes: int64 [D], UTF-8 bytes of each document's text (for bits per byte).
        document_words: int64 [D], white-space separated words of each document's text.
        vocabulary_digest: of the vocabulary whose ids these are; empty if it is not known.
    """

    ids: NDArray[np.int32]
    vocabulary_size: int
    documents: tuple[str, ...]
    document_bounds: NDArray[np.int64] = field(repr=False)
    document_bytes: NDArray[np.int64] = field(repr=False)
    document_words: NDArray[np.int64] = field(repr=False)
    vocabulary_digest: str = ""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sentence_count(self) -> int:
        """Number of sentences (``</s>`` tokens)."""
        return int(np.count_nonzero(self.ids == END_ID))

    @property
    def sentence_bounds(self) -> NDArray[np.int64]:
        """int64 [S+1]: sentence ``s`` is ``ids[bounds[s]:bounds[s + 1]]``, its ``</s>`` included.

        What follows the last ``</s>`` is a sentence too.
        """
        ends = np.flatnonzero(self.ids == END_ID) + 1
        unfinished = len(self) > (ends[-1] if len(ends) else 0)
        return np.concatenate([[0], ends, [len(self)] if unfinished else []]).astype(np.int64)

    def beginning(self, tokens: int | None) -> "TokenStream":
        """The first tokens with the documents that they are of; None: all.

        The bytes and words of a text that is cut are not known (0).
        """
        if tokens is None or tokens >= len(self):
            return self
        kept = int(np.searchsorted(self.document_bounds[:-1], tokens))
        return TokenStream(
            ids=self.ids[:tokens],
            vocabulary_size=self.vocabulary_size,
            documents=self.documents[:kept],
            document_bounds=np.append(self.document_bounds[:kept], tokens),
            document_bytes=np.zeros(kept, dtype=np.int64),
            document_words=np.zeros(kept, dtype=np.int64),
            vocabulary_digest=self.vocabulary_digest,
        )

    @property
    def unknown_rate(self) -> float:
        """Share of ``<unk>`` among all tokens but ``</s>``."""
        words = len(self) - self.sentence_count
        return float(np.count_nonzero(self.ids == UNKNOWN_ID)) / max(words, 1)

    @classmethod
    def of(cls, ids: NDArray[np.int32], vocabulary_size: int, name: str = "text") -> "TokenStream":
        """A stream of one document, for ids that come from nowhere in particular."""
        return cls(
            ids=np.asarray(ids, dtype=np.int32),
            vocabulary_size=vocabulary_size,
            documents=(name,),
            document_bounds=np.array([0, len(ids)], dtype=np.int64),
            document_bytes=np.zeros(1, dtype=np.int64),
            document_words=np.zeros(1, dtype=np.int64),
        )
