import re

import pytest

from memoryspan.text.detokenization import join_words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Don't go, he said; I'll stay (for now)!",
        "O, you are novices! 'tis a world to see.",
        "To buy apparel 'gainst the wedding-day: o'er hill",
        'He said, "I saw it," and "so did I."',
        "And sing thy brother's song--again?",
        "此开卷第一回也。作者自云：因曾历过",
    ],
)
def test_what_an_english_or_chinese_typesetter_sets_comes_back(text):
    assert join_words(re.findall(r"[一-鿿]|\w+|[^\w\s]+", text)) == text


def test_pretokenised_text_is_readable():
    line = "It is n't the dog 's ( old ) bone , is it ?"
    assert join_words(line.split()) == "It isn't the dog's (old) bone, is it?"
