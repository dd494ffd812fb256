"""Names that the tokens of any vocabulary have in an ARPA file, where words hold no white space."""

import numpy as np

from memoryspan.ngram.arpa.unigrams import START
from memoryspan.text.vocabulary import Vocabulary

VISIBLE = {" ": "\u2581"} | {control: chr(0x2400 + ord(control)) for control in "\t\n\r\0"}
VISIBLE_START = "\u2039s\u203a"
FREE_MARK = "\u2581"


def sayable(vocabulary: Vocabulary) -> Vocabulary:
    """The same ids, with tokens that an ARPA file can hold.

    A space becomes ``▁`` (as in SentencePiece), other white space its control picture (``␊``),
    ``<s>`` becomes ``‹s›``, the empty token ``▁``; where that is a token already, ``▁`` is added.
    """
    changes = str.maketrans(VISIBLE)
    taken = set(vocabulary.tokens)
    tokens = []
    for token in vocabulary.tokens:
        name = VISIBLE_START if token == START else token.translate(changes) or FREE_MARK
        while name != token and name in taken:
            name += FREE_MARK
        taken.add(name)
        tokens.append(name)
    return Vocabulary(tuple(tokens), np.asarray(vocabulary.counts))
