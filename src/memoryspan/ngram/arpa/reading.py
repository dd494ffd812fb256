"""Read a back-off model from an ARPA file, strictly, but as the tools that exist write it."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.arpa.compression import decompressed
from memoryspan.ngram.arpa.header import read_header
from memoryspan.ngram.arpa.lines import Lines
from memoryspan.ngram.arpa.notes import Notes
from memoryspan.ngram.arpa.orders import OrderReader
from memoryspan.ngram.arpa.sections import END, expect_keyword
from memoryspan.ngram.arpa.unigrams import read_unigrams
from memoryspan.ngram.file_beginnings import check_beginning
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.stream_names import stream_name
from memoryspan.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class ArpaModel:
    """What an ARPA file says.

    Attributes:
        model: the back-off model. Its rows sum to one only as far as the file's do.
        vocabulary: ``<unk>``, ``</s>``, then the other words in the order of the file. Its
            counts are zero: an ARPA file does not say them.
        notes: what was odd in the file and how it was understood, one line each.
    """

    model: NgramModel
    vocabulary: Vocabulary
    notes: tuple[str, ...] = ()


def read_arpa(source: Path | str | BinaryIO, *, strict: bool = True) -> ArpaModel:
    r"""Read an ARPA file, compressed if its name ends in ``.gz``, ``.bz2`` or ``.xz``.

    Accepted, with a note where it is not the rule: text before ``\data\`` and after ``\end\``,
    CRLF, spaces for tabs, blank lines, any sequence of the n-grams of an order, missing suffixes
    of n-grams, missing back-off weights (1), useless ones, ``<UNK>`` for ``<unk>``, missing
    ``<s>``, ``</s>`` or ``<unk>`` (probability zero), n-grams that no sentence can contain.
    A log10 probability or back-off weight of exactly −99 means zero, as in SRILM.

    Args:
        source: a file, or a stream of uncompressed bytes.
        strict: whether an n-gram without its prefix is an error, as in KenLM; if not, it is left
            out with a note, as SRILM and Kaldi do.

    Raises:
        MemoryspanError: the file cannot be read or is not a whole, consistent ARPA file; the
            message names the line.
    """
    notes = Notes()
    with _opened(source) as lines:
        counts, line = read_header(lines, notes)
        expect_keyword(lines, line, rb"\1-grams:")
        unigrams = read_unigrams(lines, counts[0], notes)
        reader = OrderReader(lines, unigrams, notes, strict, len(counts))
        for n, count in enumerate(counts[1:], start=2):
            expect_keyword(lines, lines.next_line(), rb"\%d-grams:" % n)
            reader.read(n, count)
        expect_keyword(lines, lines.next_line(), END)
        if lines.anything_left():
            notes.add(r"text after \end\ is ignored")
        if lines.has_carriage_returns:
            notes.add("CRLF line ends")
    return ArpaModel(reader.model(), unigrams.vocabulary, notes.lines())


@contextmanager
def _opened(source: Path | str | BinaryIO) -> Iterator[Lines]:
    """The lines of a file, decompressed."""
    if not isinstance(source, Path | str):
        _check_stream(source)
        name = stream_name(source, "the ARPA text")
        try:
            check_beginning(source, name)
        except OSError as error:
            raise MemoryspanError(f"Cannot read {name}: {error.strerror or error}.") from error
        yield Lines(source, name)
        return
    if not str(source):
        raise MemoryspanError("The name of the ARPA file is empty; give its name.")
    path = Path(source)
    try:
        file = path.open("rb")
    except OSError as error:
        raise MemoryspanError(
            f"Cannot read {path}: {error.strerror or error}. Check the name of the ARPA file."
        ) from error
    with file, decompressed(file, path.suffix) as text:
        check_beginning(file, str(path), path.suffix)
        yield Lines(text, str(path))


def _check_stream(source: object) -> None:
    """Whether it is something to read bytes from."""
    if not hasattr(source, "read") or isinstance(source, io.TextIOBase):
        raise MemoryspanError(
            "An ARPA file is a name, a pathlib.Path or a stream of bytes, not "
            f'{type(source).__name__}. Write "model.arpa", or open("model.arpa", "rb").'
        )
