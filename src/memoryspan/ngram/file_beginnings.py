"""The first bytes of a file say what it is, if it is no text."""

import re

from memoryspan.errors import MemoryspanError

LONGEST = 10
BEGINNINGS = {
    "gzip-compressed": rb"\x1f\x8b",
    "bzip2-compressed": rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
    "xz-compressed": rb"\xfd7zXZ\x00",
    "zstd-compressed": rb"\x28\xb5\x2f\xfd",
    "a zip archive": rb"PK\x03\x04",
    "UTF-16": rb"\xff\xfe|\xfe\xff",
}
BY_SUFFIX = {".gz": "gzip-compressed", ".bz2": "bzip2-compressed", ".xz": "xz-compressed"}
ADVICE = {
    "UTF-16": "convert it with iconv -f utf-16 -t utf-8",
    "a zip archive": "unpack it first",
    "zstd-compressed": "decompress it first",
}


def check_beginning(stream: object, name: str, suffix: str = "") -> None:
    """Make sure that a file is compressed as its name says, and not otherwise.

    Args:
        stream: the file as it is on disk; one that cannot be looked into is taken as it is.
        name: for the message.
        suffix: of the file's name.

    Raises:
        MemoryspanError: it is something else; the message says what.
    """
    peek = getattr(stream, "peek", None)
    beginning = bytes(peek(LONGEST)) if peek else b""
    found = next((kind for kind, sign in BEGINNINGS.items() if re.match(sign, beginning)), None)
    expected = BY_SUFFIX.get(suffix.lower())
    if not beginning or found == expected:
        return
    if found:
        fitting = next((suffix for suffix, kind in BY_SUFFIX.items() if kind == found), "")
        advice = ADVICE.get(found, f"decompress it, or name it with {fitting} at the end")
        raise MemoryspanError(f"{name} is {found}; {advice}.")
    raise MemoryspanError(
        f"{name} is not {expected}, as its name says; it is damaged or needs another name."
    )
