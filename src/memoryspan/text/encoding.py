"""From documents to token streams, and tables of what a vocabulary covers."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from memoryspan.errors import MemoryspanError
from memoryspan.text.parameters import LARGEST_VOCABULARY, Split
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer
from memoryspan.text.vocabulary import UNKNOWN_ID, Vocabulary


def encode_split(tokenizer: Tokenizer, documents: pd.DataFrame, split: Split) -> TokenStream:
    """The token stream of one split, its documents in the order of the table.

    Args:
        tokenizer: fitted on the training split.
        documents: as ``read_documents`` gives them.
        split: which rows to take.

    Raises:
        MemoryspanError: the split holds no token.
    """
    rows = documents.loc[documents["split"] == split]
    texts = rows["text"].tolist()
    parts = [tokenizer.encode(text) for text in texts]
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    if not bounds[-1]:
        raise MemoryspanError(
            f"The {split} split holds no text ({len(rows)} documents). "
            "Give more text, or another share for the split."
        )
    return TokenStream(
        ids=np.concatenate(parts),
        vocabulary_size=len(tokenizer.vocabulary),
        documents=tuple(rows["document"]),
        document_bounds=bounds,
        document_bytes=np.array([len(text.encode()) for text in texts], dtype=np.int64),
        document_words=np.array([len(text.split()) for text in texts], dtype=np.int64),
        vocabulary_digest=tokenizer.vocabulary.digest,
    )


def encode_all_types(tokenizer: Tokenizer, documents: pd.DataFrame) -> TokenStream:
    """The training stream with an id for every type, as if the vocabulary had no limit.

    How many types a text has cannot be seen where the rare ones are all ``<unk>``. (From
    2,000,000 types on the rarest are ``<unk>`` here too.)

    Args:
        tokenizer: fitted on the training split; how it splits lines is kept.
        documents: as ``read_documents`` gives them.

    Raises:
        MemoryspanError: the training split holds no token.
    """
    parameters = tokenizer.parameters
    if len(tokenizer.vocabulary) < parameters.vocabulary_size + 2:  # no type was left out
        return encode_split(tokenizer, documents, "train")
    unlimited = parameters.model_copy(update={"vocabulary_size": LARGEST_VOCABULARY})
    training = documents.loc[documents["split"] == "train", "text"]
    return encode_split(Tokenizer.fit(unlimited, training), documents, "train")


def vocabulary_table(vocabulary: Vocabulary) -> pd.DataFrame:
    """Every token with its training count: id, token, count, share, cumulative_share (by id)."""
    share = vocabulary.counts / max(int(vocabulary.counts.sum()), 1)
    return pd.DataFrame(
        {
            "id": np.arange(len(vocabulary)),
            "token": vocabulary.tokens,
            "count": vocabulary.counts,
            "share": share,
            "cumulative_share": share.cumsum(),
        }
    )


def coverage_table(streams: Mapping[str, TokenStream], vocabulary: Vocabulary) -> pd.DataFrame:
    """How well a vocabulary covers each split.

    Returns:
        One row per split: split, tokens (predicted ones, ``</s>`` among them), sentences,
        unknown_tokens, unknown_rate (of the tokens but ``</s>``), distinct_types (the two special
        tokens among them), vocabulary_share (of all V types, those that occur).
    """
    return pd.DataFrame(
        [
            {"split": split, **_coverage(stream, len(vocabulary))}
            for split, stream in streams.items()
        ]
    )


def _coverage(stream: TokenStream, vocabulary_size: int) -> dict[str, float]:
    counts = np.bincount(stream.ids, minlength=vocabulary_size)
    distinct = int(np.count_nonzero(counts))
    return {
        "tokens": len(stream),
        "sentences": stream.sentence_count,
        "unknown_tokens": int(counts[UNKNOWN_ID]),
        "unknown_rate": stream.unknown_rate,
        "distinct_types": distinct,
        "vocabulary_share": distinct / vocabulary_size,
    }
