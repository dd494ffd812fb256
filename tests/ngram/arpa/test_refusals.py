"""What is no ARPA file, or not a whole one, is refused in one line that names the place."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import read_arpa

TEXT = r"""\data\
ngram 1=5
ngram 2=3
ngram 3=1

\1-grams:
-1.5	<unk>
-99	<s>	-0.3
-0.9	</s>
-0.7	b	-0.2
-0.6	a	-0.25

\2-grams:
-0.4	<s> b	-0.15
-0.2	b a	-0.05
-0.3	a </s>

\3-grams:
-0.1	<s> b a

\end\
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "ngram 1=5",
            "ngram 1=6",
            r"line 13: only 5 1-grams came before, but 6 are declared after \\data",
        ),
        (
            "ngram 2=3",
            "ngram 2=4",
            r"line 18: only 3 2-grams came before, but 4 are declared after \\data",
        ),
        (
            "ngram 3=1",
            "ngram 3=2",
            r"line 21: only 1 3-grams came before, but 2 are declared after \\data",
        ),
        ("ngram 1=5", "ngram 1=4", r"line 11: more than the 4 1-grams declared"),
        ("ngram 2=3", "ngram 2=0", r"line 14: more than the 0 2-grams declared"),
        ("ngram 1=5", "ngram 1=999999999999", r"line 2: .* cannot have 999999999999 1-grams"),
        ("ngram 1=5", "ngram 1=2000000000", r"line 13: only 5 1-grams came"),
        ("ngram 2=3", "ngram 2=-3", r"line 3: a model cannot have -3 2-grams"),
        ("ngram 1=5", "ngram 1=0", r"line 2: a model cannot have 0 1-grams"),
        ("ngram 1=5", "ngram 1=five", r"line 2: expected 'ngram 1=…', not 'ngram 1=five'"),
        ("ngram 1=5", "ngram 1=" + "9" * 9999, r"line 2: expected 'ngram 1=…', not 'ngram 1=99"),
        ("ngram 2=3\n", "", r"line 3: expected the number of 2-grams, not of 3-grams"),
        ("ngram 2=3", "ngram 1=5", r"line 3: expected the number of 2-grams, not of 1-grams"),
        ("ngram 3=1\n", "", r"line 17: expected \\end\\, not '.*3-grams:'"),
        ("ngram 3=1", "ngram 3=1\nngram 4=0", r"line 22: expected \\4-grams:, not '.*end"),
        ("ngram 3=1", "ngrams", r"line 4: expected 'ngram 3=…', not 'ngrams'"),
        ("\\2-grams:", "\\3-grams:", r"line 13: expected \\2-grams:, not '.*3-grams:'"),
        ("\\1-grams:", "\\2-grams:", r"line 6: expected \\1-grams:, not '.*2-grams:'"),
        ("\\2-grams:\n", "", r"line 13: more than the 5 1-grams"),
        ("\\data\\", "\\date\\", r"line 21: the file ends here, without a line \\data\\; it is"),
        ("\\end\\\n", "", r"line 20: the file ends here, after 1 of 1 3-grams; it is cut off"),
        ("-0.6	a", "-0.6	b", r"line 11: the word 'b' is among the 1-grams already"),
        (
            "-0.3	a </s>",
            "-0.3	b a",
            r"line 16: the 2-gram of this line is in line 15 already",
        ),
        ("<s> b a", "a b a", r"line 19: there is no 2-gram that this 3-gram begins with; .*Kaldi"),
        ("-0.3	a </s>", "-0.3	a d", r"line 16: the word 'd' is not a 1-gram"),
        ("-0.2	b a", "0.2	b a", r"line 15: the log10 probability '0.2' is positive"),
        ("-99	<s>", "+0.001	<s>", r"line 8: the log10 probability '\+0.001' is positive"),
        ("-0.6	a", "nan	a", r"line 11: 'nan' is no finite log10 probability"),
        (
            "-0.6	a",
            "-inf	a",
            r"line 11: '-inf' is no finite log10 probability \(zero is -99\)",
        ),
        ("-0.6	a", "-1e999	a", r"line 11: '-1e999' is no finite log10 probability"),
        ("-0.6	a", "-0_6	a", r"line 11: '-0_6' is no finite log10 probability"),
        ("-0.6	a", "-0.6.1	a", r"line 11: '-0.6.1' is no finite"),
        ("-0.6	a", "--1	a", r"line 11: '--1' is no finite"),
        ("-0.6	a", "-	a", r"line 11: '-' is no finite"),
        ("-0.6	a", "-.	a", r"line 11: '-.' is no finite"),
        ("-0.6	a", "-1e	a", r"line 11: '-1e' is no finite"),
        ("-0.6	a", "-1e+	a", r"line 11: '-1e\+' is no finite"),
        ("-0.6	a", "-1e2.	a", r"line 11: '-1e2.' is no finite"),
        ("-0.6	a", "-0,6	a", r"line 11: '-0,6' is no finite"),
        ("a	-0.25", "a	nan", r"line 11: 'nan' is no log10 back-off weight"),
        ("a	-0.25", "a	inf", r"line 11: 'inf' is no log10 back-off weight"),
        ("a	-0.25", "a b	-0.25", r"line 11: expected a number, 1 words and perhaps a number"),
        ("-0.4	<s> b	-0.15", "-0.4	b", r"line 14: expected a number, 2 words"),
        ("-0.4	<s> b	-0.15", "-0.4", r"line 14: expected a number, 2 words"),
        ("-0.4	<s> b	-0.15", "-0.4	<s> b a", r"line 14: 'a' is no log10 back-off weight"),
        ("-0.4	<s> b	-0.15", "-0.4	<s> b a -1 3", r"line 14: expected a number, 2 words"),
        ("-0.7	b", "-0.7	\0b", r"line 10: a NUL byte"),
        ("-0.7	b", "-0.7	b\0b -0.1 x", r"line 10: a NUL byte"),
        ("\\data\\", "a\0b\n\\data\\", r"line 1: this is a binary model, UTF-16 or an iARPA file"),
        ("\\data\\", "iARPA\n\n\\data\\", r"line 1: this is a binary model, UTF-16 or an iARPA"),
    ],
)
def test_line_by_line(read: Any, old: str, new: str, message: str) -> None:
    assert TEXT.count(old) == 1
    text = TEXT.replace(old, new)
    for variant in (text, text.replace("\n", "\r\n")):
        with pytest.raises(MemoryspanError, match=message) as caught:
            read(variant)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300


def test_order_beyond_what_is_offered(read: Any) -> None:
    counts = "".join(f"ngram {n}=1\n" for n in range(1, 12))
    with pytest.raises(MemoryspanError, match="line 12: only models up to order 10"):
        read(f"\\data\\\n{counts}\n\\1-grams:\n")


def test_bytes_that_are_not_utf8(read: Any) -> None:
    latin = TEXT.replace(" b", " é").replace("\tb", "\té").encode("latin-1")
    with pytest.raises(MemoryspanError, match=r"line 10: not UTF-8; convert .* iconv -f latin1"):
        read(latin)
    before_the_nul = latin.replace(b"<s>", b"<s\0>")
    with pytest.raises(MemoryspanError, match=r"line 8: a NUL byte"):
        read(before_the_nul)
    # a faulty line is not blamed for what is its encoding's fault
    with pytest.raises(MemoryspanError, match=r"line 10: not UTF-8"):
        read(latin.replace(b"-0.2\n", b"x\n"))


def test_a_preamble_may_be_in_any_encoding(read: Any) -> None:
    assert len(read("# für é\n".encode("latin-1") + TEXT.encode()).notes) == 1


@pytest.mark.parametrize("text", ["", "\n", "\n" * 1000, "hello", "\\data\\", "\\data\\\n\n"])
def test_next_to_nothing(read: Any, text: str) -> None:
    with pytest.raises(MemoryspanError, match=r"line \d+: the file ends here, .* no ARPA file"):
        read(text)


def test_every_truncation_is_noticed(read: Any) -> None:
    content = TEXT.encode()
    for size in range(content.index(b"\\end\\") + len("\\end\\")):
        with pytest.raises(MemoryspanError, match=r"line \d+: "):
            read(content[:size])


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)],
)
def test_truncated_and_damaged_compressed_files(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    damaged_here = r"model\.arpa.*(, line \d+: the file|is not \w+-compressed, as its name says)"
    path = tmp_path / f"model.arpa{suffix}"
    content = compress(TEXT.encode())
    for size in range(len(content)):
        path.write_bytes(content[:size])
        with pytest.raises(MemoryspanError, match=damaged_here):
            read_arpa(path)
    noticed = 0
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 0x55
        path.write_bytes(damaged)
        try:
            read_arpa(path)
        except MemoryspanError:
            noticed += 1
    assert noticed > 0.9 * len(content)  # the rest: dates and names in the header
    path.write_bytes(TEXT.encode())
    with pytest.raises(MemoryspanError, match="-compressed, as its name says"):
        read_arpa(path)


def test_the_line_where_a_compressed_file_is_cut_off(tmp_path: Path) -> None:
    words = "".join(f"-1\tword{i}\n" for i in range(50_000))
    text = f"\\data\\\nngram 1=50000\n\\1-grams:\n{words}\\end\\\n".encode()
    path = tmp_path / "model.gz"
    content = gzip.compress(text)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(MemoryspanError, match=r"line [23]\d{4}: the file is damaged or cut off"):
        read_arpa(path)


def test_a_line_without_end(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryspan.ngram.arpa.lines.LONGEST_LINE_BYTES", 5_000_000)
    with pytest.raises(MemoryspanError, match="line 1: longer than 5000000 bytes"):
        read(b"x" * 6_000_000)


def test_no_such_file(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.arpa", tmp_path):
        with pytest.raises(MemoryspanError, match=f"Cannot read {path}"):
            read_arpa(path)


def test_files_have_their_name_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    path.write_text(TEXT.replace("\\end\\", ""))
    with pytest.raises(MemoryspanError, match=r"model\.arpa, line 2\d: "):
        read_arpa(path)
    with path.open("rb") as file, pytest.raises(MemoryspanError, match=r"model\.arpa, line 2\d: "):
        read_arpa(file)
    with pytest.raises(MemoryspanError, match="the ARPA text, line 1: "):
        read_arpa(BytesIO(b"nothing"))
