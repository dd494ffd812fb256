"""Read raw text, from files or from sentences in memory, into word ids.

White space separates words as in lmplz (tab, line feed, carriage return, space) and every line is
a sentence, an empty one too. Nothing else happens to the text: no lower case, no normal form.
"""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.argument_checks import ALWAYS_KNOWN
from memoryspan.ngram.arpa.compression import DAMAGE, decompressed
from memoryspan.ngram.file_beginnings import check_beginning
from memoryspan.ngram.stream_names import stream_name
from memoryspan.ngram.text_checks import first_fault
from memoryspan.ngram.trie import Ints
from memoryspan.ngram.words import WordTable

Sentences = Iterable[str | list[str]]
Text = Path | io.BufferedIOBase | Sentences
Progress = Callable[[int], object]
"""Is told how many bytes of text were read since the last time."""

BLOCK_BYTES = 1 << 18
SENTENCES_PER_BLOCK = 10_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NO_SENTENCES = (str, bytes, bytearray, memoryview, Mapping)
WHITE_SPACE = (b" ", b"\t", b"\n", b"\r")
WORD = re.compile(rb"[^ \t\n\r]+")
SENTENCE_BOUND = re.compile(rb"(?<![^ \t\n\r])</?s>(?=[ \t\n\r])")


def read_text(source: Text, table: WordTable, progress: Progress | None = None) -> Ints:
    """The ids of a text, ``</s>`` after every line or sentence, int32 [N].

    Args:
        source: a file (decompressed if its name ends in ``.gz``, ``.bz2`` or ``.xz``), a stream
            of bytes, or sentences: strings, which white space splits, or lists of words.
        table: gives the ids, and learns new words if it is made to.
        progress: is told how far it is.

    Raises:
        MemoryspanError: the text cannot be read, is empty, is not UTF-8, or has NUL bytes or a
            word ``<s>`` or ``</s>`` in it; the message names the line.
    """
    before = table.lines
    parts = []
    with _opened(source) as (name, blocks):
        for block in blocks:
            ids, stopped = table.read(block)
            if stopped >= 0 or not block.isascii() or b"\0" in block:
                _check(block, stopped, name, table.lines - before)
            parts.append(ids)
            if progress:
                progress(len(block))
    if not parts:
        raise _is_empty(name)
    return np.concatenate(parts)


def check_text(path: Path) -> None:
    """Find what ``read_text`` would refuse in a file, quickly: no word is looked up.

    Raises:
        MemoryspanError: see ``read_text``.
    """
    lines, empty = 0, True
    with _opened(path) as (name, blocks):
        for block in blocks:
            bound = SENTENCE_BOUND.search(block) if b"s>" in block else None
            end = bound.start() if bound else len(block)
            _check(block, end if bound else -1, name, lines + block.count(b"\n", 0, end))
            lines, empty = lines + block.count(b"\n"), False
    if empty:
        raise _is_empty(str(path))


def read_word_list(source: Path | io.BufferedIOBase) -> list[str]:
    """The words of a vocabulary file, each once, in their order.

    White space separates them. ``<unk>``, ``<s>`` and ``</s>``, which other tools list, too, are
    in every vocabulary and left out.

    Raises:
        MemoryspanError: it cannot be read, has no words, is not UTF-8 or has NUL bytes in it.
    """
    words: dict[bytes, None] = {}
    lines = 0
    with _opened(source) as (name, blocks):
        for block in blocks:
            lines += block.count(b"\n")
            _check(block, -1, name, lines)
            words.update(dict.fromkeys(WORD.findall(block)))
    listed = [word.decode() for word in words]
    if not (known := [word for word in listed if word not in ALWAYS_KNOWN]):
        raise MemoryspanError(f"{name} has no words; list those that the model shall know.")
    return known


def _is_empty(name: str) -> MemoryspanError:
    return MemoryspanError(f"{name} is empty; give a text with at least one line.")


def _check(block: bytes, stopped: int, name: str, lines_read: int) -> None:
    """Name what is wrong with a block, if anything is.

    Args:
        block: whole words.
        stopped: the place of a word that no text may have, or −1.
        name: of the text.
        lines_read: line feeds before the place where reading stopped, or in all.
    """
    end = stopped if stopped >= 0 else len(block)
    first_line = lines_read - block.count(b"\n", 0, end) + 1
    fault = first_fault(block)
    if stopped >= 0 and (fault is None or stopped < fault[0]):
        word = block[stopped:].split(maxsplit=1)[0].decode()
        fault = (stopped, f"the word {word}, which means a sentence bound; line ends say that here")
    if fault:
        place, problem = fault
        line = first_line + block.count(b"\n", 0, place)
        raise MemoryspanError(f"{name}, line {line}: {problem}.")


@contextmanager
def _opened(source: Text) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Name and blocks of a text; each block ends with white space, the last with a line feed."""
    if isinstance(source, Path):
        try:
            with source.open("rb") as file, decompressed(file, source.suffix) as stream:
                check_beginning(file, str(source), source.suffix)
                yield str(source), whole_words(stream)
        except DAMAGE as error:
            raise MemoryspanError(
                f"Cannot read {source}: {getattr(error, 'strerror', None) or error}. "
                "Check the name of the text file and that it is whole."
            ) from error
    elif isinstance(source, io.BufferedIOBase):
        try:
            check_beginning(source, stream_name(source))
            yield stream_name(source), whole_words(source)
        except OSError as error:
            raise MemoryspanError(
                f"Cannot read {stream_name(source)}: {error.strerror or error}."
            ) from error
    elif hasattr(source, "read"):
        raise MemoryspanError(
            "A text that is a stream gives bytes and has a buffer; "
            'open the file with open("corpus.txt", "rb"), or give Path("corpus.txt").'
        )
    elif isinstance(source, NO_SENTENCES) or not isinstance(source, Iterable):
        raise MemoryspanError(
            f"A text is a pathlib.Path or a list of sentences, not {type(source).__name__}. "
            'Write Path("corpus.txt") for a file, ["one sentence", "another"] for sentences.'
        )
    else:
        yield "the list of sentences", joined(source)


def whole_words(stream: io.BufferedIOBase | BinaryIO) -> Iterator[bytes]:
    """Blocks of a stream that end with white space, without a byte order mark before the first.

    A last line without a line feed gets one.
    """
    carried = bytearray()
    last = b""
    beginning = True
    # a word longer than a block is not searched again and again: what is read grows with it
    while block := stream.read(max(BLOCK_BYTES, len(carried))):
        if beginning:
            block, beginning = block.removeprefix(BYTE_ORDER_MARK), False
        cut = 1 + max(block.rfind(space) for space in WHITE_SPACE)
        carried += block[:cut] if cut else block
        if cut:
            last = bytes(carried)
            yield last
            carried = bytearray(block[cut:])
    if carried or last[-1:] not in (b"", b"\n"):
        yield bytes(carried) + b"\n"


def joined(sentences: Sentences) -> Iterator[bytes]:
    """Blocks of sentences, one per line.

    Raises:
        MemoryspanError: a sentence has a line break or is no text, or a word in a list is empty
            or has white space in it.
    """
    numbered = enumerate(sentences, start=1)
    while block := list(islice(numbered, SENTENCES_PER_BLOCK)):
        yield b"".join(_encoded(number, sentence) + b"\n" for number, sentence in block)


def _encoded(number: int, sentence: str | list[str]) -> bytes:
    """One sentence in UTF-8; see ``joined``."""
    try:
        if isinstance(sentence, str):
            text = sentence.encode()
            if b"\n" not in text:
                return text
            problem = "has a line break in it; split it there"
        else:
            words = [word.encode() for word in sentence]
            text = b" ".join(words)
            if text.split() == words:
                return text
            problem = "has a word that is empty or has white space in it; replace it, e.g. by _"
    except (AttributeError, TypeError, UnicodeEncodeError):
        problem = (
            f"is {_kind(sentence)}; a sentence is a string or a list of strings that can be UTF-8"
        )
    raise MemoryspanError(f"Sentence {number} {problem}.")


def _kind(sentence: object) -> str:
    """What is no sentence, for a message."""
    if isinstance(sentence, list | tuple):
        strange = (word for word in sentence if not isinstance(word, str))
        return f"a list with {type(next(strange, '')).__name__} in it"
    return type(sentence).__name__
