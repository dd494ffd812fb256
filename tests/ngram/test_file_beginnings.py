"""Compressed and other files that are taken for text are told apart from bad UTF-8."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import TextModel, train
from memoryspan.ngram.file_beginnings import BY_SUFFIX
from memoryspan.ngram.text_files import read_word_list

TEXT = "the cat sat\n" * 50
COMPRESS: dict[str, Any] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def readers() -> list[Any]:
    return [lambda source: train(source, 2), TextModel.from_arpa, read_word_list]


@pytest.mark.parametrize("suffix", sorted(BY_SUFFIX))
@pytest.mark.parametrize("read", readers())
def test_a_compressed_file_without_its_suffix(tmp_path: Path, read: Any, suffix: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(COMPRESS[suffix](TEXT.encode()))
    message = rf"file\.txt is {BY_SUFFIX[suffix]}; decompress it, or name it with \{suffix}"
    with pytest.raises(MemoryspanError, match=message):
        read(path)
    with path.open("rb") as stream, pytest.raises(MemoryspanError, match=BY_SUFFIX[suffix]):
        read(stream)


@pytest.mark.parametrize("suffix", sorted(BY_SUFFIX))
@pytest.mark.parametrize("read", readers())
def test_a_suffix_that_is_wrong(tmp_path: Path, read: Any, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(MemoryspanError, match=f"{suffix} is not {BY_SUFFIX[suffix]}, as its name"):
        read(path)


@pytest.mark.parametrize("read", readers())
def test_other_files(tmp_path: Path, read: Any) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a", TEXT)
    path = tmp_path / "file"
    for data, message in (
        (archive.getvalue(), "is a zip archive; unpack it first"),
        (TEXT.encode("utf-16"), "is UTF-16; convert it with iconv -f utf-16"),
        (b"\x28\xb5\x2f\xfd rest", "is zstd-compressed; decompress it first"),
        (TEXT.encode() + b"\xff\n", "not UTF-8|without a line"),
    ):
        path.write_bytes(data)
        with pytest.raises(MemoryspanError, match=message):
            read(path)


@pytest.mark.parametrize("suffix", sorted(BY_SUFFIX))
def test_nothing_compressed_is_an_empty_text(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    for content in (b"", COMPRESS[suffix](b"")):
        path.write_bytes(content)
        with pytest.raises(MemoryspanError, match=r"is empty|Cannot read"):
            train(path, 2)
