"""Find words in the bytes of a text: a hash table with open addressing.

``WordIndex`` is filled once; ``WordTable`` also learns words as it reads a text.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.trie import Ints
from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Numbers = TypeVar("Numbers", Bytes, Offsets)
LINE_FEED, SPACE, TAB, CARRIAGE_RETURN, LESS_THAN = 10, 32, 9, 13, 60
WORDS, POOL, LINES = range(3)  # what the state of a ``WordTable`` counts
FNV_BASIS, FNV_PRIME = -3750763034362895579, 1099511628211  # 64-bit FNV-1a


class WordPool:
    """Words one after the other in one array of bytes.

    Attributes:
        text: uint8, the words in UTF-8.
        offsets: int64 [W+1]; word i is ``text[offsets[i]:offsets[i + 1]]``.
    """

    def __init__(self, words: list[bytes]) -> None:
        self.text: Bytes = np.frombuffer(b"".join(words), np.uint8)
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        self.offsets: Offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])

    def __len__(self) -> int:
        return len(self.offsets) - 1


class WordIndex:
    """From the bytes of a word to its number.

    Attributes:
        duplicate: the first word that is the same as an earlier one, or −1.
    """

    def __init__(self, words: list[bytes]) -> None:
        self._pool = WordPool(words)
        self._slots = np.full(1 << (2 * len(words)).bit_length(), -1, np.int32)
        self.duplicate = fill_slots(self._pool.text, self._pool.offsets, self._slots)

    def numbers(self, text: Bytes, places: Ints) -> Ints:
        """Word numbers, −1 for words that are not in the index.

        Args:
            text: some text.
            places: where words begin and end in it, [L, n, 2].

        Returns:
            int32 [L, n].
        """
        numbers = np.empty(places.shape[:2], np.int32)
        look_up(text, places, self._pool.text, self._pool.offsets, self._slots, numbers)
        return numbers


class WordTable:
    """The words of a vocabulary in the order of their ids; it can learn more.

    Args:
        words: the first ones, all different, in UTF-8.
        learning: whether words that are not in it get the next ids; if not, they are ``<unk>``.
    """

    def __init__(self, words: list[bytes], *, learning: bool) -> None:
        pool = WordPool(words)
        self._learning = learning
        self._text: Bytes = pool.text.copy()
        self._offsets: Offsets = pool.offsets
        self._state = np.array([len(words), len(pool.text), 0], np.int64)
        self._slots = np.empty(0, np.int32)
        self._make_room(0)

    @property
    def lines(self) -> int:
        """How many lines have been read."""
        return int(self._state[LINES])

    def __len__(self) -> int:
        return int(self._state[WORDS])

    def words(self, begin: int = 0) -> list[str]:
        """The words from an id on.

        Raises:
            UnicodeDecodeError: a word is not UTF-8.
        """
        text, offsets = self._text.tobytes(), self._offsets[: len(self) + 1].tolist()
        bounds = zip(offsets[begin:-1], offsets[begin + 1 :], strict=True)
        return [text[first:last].decode("utf-8") for first, last in bounds]

    def read(self, text: bytes) -> tuple[Ints, int]:
        """The ids of the words of a text and ``</s>`` for each line feed.

        Args:
            text: no word goes on after its end.

        Returns:
            int32 ids, and the place of a word ``<s>`` or ``</s>`` that stopped the reading, or −1.
        """
        self._make_room(len(text) if self._learning else 0)
        ids = np.empty(len(text), np.int32)
        used, stopped = read_words(
            np.frombuffer(text, np.uint8),
            *(self._text, self._offsets, self._slots, self._state, self._learning, ids),
        )
        return ids[:used].copy(), stopped

    def _make_room(self, size: int) -> None:
        """Room for all words that a text of a size can bring."""
        words = len(self) + size // 2 + 1
        if (needed := int(self._state[POOL]) + size) > len(self._text):
            self._text = _enlarged(self._text, needed)
        if words >= len(self._offsets):
            self._offsets = _enlarged(self._offsets, words + 1)
        if 2 * words > len(self._slots):
            self._slots = np.full(1 << (2 * words).bit_length(), -1, np.int32)
            fill_slots(self._text, self._offsets[: len(self) + 1], self._slots)


def _enlarged(numbers: Numbers, size: int) -> Numbers:
    """The same numbers with room for at least twice as many, so that few copies are made."""
    larger = np.empty(max(size, 2 * len(numbers)), numbers.dtype)
    larger[: len(numbers)] = numbers
    return larger


@compiled
def find_slot(text: Bytes, begin: int, end: int, pool: Bytes, offsets: Offsets, slots: Ints) -> int:
    """The slot of the word ``text[begin:end]``, or the empty one where it belongs."""
    hashed = np.int64(FNV_BASIS)
    for p in range(begin, end):
        hashed = (hashed ^ np.int64(text[p])) * np.int64(FNV_PRIME)
    last = len(slots) - 1
    slot = (hashed ^ (hashed >> 32)) & last
    while slots[slot] >= 0:
        first = offsets[slots[slot]]
        if offsets[slots[slot] + 1] - first == end - begin:
            p = 0
            while p < end - begin and pool[first + p] == text[begin + p]:
                p += 1
            if p == end - begin:
                return int(slot)
        slot = (slot + 1) & last
    return int(slot)


@compiled
def fill_slots(pool: Bytes, offsets: Offsets, slots: Ints) -> int:
    """Enter all words of a pool; stops at one that is there already and returns it, else −1."""
    for word in range(len(offsets) - 1):
        slot = find_slot(pool, offsets[word], offsets[word + 1], pool, offsets, slots)
        if slots[slot] >= 0:
            return word
        slots[slot] = word
    return -1


@compiled
def look_up(
    text: Bytes, places: Ints, pool: Bytes, offsets: Offsets, slots: Ints, numbers: Ints
) -> None:
    """See ``WordIndex.numbers``."""
    for i in range(places.shape[0]):
        for k in range(places.shape[1]):
            slot = find_slot(text, places[i, k, 0], places[i, k, 1], pool, offsets, slots)
            numbers[i, k] = slots[slot]


@compiled
def is_space(character: int) -> bool:
    """White space as in lmplz, whose NUL is no text here: tab, line feed, carriage return, space.

    Unicode's spaces, vertical tabs and form feeds are parts of words.
    """
    return character in (SPACE, TAB, LINE_FEED, CARRIAGE_RETURN)


@compiled
def is_sentence_boundary(text: Bytes, begin: int, end: int) -> bool:
    """Whether a word is ``<s>`` or ``</s>``."""
    if text[begin] != LESS_THAN or text[end - 1] != LESS_THAN + 2 or text[end - 2] != ord("s"):
        return False
    return end - begin == 3 or (end - begin == 4 and text[begin + 1] == ord("/"))


@compiled
def read_words(
    text: Bytes,
    pool: Bytes,
    offsets: Offsets,
    slots: Ints,
    state: Offsets,
    learning: bool,
    ids: Ints,
) -> tuple[int, int]:
    """See ``WordTable.read``; returns how many ids there are, and where it stopped or −1."""
    p, used = 0, 0
    while p < len(text):
        if is_space(text[p]):
            if text[p] == LINE_FEED:
                ids[used] = END_ID
                used += 1
                state[LINES] += 1
            p += 1
            continue
        begin = p
        while p < len(text) and not is_space(text[p]):
            p += 1
        if is_sentence_boundary(text, begin, p):
            return used, begin
        slot = find_slot(text, begin, p, pool, offsets, slots)
        word = slots[slot]
        if word < 0 and learning:
            word = state[WORDS]
            slots[slot] = word
            pool[state[POOL] : state[POOL] + p - begin] = text[begin:p]
            state[POOL] += p - begin
            state[WORDS] += 1
            offsets[state[WORDS]] = state[POOL]
        ids[used] = word if word >= 0 else UNKNOWN_ID
        used += 1
    return used, -1
