"""Compressed files by their suffix: ``.gz``, ``.bz2``, ``.xz``; anything else is plain text."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, BinaryIO

# What the decompressors raise for a file that is damaged or cut off.
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)

Streams = dict[str, Callable[[BinaryIO], AbstractContextManager[Any]]]
READERS: Streams = {
    ".gz": partial(gzip.GzipFile, "", "rb", 0),
    ".bz2": partial(bz2.BZ2File, mode="rb"),
    ".xz": partial(lzma.LZMAFile, mode="rb"),
}
WRITERS: Streams = {
    # level 6 as the gzip program (9, Python's default, takes twice the time for 1 % less)
    ".gz": partial(gzip.GzipFile, "", "wb", 6, mtime=0),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
}


def decompressed(file: BinaryIO, suffix: str) -> AbstractContextManager[BinaryIO]:
    """A stream to read text from; it raises one of ``DAMAGE`` where the file is not whole."""
    return READERS.get(suffix.lower(), nullcontext)(file)


def compressed(file: BinaryIO, suffix: str) -> AbstractContextManager[BinaryIO]:
    """A stream to write text to. When it closes, its end is written and ``file`` stays open.

    The same text gives the same bytes: no name and no time is stored.
    """
    return WRITERS.get(suffix.lower(), nullcontext)(file)
