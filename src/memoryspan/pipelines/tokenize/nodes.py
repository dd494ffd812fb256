"""Nodes of the tokenize pipeline."""

import pandas as pd

from memoryspan.text.encoding import (
    coverage_table,
    encode_all_types,
    encode_split,
    vocabulary_table,
)
from memoryspan.text.parameters import TokenizerParameters
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer


def fit(documents: pd.DataFrame, tokenizer: TokenizerParameters) -> Tokenizer:
    """Fit the vocabulary on the training split only."""
    training = documents.loc[documents["split"] == "train", "text"]
    return Tokenizer.fit(tokenizer, training)


def list_vocabulary(tokenizer: Tokenizer) -> pd.DataFrame:
    """The vocabulary as a table, most frequent first."""
    return vocabulary_table(tokenizer.vocabulary)


def encode(
    tokenizer: Tokenizer, documents: pd.DataFrame
) -> tuple[TokenStream, TokenStream, TokenStream]:
    """Token ids of the three splits."""
    return (
        encode_split(tokenizer, documents, "train"),
        encode_split(tokenizer, documents, "validation"),
        encode_split(tokenizer, documents, "test"),
    )


def encode_without_limit(tokenizer: Tokenizer, documents: pd.DataFrame) -> TokenStream:
    """The training split with an id for every type: to see how its vocabulary grows."""
    return encode_all_types(tokenizer, documents)


def measure_coverage(
    tokenizer: Tokenizer, train: TokenStream, validation: TokenStream, test: TokenStream
) -> pd.DataFrame:
    """Tokens and share of ``<unk>`` per split."""
    streams = {"train": train, "validation": validation, "test": test}
    return coverage_table(streams, tokenizer.vocabulary)
