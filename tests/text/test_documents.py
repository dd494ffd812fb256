import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.text.documents import read_documents
from memoryspan.text.parameters import CorpusParameters


def read(source, tmp_path, corpora=None, seed=0, **parameters):
    chosen = CorpusParameters(source=str(source), **parameters)
    return read_documents(chosen, corpora or {}, tmp_path / "raw", seed)


def test_a_named_corpus_comes_with_its_splits(tiny_plays, tmp_path):
    documents = read("tiny", tmp_path, {"tiny": tiny_plays})
    assert list(documents.columns) == ["document", "split", "text", "source"]
    assert documents[["document", "split"]].to_numpy().tolist() == [
        ["hamlet", "train"],
        ["macbeth", "validation"],
        ["tempest", "test"],
    ]


def test_a_named_corpus_without_listed_splits_is_cut_by_share(tiny_plays, tmp_path):
    unlisted = tiny_plays.model_copy(update={"validation": (), "test": ()})
    documents = read("tiny", tmp_path, {"tiny": unlisted})
    assert documents["document"].tolist() == ["tiny:train", "tiny:validation", "tiny:test"]


def test_a_folder_of_many_files_is_split_by_document(tmp_path):
    folder = tmp_path / "novels"
    folder.mkdir()
    for i in range(40):
        (folder / f"novel-{i}.txt").write_text(f"text of {i}\r\n", encoding="utf-8")
    documents = read(folder, tmp_path, seed=5)
    assert len(documents) == 40
    assert documents["split"].drop_duplicates().tolist() == ["train", "validation", "test"]
    assert documents.groupby("split")["document"].apply(lambda d: d.is_monotonic_increasing).all()
    assert documents.loc[documents["document"] == "novel-7", "text"].item() == "text of 7\n"
    assert read(folder, tmp_path, seed=5).equals(documents)


def test_wikitext_comes_with_its_splits(shared_data, tmp_path):
    documents = read(shared_data / "wikitext-2", tmp_path)
    assert documents["source"].tolist() == [
        "wiki.train.tokens",
        "wiki.valid.tokens",
        "wiki.test.tokens",
    ]
    # Merity et al. (2016), table 1: tokens with line ends.
    words = [len(text.split()) + text.count("\n") for text in documents["text"]]
    assert words == [2_088_628, 217_646, 245_569]


def test_latin1_is_a_clear_error_and_then_works(shared_data, tmp_path):
    book = shared_data / "books" / "die-verwandlung-de_22367-8.latin1.txt"
    with pytest.raises(
        MemoryspanError, match=r"latin1\.txt is not valid utf-8: byte 0x.. at offset"
    ):
        read(book, tmp_path)
    documents = read(book, tmp_path, encoding="latin-1")
    assert "Gregor Samsa eines Morgens aus unruhigen Träumen erwachte" in " ".join(
        documents.loc[0, "text"].split()
    )


def test_an_unknown_source_lists_the_named_corpora(tiny_plays, tmp_path):
    with pytest.raises(MemoryspanError, match=r"shakespear is neither.*tiny \(Tiny plays\)"):
        read("shakespear", tmp_path, {"tiny": tiny_plays})


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff"])
def test_an_empty_text_is_an_error(tmp_path, text):
    (tmp_path / "x.txt").write_text(text, encoding="utf-8")
    with pytest.raises(MemoryspanError, match=r"x\.txt holds no text"):
        read(tmp_path / "x.txt", tmp_path)


def test_an_empty_file_among_others_is_left_out(tmp_path, caplog):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    (folder / "b.txt").write_text("\n")
    documents = read(folder, tmp_path)
    assert documents["document"].tolist() == ["a:train", "a:validation", "a:test"]
    assert "Left out, because they hold no text: b.txt" in caplog.text


def test_an_empty_folder_is_an_error(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(MemoryspanError, match=r"No file in .*empty matches"):
        read(tmp_path / "empty", tmp_path)


def test_max_characters_keeps_the_beginning_of_every_document(tmp_path):
    whole, cut = (
        read(make_folder(tmp_path), tmp_path, max_characters=most) for most in (None, 600)
    )
    assert whole["document"].tolist() == cut["document"].tolist()
    assert cut["text"].str.len().sum() <= 600
    for long, short in zip(whole["text"], cut["text"], strict=True):
        assert long.startswith(short)
        assert short.endswith("\n")
        assert short.strip()


def test_max_characters_never_empties_a_document(tmp_path):
    cut = read(make_folder(tmp_path), tmp_path, max_characters=1)
    assert (cut["text"].str.strip().str.len() > 0).all()


def make_folder(tmp_path):
    folder = tmp_path / "novels"
    folder.mkdir(exist_ok=True)
    for i in range(12):
        text = "\n" * (i % 2) + "".join(f"line {n} of novel {i}\n" for n in range(20))
        (folder / f"novel{i:02}.txt").write_text(text, encoding="utf-8")
    return folder
