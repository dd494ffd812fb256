"""What is accepted of other tools' files, and how it is understood."""

import bz2
import gzip
import lzma
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.ngram import read_arpa
from memoryspan.ngram.arpa import lines as lines_module

TEXT = r"""\data\
ngram 1=5
ngram 2=5
ngram 3=2

\1-grams:
-1.5	<unk>	-0.1
-99	<s>	-0.3
-0.9	</s>
-0.7	b	-0.2
-0.6	a	-0.25

\2-grams:
-0.4	<s> b	-0.15
-0.2	b a	-0.05
-0.3	a </s>
-1.2	<unk> a
-0.5	a b

\3-grams:
-0.1	<s> b a
-0.05	b a </s>

\end\
"""
SENTENCES = [["b", "a"], ["a", "zzz", "a", "b"], []]


@pytest.fixture
def expected(slowly: Any) -> list[float]:
    known = [[word if word in "ab" else "<unk>" for word in s] for s in SENTENCES]
    return list(slowly(TEXT).score(known))


def changed(*replacements: tuple[str, str]) -> str:
    text = TEXT
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_a_regular_file(read: Any, score: Any, expected: list[float]) -> None:
    arpa = read(TEXT)
    assert arpa.notes == ()
    assert arpa.vocabulary.tokens == ("<unk>", "</s>", "b", "a")
    assert arpa.vocabulary.counts.tolist() == [0, 0, 0, 0]
    assert arpa.model.name == "arpa_3"
    assert arpa.model.context_order == 2
    assert np.diff(arpa.model.trie.first).tolist() == [1, 4, 5, 2]
    np.testing.assert_allclose(score(arpa, SENTENCES), expected, atol=1e-12)


def shuffled(text: str) -> str:
    """Each order's lines from the last to the first."""
    blocks = text.split("\n\n")
    turned = ["\n".join([b.split("\n")[0], *b.split("\n")[:0:-1]]) for b in blocks[1:-1]]
    return "\n\n".join([blocks[0], *turned, blocks[-1]])


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        pytest.param(TEXT.replace("\n", "\r\n"), ["CRLF line ends"], id="CRLF"),
        pytest.param(TEXT.replace("\t", " "), ["lines with spaces for tabs: 12"], id="spaces"),
        pytest.param(
            TEXT.replace("\t", "\t  "), ["lines with spaces for tabs: 12"], id="more white space"
        ),
        pytest.param(TEXT.replace("a </s>", "a\t</s> \t"), [], id="tabs between words"),
        pytest.param(
            TEXT.replace("\n", "\n\n \t\n"), ["blank lines between n-grams: 18"], id="blank lines"
        ),
        pytest.param(
            "made by\nsomeone\n\n\\1-grams: \\data\\\n" + TEXT,
            ["lines of other text before \\data\\: 3"],
            id="preamble",
        ),
        pytest.param(
            TEXT + "\nthe end\x00\n", ["text after \\end\\ is ignored"], id="text after the end"
        ),
        pytest.param(TEXT.removesuffix("\n"), [], id="no line end at the end"),
        pytest.param("\n\n" + TEXT + "\n\n\n", [], id="blank lines around"),
        pytest.param("\ufeff" + TEXT, ["a byte-order mark at the beginning"], id="byte-order mark"),
        pytest.param(
            changed(("<unk>	", "<UNK>	"), ("<unk> a", "<UNK> a")),
            ["<UNK> is read as <unk>"],
            id="unknown in capitals",
        ),
        pytest.param(shuffled(TEXT), [], id="another sequence"),
        pytest.param(
            changed(("b a </s>", "b a </s>\t-0.7"), ("<s> b a", "<s> b a\t-0.9")),
            [
                "back-off weights after </s>, useless: 1",
                "back-off weights of the highest order, useless: 1",
            ],
            id="useless back-offs",
        ),
        pytest.param(changed(("-99\t<s>", "0\t<s>")), [], id="KenLM's <s>"),
        pytest.param(changed(("-99\t<s>", "-100\t<s>")), [], id="-100"),
        pytest.param(changed(("-99\t<s>", "-98.9998\t<s>")), [], id="CMU's <s>"),
        pytest.param(
            changed(("-99\t<s>", "-1.25\t<s>")),
            ["probability of <s>, which is never predicted: 1"],
            id="a probability of <s>",
        ),
        pytest.param(
            changed(("ngram 1=5", "ngram  1 =  5"), ("-0.6\t", "-6.0E-1\t"), ("-0.7\t", "-.7\t")),
            [],
            id="numbers in other forms",
        ),
        pytest.param(
            changed(
                ("ngram 2=5", "ngram 2=8"),
                ("-0.2	b a", "-0.1	</s> <s>	0.1\n-0.2	b a"),
                ("-1.2	<unk> a", "-1.2	<unk> a\n-1	a <s>\n-1	</s> a"),
            ),
            ["n-grams with <s> after or </s> before another word, left out: 3"],
            id="impossible n-grams",
        ),
    ],
)
def test_accepted(
    read: Any, score: Any, expected: list[float], text: str, notes: list[str]
) -> None:
    arpa = read(text)
    assert list(arpa.notes) == notes
    np.testing.assert_allclose(score(arpa, SENTENCES), expected, atol=1e-12)
    assert arpa.model.trie.first.tolist() == [0, 1, 5, 10, 12]


def test_blocks_of_any_size(
    read: Any, score: Any, expected: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in range(1, 40):
        monkeypatch.setattr(lines_module, "BLOCK_BYTES", size)
        np.testing.assert_array_equal(score(read(TEXT), SENTENCES), score(read(TEXT), SENTENCES))
        arpa = read(TEXT.replace("\n", "\r\n\r\n"))
        assert arpa.notes == ("blank lines between n-grams: 9", "CRLF line ends")
        np.testing.assert_allclose(score(arpa, SENTENCES), expected, atol=1e-12)
        with pytest.raises(MemoryspanError, match=r"line 22: there is no 2-gram"):
            read(changed(("-0.2	b a", "-0.2	b b")))


def test_no_unknown_word(read: Any, score: Any) -> None:
    arpa = read(
        changed(("ngram 1=5", "ngram 1=4"), ("-1.5	<unk>	-0.1\n", ""), ("<unk> a", "b b"))
    )
    assert arpa.notes == ("no <unk>: a word outside the vocabulary has probability zero",)
    assert score(arpa, [["zzz", "a"]])[0] == -np.inf
    assert np.isfinite(score(arpa, [["a", "b"]])).all()


def test_no_start(read: Any, score: Any) -> None:
    arpa = read("\\data\\\nngram 1=3\n\\1-grams:\n-1 <unk>\n-0.5 </s>\n-0.3 a\n\\end\\")
    assert "no <s>: a sentence begins without a context" in arpa.notes
    np.testing.assert_allclose(score(arpa, [["a"]]), [-0.3, -0.5], atol=1e-15)


def test_no_end(read: Any, score: Any) -> None:
    arpa = read("\\data\\\nngram 1=3\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-0.3\ta\n\\end\\")
    assert arpa.notes == ("no </s>: the end of a sentence has probability zero",)
    np.testing.assert_allclose(score(arpa, [["a"]]), [-0.3, -np.inf], atol=1e-15)


def test_minus_99_is_zero_and_no_other_number_is(read: Any, score: Any) -> None:
    arpa = read(changed(("-0.7	b	-0.2", "-99.0	b	-99"), ("-0.6	a", "-99.999	a")))
    assert arpa.notes == (
        "probabilities of -99, which means zero: 1",
        "back-off weights of -99, which means zero: 1",
    )
    unigrams = arpa.model.next_log_probs(np.empty((1, 0), np.int32))[0] / np.log(10)
    np.testing.assert_allclose(unigrams, [-1.5, -0.9, -np.inf, -99.999], rtol=1e-15)
    assert score(arpa, [["b", "b"]])[1] == -np.inf


def test_missing_backoff_weights(read: Any, slowly: Any, score: Any) -> None:
    text = changed(
        ("<s>	-0.3", "<s>"), ("b a	-0.05", "b a"), ("-0.6	a	-0.25", "-0.6	a")
    )
    arpa = read(text)
    assert arpa.notes == ("contexts without a back-off weight, it is 1: 3",)
    test = [["a", "b"], ["b", "a", "b", "a", "a"]]
    np.testing.assert_allclose(score(arpa, test), slowly(text).score(test), atol=1e-12)


def test_missing_suffixes_are_noted(read: Any) -> None:
    arpa = read(changed(("ngram 2=5", "ngram 2=4"), ("-0.3	a </s>\n", "")))
    assert arpa.notes == ("n-grams without their suffix (pruned): 1",)


def test_missing_prefixes_when_not_strict(read: Any, slowly: Any, score: Any) -> None:
    text = changed(("-0.2	b a", "-0.2	b b"))
    arpa = read(text, strict=False)
    assert arpa.notes[0] == "n-grams without their prefix, left out: 1"
    without = changed(("-0.2	b a", "-0.2	b b"), ("-0.05	b a </s>\n", ""))
    np.testing.assert_allclose(score(arpa, [["b", "a"]]), slowly(without).score([["b", "a"]]))


def test_an_order_without_ngrams(read: Any, slowly: Any, score: Any) -> None:
    text = changed(("ngram 3=2", "ngram 3=0"), ("-0.1	<s> b a\n-0.05	b a </s>\n", ""))
    arpa = read(text)
    assert arpa.model.context_order == 2
    test = [["b", "a"], ["a", "b", "b"]]
    np.testing.assert_allclose(score(arpa, test), slowly(text).score(test), atol=1e-12)


def test_unknown_word_in_both_ways_of_writing(read: Any) -> None:
    arpa = read("\\data\\\nngram 1=4\n\\1-grams:\n-1 <UNK>\n-2 <unk>\n-3 <s>\n-4 </s>\n\\end\\")
    assert arpa.vocabulary.tokens == ("<unk>", "</s>", "<UNK>")
    np.testing.assert_allclose(arpa.model.log_prob[1:] / np.log(10), [-2, -4, -1])


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".GZ", gzip.compress),
        (".lm", bytes),
    ],
)
def test_compressed(read: Any, score: Any, tmp_path: Path, suffix: str, compress: Any) -> None:
    path = tmp_path / f"model{suffix}"
    path.write_bytes(compress(TEXT.encode()))
    for source in (path, str(path)):
        np.testing.assert_array_equal(
            score(read_arpa(source), SENTENCES), score(read(TEXT), SENTENCES)
        )


def test_words_of_any_script(read: Any, score: Any) -> None:
    words = ["\u00a0", "\u3000x", "戦場", "\x0b", "-1.5", "\\end\\", "😀", "a\u2028b"]
    unigrams = "".join(f"-1\t{word}\t-0.5\n" for word in ["<unk>", "<s>", "</s>", *words])
    bigrams = "".join(f"-0.5\t{word} {word}\n" for word in words)
    arpa = read(
        f"\\data\\\nngram 1=11\nngram 2=8\n\\1-grams:\n{unigrams}\\2-grams:\n{bigrams}\\end\\"
    )
    assert arpa.vocabulary.tokens[2:] == tuple(words)
    for word in words:
        np.testing.assert_allclose(score(arpa, [[word, word]]), [-1.5, -0.5, -1.5])


def test_numbers_are_the_nearest_doubles(read: Any) -> None:
    random = np.random.default_rng(5)
    numbers = [
        *(f"-{x:.7f}" for x in random.uniform(0, 99, 300)),
        *(f"-{x:.8g}" for x in random.uniform(0, 1, 300) ** 9),
        *(f"-{x:.14e}" for x in random.uniform(0, 9, 300)),
        *["-0", "+0.0", "-7", "-7.", "-.5", "-1e0", "-1E+1", "-123e-02", "-0.00000000000000000001"],
    ]
    unigrams = "".join(f"{number}\tw{i}\n" for i, number in enumerate(numbers))
    arpa = read(f"\\data\\\nngram 1={len(numbers)}\n\\1-grams:\n{unigrams}\\end\\")
    expected = np.array([float(number) for number in numbers]) * np.log(10)
    np.testing.assert_array_equal(arpa.model.log_prob[3:], expected)


def test_streams_need_not_have_a_name_or_deliver_at_once(read: Any, score: Any) -> None:
    class Dripping(BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            return super().read(min(7, size or 7))

    arpa = read_arpa(Dripping(TEXT.encode()))
    np.testing.assert_array_equal(score(arpa, SENTENCES), score(read(TEXT), SENTENCES))
