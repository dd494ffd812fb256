"""Nodes of the ingest pipeline."""

from pathlib import Path

import pandas as pd

from memoryspan.text.documents import read_documents
from memoryspan.text.parameters import CorpusParameters, NamedCorpus
from memoryspan.text.profile import corpus_profile, split_table


def ingest(
    corpus: CorpusParameters, corpora: dict[str, NamedCorpus], raw_folder: str, seed: int
) -> pd.DataFrame:
    """Read the source and split it by document."""
    return read_documents(corpus, corpora, Path(raw_folder), seed)


def profile(documents: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The corpus profile and the list of which document is in which split."""
    return corpus_profile(documents), split_table(documents)
