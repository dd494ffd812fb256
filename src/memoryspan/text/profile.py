"""How much text there is: per split and per document, before any tokenizer has seen it.

Words are separated by white space (a language written without spaces has few of them). Lines
are counted as ``wc -l`` does, with a last line that lacks its line end.
"""

import pandas as pd

from memoryspan.text.parameters import SPLITS
from memoryspan.text.readers import split_lines


def corpus_profile(documents: pd.DataFrame) -> pd.DataFrame:
    """Size of each split and of the whole.

    Args:
        documents: as ``read_documents`` gives them.

    Returns:
        One row per split and one called ``total``: split, documents, lines, characters, bytes
        (UTF-8), words, distinct_words.
    """
    parts = [(str(split), documents.loc[documents["split"] == split]) for split in SPLITS]
    return pd.DataFrame(
        [
            {"split": name, **_size(part["text"].tolist())}
            for name, part in (*parts, ("total", documents))
        ]
    )


def _size(texts: list[str]) -> dict[str, int]:
    distinct: set[str] = set()
    words = 0
    for text in texts:
        found = text.split()
        words += len(found)
        distinct.update(found)
    return {
        "documents": len(texts),
        "lines": sum(len(split_lines(text)) for text in texts),
        "characters": sum(len(text) for text in texts),
        "bytes": sum(len(text.encode()) for text in texts),
        "words": words,
        "distinct_words": len(distinct),
    }


def split_table(documents: pd.DataFrame) -> pd.DataFrame:
    """Which document is in which split, and how much of the corpus it is.

    Returns:
        One row per document: document, split, words, share (of all words of the corpus).
    """
    table = documents[["document", "split"]].copy()
    table["words"] = [len(text.split()) for text in documents["text"]]
    table["share"] = table["words"] / max(int(table["words"].sum()), 1)
    return table
