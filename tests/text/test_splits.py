import logging
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.text.splits import Document, cut_missing_splits, given_splits, listing

SHARES = {"test": 0.10, "validation": 0.05}
names = st.lists(st.text("abcdefghij-", min_size=1, max_size=8), unique=True)


def documents(names):
    return [Document(name, f"{name} text\n", f"{name}.txt") for name in names]


def split_of(cut):
    return {document.name: document.split for document in cut}


@settings(deadline=None)
@given(names.filter(lambda n: len(n) >= 10), st.integers(0, 2**32))
def test_every_document_goes_to_one_split_and_none_is_empty(names, seed):
    cut = cut_missing_splits(documents(names), SHARES, seed, "x")
    assert sorted(document.name for document in cut) == sorted(names)
    assert {document.split for document in cut} == {"train", "validation", "test"}
    assert {document.text for document in cut} == {f"{name} text\n" for name in names}


@settings(deadline=None)
@given(st.integers(10, 60), st.integers(0, 2**32), st.randoms())
def test_a_new_document_does_not_move_the_others(count, seed, random):
    old = [f"play-{i}" for i in range(count)]
    before = split_of(cut_missing_splits(documents(old), SHARES, seed, "x"))
    new = [*old, "another"]
    random.shuffle(new)
    after = split_of(cut_missing_splits(documents(new), SHARES, seed, "x"))
    moved = [name for name in old if before[name] != after[name]]
    # Only a document that had to fill an otherwise empty split may go back to its own.
    assert all(Counter(before.values())[before[name]] == 1 for name in moved)
    assert all(after[name] == "train" for name in moved)


def test_shares_are_met_on_average():
    many = documents(f"d{i}" for i in range(20_000))
    counts = Counter(split_of(cut_missing_splits(many, SHARES, 7, "x")).values())
    # Binomial: three standard deviations are 127 and 92 documents.
    assert counts["test"] == pytest.approx(2000, abs=127)
    assert counts["validation"] == pytest.approx(1000, abs=92)


def test_another_seed_is_another_split():
    many = documents(f"d{i}" for i in range(200))
    one, two = (split_of(cut_missing_splits(many, SHARES, seed, "x")) for seed in (0, 1))
    assert one != two


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["", " ", "a", "bb bb", "c" * 40]), min_size=3, max_size=60).filter(
        lambda lines: sum(bool(line.strip()) for line in lines) >= 3
    ),
    st.floats(0.01, 0.49),
    st.floats(0.01, 0.49),
    st.integers(1, 3),
)
def test_blocks_are_the_text_itself_in_order(lines, validation, test, pieces):
    numbered = [f"{i}:{line}" if line.strip() else line for i, line in enumerate(lines)]
    step = -(-len(numbered) // pieces)
    texts = ["\n".join(numbered[i : i + step]) + "\n" for i in range(0, len(numbered), step)]
    whole = [Document(f"d{i}", text, f"d{i}.txt") for i, text in enumerate(texts)]
    cut = cut_missing_splits(whole, {"test": test, "validation": validation}, 0, "x")
    assert [document.split for document in cut] == ["train", "validation", "test"]
    assert "".join(document.text for document in cut) == "".join(texts)  # so: no line in two
    assert all(document.text.strip() for document in cut)


def test_blocks_have_their_shares_of_the_text():
    text = "".join(f"line number {i:05d}\n" for i in range(10_000))
    cut = cut_missing_splits([Document("book", text, "book.txt")], SHARES, 0, "x")
    sizes = [document.text.count("\n") for document in cut]
    assert sizes == [8500, 500, 1000]
    assert [d.name for d in cut] == ["book:train", "book:validation", "book:test"]


def test_a_text_of_two_lines_is_too_small():
    with pytest.raises(MemoryspanError) as caught:
        cut_missing_splits([Document("d", "one two\n\nthree\n", "d.txt")], SHARES, 0, "x")
    assert "d is too small to split (documents: 1, lines with text: 2, words: 3)" in str(
        caught.value
    )
    assert "3 splits need at least 3 such lines" in str(caught.value)


def wikitext(*files):
    return [Document(name, f"{name}\n", name) for name in files]


def test_split_words_in_file_names_are_honoured(caplog):
    files = wikitext("wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens", "SOURCES.md")
    with caplog.at_level(logging.WARNING):
        found = given_splits(files)
    assert [document.split for document in found] == ["train", "validation", "test"]
    assert "left out, because they name none: SOURCES.md" in caplog.text
    assert cut_missing_splits(found, SHARES, 0, "x") == found


@pytest.mark.parametrize(
    ("source", "split"),
    [
        ("en_ewt-ud-dev.txt", "validation"),
        ("ptb.val.txt", "validation"),
        ("validation/a.txt", "validation"),
        ("test-set/wiki.train.txt", "train"),
        ("TEST.txt", "test"),
    ],
)
def test_split_words_are_components(source, split):
    files = [Document("t", "t", "train.txt"), Document("u", "u", "test.txt")]
    assert given_splits([*files, Document("x", "x", source)])[-1].split == split


@pytest.mark.parametrize("source", ["the-test-of-time.txt", "trains.train.txt"])
def test_one_split_word_alone_does_not_make_given_splits(source):
    files = wikitext(source, "emma.txt", "latest.txt", "valid8.txt")
    assert given_splits(files) == files


def test_a_missing_validation_split_is_cut_from_training(caplog):
    lines = "".join(f"{i}\n" for i in range(100, 200))
    files = [Document("a.train", lines, "a.train.txt"), Document("a.test", "x\n", "a.test.txt")]
    with caplog.at_level(logging.INFO):
        cut = cut_missing_splits(given_splits(files), SHARES, 0, "x")
    assert {d.name: (d.split, d.text.count("\n")) for d in cut} == {
        "a.test": ("test", 1),
        "a.train:train": ("train", 95),
        "a.train:validation": ("validation", 5),
    }
    assert "no validation split" in caplog.text


def test_given_splits_of_many_documents_leave_the_given_ones_alone():
    training = documents(f"d{i}" for i in range(30))
    given_test = replace(documents(["z"])[0], split="test")
    cut = split_of(cut_missing_splits([*training, given_test], SHARES, 3, "x"))
    assert [name for name, split in cut.items() if split == "test"] == ["z"]
    assert "validation" in cut.values()


def test_a_long_listing_is_cut():
    assert listing(["a", "b"], most=2) == "a, b"
    assert listing(["a", "b", "c", "d"], most=2) == "a, b and 2 more"
