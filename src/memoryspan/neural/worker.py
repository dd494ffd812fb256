"""One of the processes of a training run: what it is sent, does, and says when it fails.

Token streams are memory maps of files where they can be; the name of the file is sent then, not
the tokens.
"""

import logging
import multiprocessing
import os
import sys
import threading
import traceback
from dataclasses import replace
from multiprocessing.synchronize import Event
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch.distributed import DistError

from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.interrupts import ForwardedInterrupt, Interrupted
from memoryspan.neural.job import Job, fit
from memoryspan.text.streams import TokenStream

FAILED, INTERRUPTED = 3, 4  # exit codes of a process that has said what went wrong, or was stopped
_LONGEST_MESSAGE = 3_000  # bytes: a pipe takes as many at once, so none is left half written


class Message(NamedTuple):
    """The last words of a process.

    Attributes:
        kind: a mistake of the user, the loss of another process, or anything else.
        text: the sentence for the user, or the end of a traceback.
    """

    kind: Literal["mistake", "lost", "bug"]
    text: str


def train_rank(job: Job, run_fingerprint: str, rank: int, messages: Any, stop: Event) -> None:
    """Train as process number ``rank`` of all, until the end or until ``stop`` is set."""
    _die_with_parent()
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(message)s")
    folder = CheckpointFolder(job.folder, run_fingerprint)
    try:
        fit(unpacked(job), folder, ForwardedInterrupt(stop), rank)
    except Interrupted:
        sys.exit(INTERRUPTED)
    except Exception as error:
        messages.put(last_words(error))
        sys.exit(FAILED)


def last_words(error: Exception) -> Message:
    """What the parent is told of an error."""
    if isinstance(error, MemoryspanError):
        return Message("mistake", str(error)[:_LONGEST_MESSAGE])
    text = "".join(traceback.format_exception(error))
    text = text.encode(errors="replace")[-_LONGEST_MESSAGE:].decode(errors="ignore")
    # Gloo and NCCL say it in words only.
    words = str(error).lower()
    lost = isinstance(error, DistError) or "gloo" in words or "nccl" in words
    return Message("lost" if lost else "bug", text)


def _die_with_parent() -> None:
    """A killed run leaves nobody behind who would go on writing checkpoints."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a child

    def follow() -> None:
        parent.join()
        os._exit(FAILED)

    threading.Thread(target=follow, daemon=True).start()


class MappedFile(NamedTuple):
    """A memory-mapped array, as it is sent."""

    path: str
    dtype: str
    offset: int
    length: int


def portable(job: Job) -> Job:
    """The job with memory maps replaced by the names of their files."""
    return replace(
        job,
        train_stream=_packed(job.train_stream),
        validation_stream=_packed(job.validation_stream),
    )


def unpacked(job: Job) -> Job:
    """The inverse of ``portable``."""
    return replace(
        job,
        train_stream=_unpacked(job.train_stream),
        validation_stream=_unpacked(job.validation_stream),
    )


def _packed(stream: TokenStream) -> TokenStream:
    ids: Any = mapped_file(stream.ids)
    return stream if ids is None else replace(stream, ids=ids)


def _unpacked(stream: TokenStream) -> TokenStream:
    ids: Any = stream.ids
    if not isinstance(ids, MappedFile):
        return stream
    mapped = np.memmap(ids.path, np.dtype(ids.dtype), "r", ids.offset, (ids.length,))
    return replace(stream, ids=mapped)


def mapped_file(ids: NDArray[np.int32]) -> MappedFile | None:
    """The place of an array in the file that it is a memory map of, if it is one."""
    whole: Any = ids
    while isinstance(whole, np.ndarray) and not isinstance(whole, np.memmap):
        whole = whole.base
    # A part of a memory map does not know its offset: the addresses say it.
    while isinstance(whole, np.memmap) and isinstance(whole.base, np.memmap):
        whole = whole.base
    if not isinstance(whole, np.memmap) or whole.filename is None:
        return None
    if whole.mode == "c" or not ids.flags.c_contiguous:  # c: changed in memory only
        return None
    offset = int(whole.offset) + ids.ctypes.data - whole.ctypes.data
    return MappedFile(str(whole.filename), ids.dtype.str, offset, len(ids))
