r"""What stands before the n-grams: a preamble, ``\data\``, and how many there are per order."""

import re

from memoryspan.ngram.arpa.assembly import MAXIMUM_NODES
from memoryspan.ngram.arpa.lines import Lines, excerpt
from memoryspan.ngram.arpa.notes import Notes
from memoryspan.ngram.parameters import MAXIMUM_ORDER

DATA = b"\\data\\"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
INTERPOLATED = b"iARPA"  # IRSTLM's own format: it looks the same and means another model
COUNT_LINE = re.compile(rb"ngram[ \t]+(\d{1,9})[ \t]*=[ \t]*(-?\d{1,30})")


def read_header(lines: Lines, notes: Notes) -> tuple[list[int], bytes]:
    r"""The declared number of n-grams of orders 1…N, and the line that ends the header.

    Raises:
        MemoryspanError: there is no ``\data\`` line, or the counts after it are not those of
            orders 1, 2, ….
    """
    skip_preamble(lines, notes)
    counts: list[int] = []
    while (line := lines.next_line()) is not None and not line.startswith(b"\\"):
        if line:
            counts.append(declared_count(lines, line, order=len(counts) + 1))
    if line is None:
        raise lines.cut_off("before any n-grams")
    if not counts:
        raise lines.error(f"expected 'ngram 1=…', not {excerpt(line)}", lines.number - 1)
    return counts, line


def skip_preamble(lines: Lines, notes: Notes) -> None:
    r"""Read up to the ``\data\`` line."""
    skipped = 0
    while (line := lines.next_line()) is not None:
        if lines.number == 2 and line.startswith(BYTE_ORDER_MARK):
            line = line.removeprefix(BYTE_ORDER_MARK)
            notes.add("a byte-order mark at the beginning")
        if line == DATA:
            break
        if b"\0" in line or line == INTERPOLATED:
            raise lines.error(
                "this is a binary model, UTF-16 or an iARPA file; write it as an ARPA file in "
                "UTF-8 with the tool that made it",
                lines.number - 1,
            )
        skipped += bool(line)
    if line is None:
        raise lines.cut_off("without a line \\data\\")
    notes.count("lines of other text before \\data\\", skipped)


def declared_count(lines: Lines, line: bytes, order: int) -> int:
    """The count in a line ``ngram order=count``."""
    number = lines.number - 1
    match = COUNT_LINE.fullmatch(line)
    if match is None:
        raise lines.error(f"expected 'ngram {order}=…', not {excerpt(line)}", number)
    if int(match[1]) != order:
        raise lines.error(
            f"expected the number of {order}-grams, not of {int(match[1])}-grams", number
        )
    if order > MAXIMUM_ORDER:
        raise lines.error(f"only models up to order {MAXIMUM_ORDER} can be read", number)
    count = int(match[2])
    if not (order == 1) <= count <= MAXIMUM_NODES:
        raise lines.error(f"a model cannot have {count} {order}-grams", number)
    return count
