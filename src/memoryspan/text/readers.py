"""From the bytes of one file to its text: strict decoding, line ends, Markdown marks.

A line ends with ``\\n`` and nothing else: form feeds and Unicode's line separators stay
characters, so that line counts agree with ``wc -l``.
"""

import re
from collections.abc import Callable, Mapping

from memoryspan.errors import MemoryspanError
from memoryspan.text.parameters import ReaderName

_BOM = "\ufeff"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HEADING = re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)
_ESCAPE_OR_MARK = re.compile(r"\\([!-/:-@\[-`{-~])|[*_]+")
_TRAILING_SPACE = re.compile(r"[ \t]+$", re.MULTILINE)


def split_lines(text: str) -> list[str]:
    """Lines of a text without their line ends; a last line may lack its own."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def decode(data: bytes, origin: str, encoding: str) -> str:
    """Text of a file, line ends normalised to ``\\n``, without a byte order mark.

    Args:
        data: the bytes of the file.
        origin: what the user calls the file, for messages.
        encoding: a text encoding; bytes that are not valid in it are an error, never replaced.

    Raises:
        MemoryspanError: bytes that are not valid in the encoding, or NUL characters.
    """
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise MemoryspanError(_undecodable(data, origin, encoding, error.start)) from error
    if "\0" in text:
        raise MemoryspanError(
            f"{origin} holds NUL characters (the first in line {_line_of(text)}), so it is not a "
            f"text in {encoding}. Convert it to plain text, or give its corpus.encoding."
        )
    return text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n")


def _line_of(text: str) -> int:
    return text.count("\n", 0, text.index("\0")) + 1


def _undecodable(data: bytes, origin: str, encoding: str, offset: int) -> str:
    line = data.count(b"\n", 0, offset) + 1
    utf16 = data.startswith(_UTF16_MARKS)
    if b"\0" in data and not utf16:
        return f"{origin} is not a text file (it holds NUL bytes). Convert it to plain text."
    guess = "utf-16" if utf16 else "latin-1"
    return (
        f"{origin} is not valid {encoding}: byte 0x{data[offset]:02x} at offset {offset} "
        f"(line {line}). Give its encoding, e.g. --params corpus.encoding={guess}, "
        "or convert the file to UTF-8."
    )


def strip_markdown(text: str) -> str:
    """A play in Markdown without its marks: headings, speakers, directions and verse as lines.

    Removed are ``#`` before headings, ``*`` and ``_`` around speakers and directions, the
    backslash of escapes, and trailing spaces. Blank lines stay.
    """
    text = _HEADING.sub("", text)
    text = _ESCAPE_OR_MARK.sub(r"\1", text)
    return _TRAILING_SPACE.sub("", text)


def _as_it_is(text: str) -> str:
    return text


READERS: Mapping[ReaderName, Callable[[str], str]] = {
    "plain": _as_it_is,
    "markdown_play": strip_markdown,
}
