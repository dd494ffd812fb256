import pandas as pd
import pytest

from memoryspan.text.profile import corpus_profile, split_table

DOCUMENTS = pd.DataFrame(
    [
        ("a", "train", "to be or\n\nnot to be\n", "a.txt"),
        ("b", "train", "être\n", "b.txt"),
        ("c", "validation", "to go", "c.txt"),
        ("d", "test", "be gone\n", "d.txt"),
    ],
    columns=["document", "split", "text", "source"],
)


def test_profile_counts_by_hand():
    table = corpus_profile(DOCUMENTS).set_index("split")
    assert table.loc["train"].tolist() == [2, 4, 25, 26, 7, 5]
    assert table.loc["validation"].tolist() == [1, 1, 5, 5, 2, 2]
    assert table.loc["total"].tolist() == [4, 6, 38, 39, 11, 7]
    assert table.columns.tolist() == [
        "documents",
        "lines",
        "characters",
        "bytes",
        "words",
        "distinct_words",
    ]


def test_profile_agrees_with_the_provenance_of_wikitext(shared_data):
    text = (shared_data / "wikitext-2" / "wiki.test.tokens").read_text(encoding="utf-8")
    documents = pd.DataFrame({"document": ["t"], "split": ["test"], "text": [text]})
    row = corpus_profile(documents).set_index("split").loc["test"]
    # lines, bytes and words as SOURCES.md beside the file has them
    assert (row["lines"], row["bytes"], row["words"]) == (4358, 1256449, 241211)


def test_split_table_shares_add_up():
    table = split_table(DOCUMENTS)
    assert table.columns.tolist() == ["document", "split", "words", "share"]
    assert table["words"].tolist() == [6, 1, 2, 2]
    assert table["share"].sum() == pytest.approx(1)
    assert "words" not in DOCUMENTS.columns
