import json
import re
from collections import Counter

import numpy as np
import pytest
import tokenizers as huggingface
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.text.parameters import TokenizerParameters
from memoryspan.text.tokenizers import Tokenizer
from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID

KINDS = ("word", "whitespace", "character")
TEXT = "The cat sat, and the dog sat.\n\nThe <unk> sat on (the) mat!\nA cat's mat\n"


def fit(*texts, **parameters):
    return Tokenizer.fit(TokenizerParameters(**parameters), texts)


def tokens(tokenizer, text):
    return tokenizer.vocabulary.decode(tokenizer.encode(text))


def test_words_and_punctuation_are_tokens():
    tokenizer = fit(TEXT)
    assert tokens(tokenizer, "The cat's, (mat)!\n") == [
        *("The", "cat", "'", "s", ",", "(", "mat", "<unk>", "</s>")
    ]  # ")!" touches: one token, as \w+|[^\w\s]+ has it, and not in the training text


def test_whitespace_splits_at_spaces_alone():
    assert tokens(fit(TEXT, kind="whitespace"), "cat's cat sat. mat!") == [
        *("cat's", "cat", "sat.", "mat!", "</s>")
    ]


def test_characters_are_tokens_spaces_included():
    assert tokens(fit(TEXT, kind="character"), " cat Z") == [*" cat ", "<unk>", "</s>"]


def test_ids_follow_frequency_and_then_the_alphabet():
    tokenizer = fit("b b b\nd c d c\na\n", kind="whitespace")
    assert tokenizer.vocabulary.tokens == ("<unk>", "</s>", "b", "c", "d", "a")
    assert tokenizer.vocabulary.counts.tolist() == [0, 3, 3, 2, 2, 1]


def test_the_vocabulary_is_capped_and_the_rest_is_unknown():
    tokenizer = fit("b b b\nd c d c\na\n", kind="whitespace", vocabulary_size=2)
    assert tokenizer.vocabulary.tokens == ("<unk>", "</s>", "b", "c")
    assert tokenizer.vocabulary.counts.tolist() == [3, 3, 3, 2]


def test_unk_in_the_text_is_the_unknown_token():
    for kind in ("word", "whitespace"):
        tokenizer = fit("a <unk> <unk> <unk> b\n", kind=kind)
        assert tokenizer.vocabulary.tokens == ("<unk>", "</s>", "a", "b")
        assert tokenizer.vocabulary.counts.tolist() == [3, 1, 1, 1]
        assert tokenizer.encode("b <unk> a").tolist() == [3, 0, 2, 1]
    assert fit("(a<unk>, a)\n").encode("(a<unk>, a)\n").tolist().count(UNKNOWN_ID) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_end_token_written_in_the_text_ends_no_sentence(kind):
    tokenizer = fit("a </s> b\n", "</s>\n", kind=kind)
    ids = tokenizer.encode("a </s> b\n</s>\n")
    assert np.count_nonzero(ids == END_ID) == 2
    assert ids[-1] == END_ID
    assert tokenizer.vocabulary.counts[END_ID] == 2


def test_blank_lines_are_skipped_or_kept():
    assert fit(TEXT).encode("\ncat\n \n").tolist() == fit(TEXT).encode("cat").tolist()
    kept = fit(TEXT, keep_blank_lines=True)
    assert kept.vocabulary.counts[END_ID] == 4
    assert tokens(kept, "\ncat\n \n") == ["</s>", "cat", "</s>", "</s>"]


def test_lowercase():
    for kind in KINDS:
        tokenizer = fit("The THE the\n", kind=kind, lowercase=True)
        assert not any(token != token.lower() for token in tokenizer.vocabulary.tokens)
        assert len(set(tokenizer.encode("the\nThE\n").reshape(2, -1)[:, 0].tolist())) == 1


def test_a_text_without_tokens_is_an_error():
    with pytest.raises(MemoryspanError, match="holds no token"):
        fit("\n \n")


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_has_no_ids(kind):
    ids = fit(TEXT, kind=kind).encode("")
    assert (ids.dtype, ids.shape) == (np.int32, (0,))


words = st.text(alphabet="aàAbB19_.,'-日本 \u00a0\u0301", max_size=12)
texts = st.lists(words, min_size=1, max_size=80).map("\n".join)


@settings(deadline=None)
@given(texts.filter(str.strip), texts, st.integers(1, 12), st.booleans())
def test_whitespace_agrees_with_python(train, text, size, keep_blank):
    tokenizer = fit(train, kind="whitespace", vocabulary_size=size, keep_blank_lines=keep_blank)
    counts = Counter(train.split())
    ranked = sorted(counts, key=lambda token: (-counts[token], token))[:size]
    assert tokenizer.vocabulary.tokens[2:] == tuple(ranked)
    assert tokenizer.vocabulary.counts[2:].tolist() == [counts[token] for token in ranked]
    lines = text.removesuffix("\n").split("\n") if text else []
    sentences = [line.split() for line in lines if keep_blank or line.strip()]
    expected = [[t if t in ranked else "<unk>" for t in sentence] for sentence in sentences]
    assert tokens(tokenizer, text) == [t for sentence in expected for t in (*sentence, "</s>")]


@settings(deadline=None)
@given(texts.filter(str.strip), st.integers(1, 12))
def test_characters_agree_with_python(train, size):
    tokenizer = fit(train, kind="character", vocabulary_size=size)
    counts = Counter("".join(line for line in train.split("\n") if line.strip()))
    ranked = sorted(counts, key=lambda token: (-counts[token], token))[:size]
    assert tokenizer.vocabulary.tokens[2:] == tuple(ranked)
    assert tokenizer.vocabulary.counts[2:].tolist() == [counts[token] for token in ranked]


@settings(deadline=None)
@given(texts.filter(str.strip))
def test_words_agree_with_the_regular_expression(text):
    plain = text.replace("\u0301", "").replace("\u00a0", " ")  # Python's \w lacks marks
    if plain.strip():
        found = [re.findall(r"\w+|[^\w\s]+", line) for line in plain.split("\n") if line.strip()]
        expected = [token for line in found for token in (*line, "</s>")]
        assert tokens(fit(plain), plain) == expected


@settings(deadline=None)
@given(st.lists(st.text(alphabet="aeé 日,\t", min_size=1), min_size=1).map("\n".join))
def test_characters_survive_the_round_trip(text):
    tokenizer = fit("aeé 日,\t\n", kind="character", keep_blank_lines=True)
    assert tokenizer.decode(tokenizer.encode(text)) == text.removesuffix("\n") + "\n"


@settings(deadline=None)
@given(st.lists(st.sampled_from(["cat", "(", ")", ",", "'", "s", "--", '"', "I"]), max_size=12))
def test_decoded_words_are_the_words(sentence):
    tokenizer = fit("cat ( ) , ' s -- \" I\n")
    ids = tokenizer.vocabulary.encode(sentence)
    assert tokenizer.decode(ids).replace(" ", "") == "".join(sentence)


@pytest.mark.parametrize("kind", KINDS)
def test_many_lines_at_once_are_the_lines_one_by_one(kind):
    lines = [f"line {i} {'<unk> ' * (i % 3)}, café </s>\x85x" for i in range(500)]
    tokenizer = fit("\n".join(lines[:50]), kind=kind)
    together = tokenizer.encode_lines(lines)
    assert together.tolist() == [i for line in lines for i in tokenizer.encode_lines([line])]
    assert np.count_nonzero(together == END_ID) == 500


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lowercase", [False, True])
def test_json_round_trip(kind, lowercase):
    tokenizer = fit(TEXT, kind=kind, lowercase=lowercase, vocabulary_size=9)
    text = tokenizer.to_json()
    again = Tokenizer.from_json(text)
    assert again.to_json() == text
    assert again.parameters == tokenizer.parameters
    assert again.vocabulary.tokens == tokenizer.vocabulary.tokens
    assert again.vocabulary.counts.tolist() == tokenizer.vocabulary.counts.tolist()
    assert again.encode(TEXT).tolist() == tokenizer.encode(TEXT).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_the_stored_tokenizer_works_in_the_library_alone(kind):
    tokenizer = fit(TEXT, kind=kind, vocabulary_size=12)
    stored = json.dumps(json.loads(tokenizer.to_json())["tokenizer"])
    alone = huggingface.Tokenizer.from_str(stored)
    line = "The cat <unk> sat, unseen"
    assert alone.encode(line).ids == tokenizer.encode(line).tolist()
    assert alone.get_vocab_size() == len(tokenizer.vocabulary)


def damage(text, change):
    stored = json.loads(text)
    change(stored)
    return json.dumps(stored)


@pytest.mark.parametrize(
    "change",
    [
        lambda stored: stored.pop("counts"),
        lambda stored: stored["counts"].pop(),
        lambda stored: stored["counts"].append(2**70),
        lambda stored: stored["parameters"].update(kind="subword"),
        lambda stored: stored["tokenizer"]["model"]["vocab"].pop("</s>"),
        lambda stored: stored["tokenizer"]["model"]["vocab"].update(cat=700),
        lambda stored: stored["tokenizer"]["model"].pop("vocab"),
        lambda stored: stored.update(more=1),
    ],
)
def test_a_damaged_file_is_an_error(change):
    with pytest.raises(MemoryspanError, match="tokenizer file is damaged"):
        Tokenizer.from_json(damage(fit(TEXT).to_json(), change))


@pytest.mark.parametrize("text", ["", "{", "[]", "null"])
def test_what_is_no_tokenizer_is_an_error(text):
    with pytest.raises(MemoryspanError, match="tokenizer file is damaged"):
        Tokenizer.from_json(text)


def test_a_truncated_file_is_an_error():
    text = fit(TEXT).to_json()
    with pytest.raises(MemoryspanError, match="tokenizer file is damaged"):
        Tokenizer.from_json(text[: len(text) // 2])
