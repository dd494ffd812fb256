r"""The n-gram lines of one order, from ``\n-grams:`` to the next line with a backslash."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.arpa import parsing
from memoryspan.ngram.arpa.lines import Lines, excerpt
from memoryspan.ngram.arpa.notes import Notes
from memoryspan.ngram.arpa.parsing import parse_ngrams
from memoryspan.ngram.trie import Ints
from memoryspan.ngram.words import Bytes

END = b"\\end\\"


@dataclass(frozen=True)
class NgramLines:
    """L n-grams as they stand in a block of text.

    Attributes:
        text: uint8, the block.
        places: int32 [L, n, 2], where each word begins and ends in it.
        log10_prob: float64 [L].
        log10_backoff: float64 [L], NaN where there is none.
        line: int64 [L], line numbers.
    """

    text: Bytes
    places: Ints
    log10_prob: NDArray[np.float64]
    log10_backoff: NDArray[np.float64]
    line: NDArray[np.int64]

    def count_spaced(self) -> int:
        """How many lines have a space where a tab should be."""
        before = self.text[self.places[:, 0, 0] - 1] != parsing.TAB
        after = self.text[self.places[:, -1, 1]] != parsing.TAB
        return int(np.count_nonzero(before | (after & ~np.isnan(self.log10_backoff))))


def expect_keyword(lines: Lines, line: bytes | None, keyword: bytes) -> None:
    r"""Check the line just read, which is to be ``\n-grams:`` or ``\end\``.

    Raises:
        MemoryspanError: it is another one, or the file ended.
    """
    if line is None:
        raise lines.cut_off(f"where {keyword.decode()} should be")
    if line != keyword:
        raise lines.error(f"expected {keyword.decode()}, not {excerpt(line)}", lines.number - 1)


def ngram_lines(lines: Lines, order: int, declared: int, notes: Notes) -> Iterator[NgramLines]:
    """Parse until a line begins with a backslash; ``lines`` is then at that line.

    Raises:
        MemoryspanError: a line is not one of that order, there are more or fewer than declared,
            or the file ends.
    """
    seen = first = last = 0
    status = parsing.BLOCK_READ
    while status == parsing.BLOCK_READ:
        if lines.position == len(lines.block) and not lines.refill():
            raise lines.cut_off(f"after {seen} of {declared} {order}-grams")
        room = (len(lines.block) - lines.position) // (2 * order + 2) + 1
        probs, backoffs = np.empty(room), np.empty(room)
        places, line = np.empty((room, order, 2), np.int32), np.empty(room, np.int64)
        text = np.frombuffer(lines.block, np.uint8)
        status, stop, passed, count = parse_ngrams(
            text, lines.position, order, declared - seen, probs, backoffs, places, line
        )
        lines.check(stop)
        part = NgramLines(
            text, places[:count], probs[:count], backoffs[:count], lines.number + line[:count]
        )
        notes.count("lines with spaces for tabs", part.count_spaced())
        if count:
            first, last = first or int(part.line[0]), int(part.line[-1])
        seen += count
        yield part
        lines.move(stop, passed)
    notes.count("blank lines between n-grams", last - first + 1 - seen if seen else 0)
    if status != parsing.KEYWORD:
        raise _malformed(lines, status, order, declared)
    if seen < declared:
        raise lines.error(
            f"only {seen} {order}-grams came before, but {declared} are declared after \\data\\"
        )


def _malformed(lines: Lines, status: int, order: int, declared: int) -> MemoryspanError:
    """What is wrong with the line at which parsing stopped."""
    end = lines.block.index(b"\n", lines.position)
    lines.check(end)
    line = lines.block[lines.position : end]
    fields = line.split()
    match status:
        case parsing.TOO_MANY:
            problem = f"more than the {declared} {order}-grams declared after \\data\\"
        case parsing.POSITIVE:
            problem = f"the log10 probability {excerpt(fields[0])} is positive, which cannot be"
        case parsing.PROBABILITY:
            problem = f"{excerpt(fields[0])} is no finite log10 probability (zero is -99)"
        case parsing.BACKOFF:
            problem = (
                f"{excerpt(fields[-1])} is no log10 back-off weight, and nothing else can "
                f"follow the {order} words"
            )
        case _:
            problem = f"expected a number, {order} words and perhaps a number, not {excerpt(line)}"
    return lines.error(problem)
