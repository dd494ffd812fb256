import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.ngram.words import WordIndex, WordTable

RESERVED = [b"<unk>", b"</s>"]
word = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\n\r "), min_size=1)
texts = st.lists(st.lists(word.filter(lambda w: w not in ("<s>", "</s>")), max_size=6), max_size=8)


def ids_by_dictionary(sentences: list[list[str]]) -> tuple[list[int], list[str]]:
    id_of = {"<unk>": 0, "</s>": 1}
    ids = []
    for sentence in sentences:
        ids += [id_of.setdefault(word, len(id_of)) for word in sentence]
        ids.append(1)
    return ids, list(id_of)


@settings(deadline=None)  # the first call compiles
@given(texts, st.sampled_from([" ", "\t", "\r", "  \t"]), st.integers(1, 5))
def test_a_learning_table_is_a_growing_dictionary(
    sentences: list[list[str]], space: str, parts: int
) -> None:
    table = WordTable(RESERVED, learning=True)
    ids: list[int] = []
    for part in range(parts):
        lines = sentences[part::parts]
        block = "".join(space.join(sentence) + "\n" for sentence in lines).encode()
        read, stopped = table.read(block)
        assert stopped == -1
        ids += read.tolist()
    in_parts = [sentence for part in range(parts) for sentence in sentences[part::parts]]
    expected, words = ids_by_dictionary(in_parts)
    assert ids == expected
    assert table.words() == words
    assert len(table) == len(words)
    assert table.words(2) == words[2:]
    assert table.lines == len(sentences)


def test_a_table_that_does_not_learn_reads_unknown_words_as_unk() -> None:
    table = WordTable([*RESERVED, b"a"], learning=False)
    ids, _ = table.read(b"a b\na")
    assert ids.tolist() == [2, 0, 1, 2]
    assert len(table) == 3


def test_unicode_spaces_and_vertical_tabs_are_parts_of_words() -> None:
    table = WordTable(RESERVED, learning=True)
    ids, _ = table.read("a\u00a0b a\u3000b a\vb a\fb\n".encode())
    assert ids.tolist() == [2, 3, 4, 5, 1]


def test_reading_stops_at_a_sentence_bound() -> None:
    table = WordTable(RESERVED, learning=True)
    for bound in (b"<s>", b"</s>"):
        ids, stopped = table.read(b"<ss> s> </> " + bound + b" a\n")
        assert stopped == 12
        assert len(ids) == 3


def test_many_words_make_it_grow() -> None:
    table = WordTable(RESERVED, learning=True)
    words = [str(number) for number in range(30_000)]
    for begin in range(0, len(words), 1000):
        table.read(" ".join(words[begin : begin + 1000]).encode())
    ids, _ = table.read(" ".join(words).encode())
    np.testing.assert_array_equal(ids, np.arange(2, 30_002))
    assert table.words(2) == words


def test_an_index_finds_what_is_in_it() -> None:
    index = WordIndex([b"a", b"bc", b"b"])
    text = np.frombuffer(b"bc b x a", np.uint8)
    places = np.array([[[0, 2], [3, 4]], [[5, 6], [7, 8]]], np.int32)
    np.testing.assert_array_equal(index.numbers(text, places), [[1, 2], [-1, 0]])
    assert index.duplicate == -1
    assert WordIndex([b"a", b"b", b"a"]).duplicate == 2
