"""Find words in the bytes of a text: a hash table with open addressing, filled once."""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.arpa.parsing import Bytes
from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.trie import Ints

Offsets = NDArray[np.int64]
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
