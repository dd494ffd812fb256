import gzip
import zipfile

import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.text.parameters import CorpusParameters
from memoryspan.text.sources import read_path

DEFAULT = CorpusParameters()


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pack(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


FILES = {
    "b.txt": "b",
    "a.md": "a",
    "sub/C.TXT": "c",
    "sub/.hidden.txt": "x",
    ".git/d.txt": "x",
    "e.csv": "x",
}


def test_a_folder_is_read_recursively_in_order_without_hidden_files(tmp_path):
    write(tmp_path, FILES)
    texts = read_path(tmp_path, DEFAULT)
    assert [(t.name, t.source, t.text) for t in texts] == [
        ("a", "a.md", "a"),
        ("b", "b.txt", "b"),
        ("C", "sub/C.TXT", "c"),
    ]


def test_a_zip_gives_the_same_documents_as_its_folder(tmp_path):
    write(tmp_path / "folder", FILES)
    archive = pack(tmp_path / "x.zip", FILES)
    before = sorted(tmp_path.rglob("*"))
    assert read_path(archive, DEFAULT) == read_path(tmp_path / "folder", DEFAULT)
    assert sorted(tmp_path.rglob("*")) == before  # nothing was extracted


def test_files_with_the_same_stem_are_called_by_their_path(tmp_path):
    write(tmp_path, {"x/one.txt": "1", "y/one.txt": "2", "y/two.txt": "3"})
    assert [t.name for t in read_path(tmp_path, DEFAULT)] == ["x/one.txt", "y/one.txt", "two"]


def test_a_gz_file_is_read(tmp_path):
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress("für\n".encode()))
    [text] = read_path(path, DEFAULT)
    assert (text.name, text.text) == ("x.txt", "für\n")


def test_include_chooses_the_files(tmp_path):
    write(tmp_path, FILES)
    texts = read_path(tmp_path, CorpusParameters(include=["*.csv", "sub/*.txt"]))
    assert [t.source for t in texts] == ["e.csv", "sub/C.TXT"]


def test_no_match_names_the_patterns(tmp_path):
    write(tmp_path, {"x.csv": "1"})
    with pytest.raises(MemoryspanError, match=r"matches \*\.txt, \*\.text, \*\.tokens, \*\.md"):
        read_path(tmp_path, DEFAULT)


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "C:\\evil.txt"]
)
def test_a_zip_member_that_points_outside_is_refused(tmp_path, name):
    archive = pack(tmp_path / "x.zip", {"good.txt": "x", name: "y"})
    with pytest.raises(MemoryspanError, match=r"evil\.txt.*points outside the archive"):
        read_path(archive, DEFAULT)


def test_broken_archives_are_errors_that_name_them(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 nothing")
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"text" * 1000)[:-9])
    (tmp_path / "y.gz").write_bytes(b"no gzip")
    for name, kind in (("x.zip", "zip archive"), ("x.gz", "gzip file"), ("y.gz", "gzip file")):
        with pytest.raises(MemoryspanError, match=rf"{name} is not a whole {kind}"):
            read_path(tmp_path / name, DEFAULT)


def test_a_damaged_zip_member_is_an_error(tmp_path):
    archive = pack(tmp_path / "x.zip", {"a.txt": "some text that is stored"})
    archive.write_bytes(archive.read_bytes().replace(b"some text", b"same text", 1))
    with pytest.raises(MemoryspanError, match="not a whole zip archive: Bad CRC"):
        read_path(archive, DEFAULT)


def test_an_encrypted_zip_is_an_error(tmp_path):
    archive = pack(tmp_path / "x.zip", {"a.txt": "text"})
    data = bytearray(archive.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the central directory
    archive.write_bytes(data)
    with pytest.raises(MemoryspanError, match=r"is encrypted \(a\.txt\)"):
        read_path(archive, DEFAULT)


def test_a_wrong_encoding_names_the_file(tmp_path):
    write(tmp_path, {"good.txt": "x"})
    (tmp_path / "bad.txt").write_bytes(b"caf\xe9")
    with pytest.raises(MemoryspanError, match=rf"bad\.txt in {tmp_path} is not valid utf-8"):
        read_path(tmp_path, DEFAULT)
    [bad, _] = read_path(tmp_path, CorpusParameters(encoding="latin-1"))
    assert bad.text == "café"
