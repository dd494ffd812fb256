import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import text_files
from memoryspan.ngram.text_files import read_text, whole_words
from memoryspan.ngram.words import WordTable


def new_table() -> WordTable:
    return WordTable([b"<unk>", b"</s>"], learning=True)


def read(source: Any) -> list[str]:
    table = new_table()
    ids = read_text(source, table)
    words = table.words()
    return [words[i] for i in ids]


TEXT = "a b\n\n b  c\t d\r\nlast"
WORDS = ["a", "b", "</s>", "</s>", "b", "c", "d", "</s>", "last", "</s>"]


def test_every_line_is_a_sentence_and_the_last_needs_no_line_feed(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT.encode())
    assert read(path) == WORDS
    path.write_bytes(TEXT.encode() + b"\n")
    assert read(path) == WORDS
    assert read(io.BytesIO(TEXT.encode())) == WORDS
    assert read(["a b", "", " b  c\t d\r", "last"]) == WORDS
    assert read([["a", "b"], [], ["b", "c", "d"], ["last"]]) == WORDS


@pytest.mark.parametrize(("suffix", "compress"), [
    (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)
])  # fmt: skip
def test_compressed_by_suffix(tmp_path: Path, suffix: str, compress: Any) -> None:
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(compress(TEXT.encode()))
    assert read(path) == WORDS
    path.write_bytes(compress(TEXT.encode() * 1000)[:-20])
    with pytest.raises(MemoryspanError, match=f"text.txt{suffix}"):
        read(path)


@settings(deadline=None)
@given(st.text(st.sampled_from("ab \n\t\ré"), max_size=60), st.integers(1, 9))
def test_blocks_of_any_size_say_the_same(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_files, "BLOCK_BYTES", size)
        blocks = list(whole_words(io.BytesIO(text.encode())))
    assert all(block[-1:] in b" \t\r\n" for block in blocks)
    ended = text if not text or text.endswith("\n") else text + "\n"
    assert b"".join(blocks).decode() == ended


def test_a_byte_order_mark_is_no_part_of_the_first_word() -> None:
    assert read(io.BytesIO(b"\xef\xbb\xbfa\n")) == ["a", "</s>"]
    assert read(io.BytesIO(b"a \xef\xbb\xbfb\n")) == ["a", "\ufeffb", "</s>"]


@pytest.mark.parametrize(("text", "message"), [
    (b"a\nb \xff c\n", r"text.txt, line 2: not UTF-8"),
    (b"a\nb\nc\0d\n", r"text.txt, line 3: a NUL byte"),
    (b"a\n\nb <s> c\n", r"text.txt, line 3: the word <s>"),
    (b"a\nb </s>\n", r"text.txt, line 2: the word </s>"),
    ("é </s> \0".encode(), r"text.txt, line 1: the word </s>"),
    (b"\xff\n</s>", r"text.txt, line 1: not UTF-8"),
    (b"", r"text.txt is empty"),
])  # fmt: skip
@pytest.mark.parametrize("before", [0, 100_000])
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, text: bytes, message: str, before: int
) -> None:
    if before:
        if not text:
            return
        message = message.replace("line ", f"line {before}")
        for line in "123":
            message = message.replace(f"{before}{line}:", f"{before + int(line)}:")
    path = tmp_path / "text.txt"
    path.write_bytes(b"word word\n" * before + text)
    with pytest.raises(MemoryspanError, match=message):
        read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MemoryspanError, match=r"no\.txt: No such file"):
        read(tmp_path / "no.txt")
    with pytest.raises(MemoryspanError, match=r"Is a directory"):
        read(tmp_path)


@pytest.mark.parametrize("text", ["corpus.txt", b"a b", 3])
def test_a_bare_string_is_no_text(text: Any) -> None:
    with pytest.raises(MemoryspanError, match=r"list of sentences.*Path\("):
        read(text)


@pytest.mark.parametrize(("sentences", "message"), [
    (["a", "b\nc"], "Sentence 2 has a line break"),
    (["a", ["b c"]], "Sentence 2 has a word that is empty or has white space"),
    ([["a", ""]], "Sentence 1 has a word that is empty"),
    ([["a"], 3], "Sentence 2 is int; a sentence is a string"),
    ([["a", 1]], "Sentence 1 is a list with int in it"),
    (["\ud800"], "Sentence 1 is str; .* that can be UTF-8"),
    (["a", "b\0"], "the list of sentences, line 2: a NUL byte"),
    ([], "the list of sentences is empty"),
])  # fmt: skip
def test_bad_sentences_are_named(sentences: Any, message: str) -> None:
    with pytest.raises(MemoryspanError, match=message):
        read(sentences)


def test_a_single_line_of_50_megabytes() -> None:
    ids = read_text(io.BytesIO(b"word and " * (50_000_000 // 9)), new_table())
    assert len(ids) == 2 * (50_000_000 // 9) + 1
    assert ids[:3].tolist() == [2, 3, 2]


def test_a_single_word_of_50_megabytes() -> None:
    ids = read_text(io.BytesIO(b"x" * 50_000_000), new_table())
    assert ids.tolist() == [2, 1]


def test_progress_counts_the_bytes() -> None:
    told: list[int] = []
    read_text(io.BytesIO(b"word\n" * 100_000), new_table(), told.append)
    assert sum(told) == 500_000
    assert len(told) > 1
