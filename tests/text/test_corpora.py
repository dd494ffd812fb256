import logging
from pathlib import Path

import pytest
import yaml
from pydantic import TypeAdapter

from memoryspan.errors import MemoryspanError
from memoryspan.text.corpora import fetch, read_named_corpus
from memoryspan.text.documents import read_documents
from memoryspan.text.parameters import CorpusParameters, NamedCorpus

ROOT = Path(__file__).resolve().parents[2]
NO_NETWORK = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/nowhere-at-all"}


def shipped_corpora():
    listed = yaml.safe_load((ROOT / "conf/base/corpora.yml").read_text(encoding="utf-8"))
    return TypeAdapter(dict[str, NamedCorpus]).validate_python(listed["corpora"])


def test_the_archive_is_downloaded_once_and_read_in_place(tiny_plays, tmp_path, monkeypatch):
    raw = tmp_path / "data" / "01_raw"
    texts = read_named_corpus(tiny_plays, raw)
    assert [text.name for text in texts] == ["hamlet", "macbeth", "tempest"]
    assert texts[0].text == "Hamlet\n\nHAMLET\nTo be, or not to be\n"
    assert texts[0].source == "tinyplays/plays/hamlet.md"
    assert [path.name for path in raw.iterdir()] == [tiny_plays.package.file]
    for name, value in NO_NETWORK.items():
        monkeypatch.setenv(name, value)
    assert read_named_corpus(tiny_plays, raw) == texts


def test_a_damaged_archive_is_fetched_again(tiny_plays, tmp_path, caplog):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / tiny_plays.package.file).write_bytes(b"half a down")
    with caplog.at_level(logging.WARNING):
        assert len(read_named_corpus(tiny_plays, raw)) == 3
    assert "is damaged" in caplog.text


def test_without_network_the_error_says_what_to_do(tiny_plays, tmp_path, monkeypatch):
    for name, value in NO_NETWORK.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(MemoryspanError) as caught:
        fetch(tiny_plays.package, tmp_path / "raw")
    message = str(caught.value)
    assert "tinyplays==1.0 could not be downloaded" in message
    assert "--params corpus.source=PATH" in message
    assert str(tmp_path / "raw" / tiny_plays.package.file) in message
    assert list((tmp_path / "raw").iterdir()) == []


def test_another_file_than_the_published_one_is_not_kept(tiny_plays, tmp_path):
    package = tiny_plays.package.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(MemoryspanError, match=r"has SHA-256 .*, not 0{64}, and was not kept"):
        fetch(package, tmp_path / "raw")
    assert list((tmp_path / "raw").iterdir()) == []


def test_a_raw_folder_that_cannot_be_written_is_an_error(tiny_plays, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MemoryspanError, match="cannot be written"):
        fetch(tiny_plays.package, tmp_path / "file")


def test_a_listed_document_must_be_in_the_archive(tiny_plays, tmp_path):
    wrong = tiny_plays.model_copy(update={"test": ("cardenio",)})
    with pytest.raises(MemoryspanError, match=r"has no document cardenio.*corpora\.yml"):
        read_named_corpus(wrong, tmp_path / "raw")


def test_shakespeare_is_listed_with_eight_plays_held_out():
    corpus = shipped_corpora()["shakespeare"]
    assert (len(corpus.validation), len(corpus.test)) == (3, 5)
    assert corpus.excluded == ("edward-iii",)
    assert corpus.package.sha256.startswith("856c99dd")


def test_the_37_plays_as_shipped():
    corpora = shipped_corpora()
    raw = ROOT / "data" / "01_raw"
    if not (raw / corpora["shakespeare"].package.file).is_file():
        pytest.skip("the plays are not downloaded; any run with the default corpus does it")
    documents = read_documents(CorpusParameters(), corpora, raw, seed=0)
    assert documents["split"].value_counts().to_dict() == {"train": 29, "test": 5, "validation": 3}
    whole = "".join(documents["text"])
    assert not set(whole) & set("*_#\\")
    assert len(whole.split()) == 881_381
    hamlet = documents.set_index("document").loc["hamlet", "text"]
    assert "\nHAMLET\nTo be, or not to be: that is the question:\n" in hamlet
