"""Several processes that train one model together (Lightning's DDP), on one machine or more.

This process starts one process per device of its machine and waits for them; the result is what
rank 0 leaves in the checkpoint folder. On several machines the same command is given on each, with
``MASTER_ADDR``, ``MASTER_PORT`` and ``NODE_RANK`` set and a checkpoint folder that all can reach.
"""

import ctypes
import logging
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.environment import OPENMP_SETTINGS
from memoryspan.neural.interrupts import DeferredInterrupt, Interrupted
from memoryspan.neural.job import Job, fit

FAILED, INTERRUPTED = 3, 4  # exit codes of a process that has said what went wrong, or was stopped
_PR_SET_PDEATHSIG = 1  # prctl(2)
_SECONDS_BETWEEN_LOOKS = 0.2


def launch(job: Job, folder: CheckpointFolder) -> None:
    """Train with ``job.processes`` processes; those of this machine are started here.

    Raises:
        MemoryspanError: if one of them failed; the others are stopped.
        Interrupted: after a checkpoint was saved.
    """
    first_rank, address = _place(job)
    context = multiprocessing.get_context("spawn")
    messages = context.SimpleQueue()
    with DeferredInterrupt(), _environment(OPENMP_SETTINGS | address):
        processes: list[BaseProcess] = []
        for local_rank in range(job.training.devices):
            own = {"LOCAL_RANK": str(local_rank), "WORLD_SIZE": str(job.processes)}
            arguments = (_portable(job), folder.fingerprint, first_rank + local_rank, messages)
            process = context.Process(target=_train_rank, args=arguments, daemon=True)
            with _environment(own):
                process.start()
            processes.append(process)
        codes = _wait(processes)
    said = None if messages.empty() else messages.get()
    if INTERRUPTED in codes:
        raise Interrupted
    if any(codes):
        raise MemoryspanError(
            said
            or f"A training process of {job.name} ended with code {max(codes, key=abs)} without a"
            " word; if it was killed, there may not be enough memory for"
            f" {job.training.devices} of them. The same command goes on from the last checkpoint."
        )


def _place(job: Job) -> tuple[int, dict[str, str]]:
    """The first rank on this machine, and where all processes meet.

    Raises:
        MemoryspanError: if there are several machines and the environment does not name them.
    """
    if job.training.nodes == 1:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        return 0, {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "NODE_RANK": "0"}
    names = ("MASTER_ADDR", "MASTER_PORT", "NODE_RANK")
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise MemoryspanError(
            f"training.nodes is {job.training.nodes}, but {', '.join(missing)} is not set in the"
            " environment: where the machines meet, and which one this is."
        )
    address = {name: os.environ[name] for name in names}
    return int(address["NODE_RANK"]) * job.training.devices, address


def _wait(processes: list[BaseProcess]) -> list[int]:
    """Exit codes of all processes; when one fails, the others are stopped."""
    while any(process.is_alive() for process in processes):
        for process in processes:
            process.join(_SECONDS_BETWEEN_LOOKS)
        if any(process.exitcode not in (None, 0, INTERRUPTED) for process in processes):
            for process in processes:
                process.kill()
    return [process.exitcode or 0 for process in processes]


def _train_rank(job: Job, run_fingerprint: str, rank: int, messages: Any) -> None:
    """What each process does."""
    _die_with_parent()
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(message)s")
    try:
        fit(_mapped(job), CheckpointFolder(job.folder, run_fingerprint), rank)
    except Interrupted:
        sys.exit(INTERRUPTED)
    except MemoryspanError as error:
        messages.put(str(error))
        sys.exit(FAILED)


def _die_with_parent() -> None:
    """On Linux: a killed run leaves nobody behind who would go on writing checkpoints."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Variables that the processes started inside inherit, and nobody else."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _File(tuple[str, str, int, int]):
    """Name, dtype, offset and length of a memory-mapped array: what is sent in its place."""

    __slots__ = ()


def _portable(job: Job) -> Job:
    """The job with memory maps replaced by the names of their files."""
    streams = {
        name: replace(stream, ids=_unmapped(stream.ids))
        for name in ("train_stream", "validation_stream")
        if (stream := getattr(job, name))
    }
    return replace(job, **streams)


def _unmapped(ids: NDArray[np.int32]) -> Any:
    """A memory map of a whole file as its ``_File``; anything else as it is."""
    if not isinstance(ids, np.memmap) or ids.filename is None or ids.ndim != 1:
        return ids
    path = Path(str(ids.filename))
    if int(ids.offset) + ids.nbytes != path.stat().st_size:  # a part: its offset is not known
        return ids
    return _File((str(path), ids.dtype.str, int(ids.offset), len(ids)))


def _mapped(job: Job) -> Job:
    """The inverse of ``_portable``."""
    streams = {}
    for name in ("train_stream", "validation_stream"):
        stream = getattr(job, name)
        if isinstance(stream.ids, _File):
            path, dtype, offset, length = stream.ids
            ids = np.memmap(path, np.dtype(dtype), "r", offset, (length,))
            streams[name] = replace(stream, ids=ids)
    return replace(job, **streams)
