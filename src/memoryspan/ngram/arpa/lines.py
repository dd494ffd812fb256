"""A text read in blocks of whole lines, and errors that name the line."""

from typing import BinaryIO

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.arpa.compression import DAMAGE
from memoryspan.ngram.text_checks import first_fault

BLOCK_BYTES = 1 << 20
LONGEST_LINE_BYTES = 1 << 26
EXCERPT = 60


class Lines:
    """A place in a text file: what is before it has been read.

    Attributes:
        name: of the file, for messages.
        block: bytes of whole lines, each with its ``\\n``.
        position: in the block.
        number: of the line that begins there, from 1.
        has_carriage_returns: whether a line read so far ends in ``\\r\\n``.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self.block = b""
        self.position = 0
        self.number = 1
        self.has_carriage_returns = False
        # what is decompressed before a damaged place is still wanted: it says which line that is
        self._read = getattr(file, "read1", file.read)
        self._rest = b""
        self._damage: Exception | None = None

    def refill(self) -> bool:
        """Replace a block that has been read; False at the end of the file.

        Raises:
            MemoryspanError: the file is damaged or cut off, or has no lines.
        """
        parts, size, lines, ended = [self._rest], len(self._rest), 0, False
        while not ended and (size < BLOCK_BYTES or not lines):
            chunk = self._next_chunk()
            parts.append(chunk)
            size += len(chunk)
            lines += chunk.count(b"\n")
            ended = not chunk
            if size > LONGEST_LINE_BYTES and not lines:
                raise self.error(f"longer than {LONGEST_LINE_BYTES} bytes; this is no ARPA file")
        text = b"".join(parts)
        end = text.rfind(b"\n") + 1
        if self._damage and end == 0:
            raise self.error(
                f"the file is damaged or cut off here ({self._damage}); copy or make it again"
            ) from self._damage
        if ended and not self._damage and end < len(text):  # the last line may lack its line end
            text += b"\n"
            end = len(text)
        self.block, self._rest = text[:end], text[end:]
        self.position = 0
        self.has_carriage_returns = self.has_carriage_returns or b"\r\n" in self.block
        return end > 0

    def _next_chunk(self) -> bytes:
        """Some bytes; none at the end of the file or of what is readable in it."""
        try:
            return bytes(self._read(BLOCK_BYTES))
        except DAMAGE as error:
            self._damage = error
            return b""

    def next_line(self) -> bytes | None:
        """The line here, without white space around it; None at the end of the file."""
        if self.position == len(self.block) and not self.refill():
            return None
        end = self.block.index(b"\n", self.position)
        line = self.block[self.position : end]
        self.move(end + 1, 1)
        return line.strip(b" \t\r")

    def move(self, position: int, lines: int) -> None:
        """Go on to a line of the block, that many lines further on."""
        self.position = position
        self.number += lines

    def anything_left(self) -> bool:
        """Whether there is more than white space to the end of the file, all of which is read."""
        left = bool(self.block[self.position :].strip())
        while self.refill():
            left = left or bool(self.block.strip())
        return left

    def check(self, end: int) -> None:
        """Make sure that the block from here to a position is text.

        Raises:
            MemoryspanError: there are bytes that are not UTF-8, or NUL bytes.
        """
        part = self.block[self.position : end]
        if fault := first_fault(part):
            place, problem = fault
            raise self.error(problem, self.number + part.count(b"\n", 0, place))

    def cut_off(self, problem: str) -> MemoryspanError:
        """The error of a file that ends too early, at its last line."""
        return self.error(
            f"the file ends here, {problem}; it is cut off or no ARPA file, copy or make it again",
            max(1, self.number - 1),
        )

    def error(self, problem: str, line: int | None = None) -> MemoryspanError:
        """The error at a line, the one that we are at if none is given."""
        return MemoryspanError(f"{self.name}, line {line or self.number}: {problem}.")


def excerpt(line: bytes) -> str:
    """The beginning of a line, for a message."""
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…")
