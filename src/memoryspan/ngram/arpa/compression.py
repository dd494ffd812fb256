"""Compressed files by their suffix: ``.gz``, ``.bz2``, ``.xz``; anything else is plain text."""

import bz2
import gzip
import lzma
import zlib
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO, cast

# What the decompressors raise for a file that is damaged or cut off.
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)
GZIP_LEVEL = 6  # as the gzip program; Python's own default takes thrice the time for 1 % less


def compressed(file: BinaryIO, suffix: str) -> AbstractContextManager[BinaryIO]:
    """A stream to write text to; its end, not that of ``file``, is written when it closes.

    The same text gives the same bytes: no name and no time is stored.
    """
    match suffix.lower():
        case ".gz":
            stream: object = gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0)
        case ".bz2":
            stream = bz2.BZ2File(file, "wb")
        case ".xz":
            stream = lzma.LZMAFile(file, "wb")
        case _:
            return nullcontext(file)
    return cast("AbstractContextManager[BinaryIO]", stream)


def decompressed(file: BinaryIO, suffix: str) -> AbstractContextManager[BinaryIO]:
    """A stream to read text from; it raises one of ``DAMAGE`` where the file is not whole."""
    match suffix.lower():
        case ".gz":
            stream: object = gzip.GzipFile("", "rb", fileobj=file)
        case ".bz2":
            stream = bz2.BZ2File(file)
        case ".xz":
            stream = lzma.LZMAFile(file)
        case _:
            return nullcontext(file)
    return cast("AbstractContextManager[BinaryIO]", stream)
