"""From a corpus, named or the user's own, to one table of documents with their splits."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from memoryspan.errors import MemoryspanError
from memoryspan.text.corpora import describe, read_named_corpus
from memoryspan.text.parameters import SPLITS, CorpusParameters, NamedCorpus, Split
from memoryspan.text.sources import SourceText, read_path
from memoryspan.text.splits import Document, cut_missing_splits, given_splits, listing

logger = logging.getLogger(__name__)

COLUMNS = ("document", "split", "text", "source")


def read_documents(
    parameters: CorpusParameters,
    corpora: Mapping[str, NamedCorpus],
    raw_folder: Path,
    seed: int,
) -> pd.DataFrame:
    """Read a corpus and divide it.

    Args:
        parameters: what to read, and the shares of the splits it does not come with.
        corpora: the named corpora.
        raw_folder: where archives of named corpora are kept.
        seed: of the draw that assigns documents to splits.

    Returns:
        One row per document, in the order train, validation, test and then by name: document,
        split, text (lines ended by ``\\n``), source (file, or member of the archive). Every split
        has at least one document.

    Raises:
        MemoryspanError: the source is unknown, missing, broken, not text, empty, or too small.
    """
    corpus = corpora.get(parameters.source)
    if corpus is None:
        path = _existing(parameters.source, corpora)
        name = path.resolve().stem or "text"
        documents = given_splits(_with_text(read_path(path, parameters), parameters.source))
    else:
        name = parameters.source
        texts = read_named_corpus(corpus, raw_folder)
        documents = [_listed(document, corpus) for document in _with_text(texts, parameters.source)]
    shares: dict[Split, float] = {
        "test": parameters.test_share,
        "validation": parameters.validation_share,
    }
    divided = cut_missing_splits(documents, shares, seed, name)
    if parameters.max_characters is not None:
        divided = _beginnings(divided, parameters.max_characters)
    return _table(divided)


def _existing(source: str, corpora: Mapping[str, NamedCorpus]) -> Path:
    try:
        path = Path(source).expanduser()
        exists = path.exists()
    except (OSError, RuntimeError) as error:  # a name too long, a home that is not there
        raise MemoryspanError(f"corpus.source={source} cannot be a path: {error}.") from error
    if not exists:
        raise MemoryspanError(
            f"corpus.source={source} is neither a named corpus nor an existing path "
            f"({path.absolute()}). Named corpora: {describe(corpora) or 'none'}."
        )
    return path


def _with_text(texts: list[SourceText], source: str) -> list[Document]:
    """Documents that hold more than white space."""
    filled = [text for text in texts if text.text.strip()]
    if not filled:
        raise MemoryspanError(
            f"{source} holds no text: {len(texts)} files with nothing but white space. "
            "Give another corpus.source."
        )
    blank = [text.source for text in texts if not text.text.strip()]
    if blank:
        logger.warning("Left out, because they hold no text: %s.", listing(blank))
    return [Document(text.name, text.text, text.source) for text in filled]


def _listed(document: Document, corpus: NamedCorpus) -> Document:
    split: Split = "train"
    if document.name in corpus.validation:
        split = "validation"
    elif document.name in corpus.test:
        split = "test"
    return Document(document.name, document.text, document.source, split)


def _beginnings(documents: list[Document], most: int) -> list[Document]:
    """Every document cut at a line end to the same share of it, at most ``most`` characters in all.

    A document keeps its first line at least, so no split becomes empty.
    """
    kept_share = min(1.0, most / sum(len(document.text) for document in documents))
    return [
        replace(document, text=_beginning(document.text, int(len(document.text) * kept_share)))
        for document in documents
    ]


def _beginning(text: str, most: int) -> str:
    start = len(text) - len(text.lstrip())
    cut = text.rfind("\n", start, most) + 1 or text.find("\n", start) + 1 or len(text)
    return text if most >= len(text) else text[:cut]


def _table(documents: list[Document]) -> pd.DataFrame:
    ordered = sorted(documents, key=lambda document: (SPLITS.index(document.split), document.name))
    rows = [(document.name, document.split, document.text, document.source) for document in ordered]
    return pd.DataFrame(rows, columns=list(COLUMNS))
