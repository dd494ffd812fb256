"""Readable text from words and punctuation: where a typesetter would set a space.

A word-level vocabulary has no white space, so this is a guess for human eyes. It knows English
punctuation and contractions and writes Chinese and Japanese without spaces.
"""

import unicodedata
from collections.abc import Iterator, Sequence

_CLOSING = frozenset(",.;:!?)]}'’”»%…")
_OPENING = frozenset("([{“‘«¿¡$£€")
_DASHES = frozenset("-–—")
# don't, it's, I'd, I'm, he'll, we're, I've; Shakespeare's o'er, ta'en, let'st
_AFTER_APOSTROPHE = frozenset({"t", "s", "d", "m", "ll", "re", "ve", "er", "en", "st", "n"})
# 'tis, 'gainst
_ELIDED = frozenset({"tis", "twas", "twere", "twill", "twixt", "gainst", "em"})


def join_words(tokens: Sequence[str]) -> str:
    """One line of text from its tokens."""
    return "".join(_with_spaces(tokens))


def _with_spaces(tokens: Sequence[str]) -> Iterator[str]:
    left = ""
    left_opens = True  # nothing stands before the first token
    quoted = False
    for token, right in zip(tokens, (*tokens[1:], ""), strict=False):
        if token.count('"') % 2:
            quoted = not quoted
        opens = token[-1] in _OPENING or (token[-1] == '"' and quoted)
        if token == "'":
            # Punctuation that touches is one token: a lone ' after punctuation begins a word.
            opens = not left or not left[-1].isalnum() or right.lower() in _ELIDED
        if not left_opens and not _touches(left, token, opens):
            yield " "
        yield token
        left, left_opens = token, opens


def _touches(left: str, right: str, right_opens: bool) -> bool:
    """Whether no space stands between two neighbours, of which the left one opens nothing."""
    if left[-1] in _DASHES or right[0] in _DASHES or _wide(left[-1]) or _wide(right[0]):
        return True
    if left[-1] in "'’" and right.lower() in _AFTER_APOSTROPHE:
        return True
    closes = right[0] in _CLOSING or right in {"n't", '"'}
    return closes and not right_opens


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
