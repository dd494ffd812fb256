"""Nodes of the ingest pipeline."""

from pathlib import Path
from typing import Any

import pandas as pd

from memoryspan.text.documents import read_documents
from memoryspan.text.parameters import CorpusParameters, NamedCorpus
from memoryspan.text.profile import corpus_profile, split_table


def ingest(
    corpus: CorpusParameters, corpora: dict[str, Any], raw_folder: str, seed: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the source and split it by document; say what it is, for runs with other parameters."""
    named = {name: NamedCorpus.model_validate(entry) for name, entry in corpora.items()}
    documents = read_documents(corpus, named, Path(raw_folder), seed)
    entry = named.get(corpus.source)
    description = {
        "title": entry.title if entry else Path(corpus.source).name,
        "citation": entry.citation if entry else corpus.source,
        "corpus": corpus.model_dump(mode="json"),
        "seed": seed,
    }
    return documents, description


def profile(documents: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The corpus profile and the list of which document is in which split."""
    return corpus_profile(documents), split_table(documents)
