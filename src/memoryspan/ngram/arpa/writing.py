"""Write a back-off model as an ARPA file."""

import io
from pathlib import Path
from typing import BinaryIO

import numpy as np

from memoryspan.atomic import atomically_written
from memoryspan.errors import MemoryspanError
from memoryspan.ngram.arpa.compression import compressed
from memoryspan.ngram.arpa.formatting import LARGEST_NUMBER, format_ngrams
from memoryspan.ngram.arpa.unigrams import START
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.stream_names import stream_name
from memoryspan.ngram.words import WordPool
from memoryspan.text.vocabulary import Vocabulary

SEPARATORS = frozenset(" \t\n\r\0")  # what ends a word for the tools that read ARPA files
NOT_OFFERED = frozenset({".zst", ".lz4", ".lzma", ".zip", ".7z", ".z", ".br"})
BUFFER_BYTES = 1 << 20
ROUNDING = 1e-6  # nats above a probability of one


def write_arpa(model: NgramModel, vocabulary: Vocabulary, target: Path | str | BinaryIO) -> None:
    """Write a model of any order, compressed if the name ends in ``.gz``, ``.bz2`` or ``.xz``.

    Numbers have seven digits after the point: a score from the file differs by less than 1e-6 in
    log10 (at most N numbers of an N-gram model, each off by up to 5e-8). ``<s>``, which is never
    predicted, has −99, and so has everything of probability zero. KenLM cannot load a model of
    order 1, and one of order 7 or more only if it was compiled for that.

    Args:
        model: a model that backs off.
        vocabulary: the texts of its ids.
        target: a file, which is replaced when the new one is complete, or a stream.

    Raises:
        MemoryspanError: the model does not back off; the vocabulary is another one or has a
            word that cannot stand in such a file; or the file cannot be written.
        BrokenPipeError: nobody reads the stream any more.
    """
    check_target(target)
    _check_model(model, vocabulary)
    pool = WordPool([*map(_encoded, vocabulary.tokens), START.encode()])
    if isinstance(target, Path | str):
        path = Path(target)
        with atomically_written(path) as file, compressed(file, path.suffix) as stream:
            _write(model, pool, stream)
        return
    try:
        _write(model, pool, target)
        target.flush()
    except BrokenPipeError:  # who reads it has enough
        raise
    except OSError as error:
        raise MemoryspanError(
            f"Cannot write {stream_name(target, 'the ARPA text')}: {error.strerror or error}. "
            "Lead it to a file on a disk with free space."
        ) from error


def check_target(target: object) -> None:
    """Make sure that an ARPA file can be written to something, before a model is made for it.

    Raises:
        MemoryspanError: it is no name and no stream of bytes, or the name asks for a compression
            that is not offered.
    """
    if target == "":
        raise MemoryspanError("The name of the ARPA file is empty; give one.")
    writable = isinstance(target, Path | str) or hasattr(target, "write")
    if not writable or isinstance(target, io.TextIOBase):
        raise MemoryspanError(
            "An ARPA file is written to a name, a pathlib.Path or a stream of bytes, not "
            f'{type(target).__name__}. Write "model.arpa", or open("model.arpa", "wb").'
        )
    if isinstance(target, Path | str) and Path(target).suffix.lower() in NOT_OFFERED:
        raise MemoryspanError(
            f"{target} would not be compressed as its name says; of compressed files only .gz, "
            ".bz2 and .xz are written."
        )


def _check_model(model: NgramModel, vocabulary: Vocabulary) -> None:
    """Whether it can be said in the format."""
    if not model.backs_off:
        raise MemoryspanError(
            f"The model {model.name} does not back off, which is all that an ARPA file can say. "
            "Choose another estimator, for example interpolated modified Kneser–Ney."
        )
    if len(vocabulary) != model.vocabulary_size:
        raise MemoryspanError(
            f"The model {model.name} is over {model.vocabulary_size} tokens, the vocabulary has "
            f"{len(vocabulary)}. Give the vocabulary that the model was estimated with."
        )
    if START in vocabulary.id_of:
        raise MemoryspanError(
            f"The word {START} is in the vocabulary, but in an ARPA file it means the start of a "
            "sentence. Rename it in the training text."
        )
    probable = bool((model.log_prob[1:] < ROUNDING).all())  # false for NaN too
    if not probable or not bool((model.log_backoff[1:] < np.inf).all()):
        raise MemoryspanError(
            f"The model {model.name} has a probability above one or no number at all. "
            "Estimate it again."
        )


def _encoded(word: str) -> bytes:
    """A word in UTF-8.

    Raises:
        MemoryspanError: it cannot stand in an ARPA file.
    """
    try:
        encoded = word.encode()
    except UnicodeEncodeError:
        encoded = b""
    if not encoded or not SEPARATORS.isdisjoint(word):
        raise MemoryspanError(
            f"The token {word!r} cannot stand in an ARPA file, where words are not empty and have "
            "no white space in them. Replace such tokens before the model is estimated."
        )
    return encoded


def _write(model: NgramModel, pool: WordPool, stream: BinaryIO) -> None:
    """All of the text, a buffer at a time."""
    trie = model.trie
    stream.write(b"\\data\\\n")
    for n in range(1, trie.order + 1):
        ngrams = len(pool) if n == 1 else trie.first[n + 1] - trie.first[n]  # with <s>
        stream.write(b"ngram %d=%d\n" % (n, ngrams))
    longest_word = int(np.diff(pool.offsets).max())
    for n in range(1, trie.order + 1):
        stream.write(b"\n\\%d-grams:\n" % n)
        longest_line = 2 * LARGEST_NUMBER + n * (longest_word + 1) + 1
        buffer = np.empty(BUFFER_BYTES + 2 * longest_line, np.uint8)
        node, end = int(trie.first[n]), int(trie.first[n + 1])
        while node < end:
            tables = (trie.first, trie.word, trie.child, model.log_prob, model.log_backoff)
            node, used = format_ngrams(
                *tables, n, node, pool.text, pool.offsets, buffer, BUFFER_BYTES
            )
            stream.write(buffer[:used].data)
    stream.write(b"\n\\end\\\n")
