"""Several processes that train one model together (Lightning's DDP), on one machine or more.

This process starts one process per device of its machine and waits for them; the result is what
rank 0 leaves in the checkpoint folder. On several machines the same command is given on each, with
``MASTER_ADDR``, ``MASTER_PORT`` and ``NODE_RANK`` set and a checkpoint folder that all can reach.
"""

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from typing import Any, NamedTuple

from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import CheckpointFolder
from memoryspan.neural.environment import OPENMP_SETTINGS
from memoryspan.neural.interrupts import DeferredInterrupt, Interrupted, StopRequest
from memoryspan.neural.job import Job
from memoryspan.neural.worker import INTERRUPTED, Message, portable, train_rank

_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_TO_FOLLOW = 2.0  # for the others after the first has failed: which was the first to fall?
_SECONDS_FOR_THE_RESULT = 60.0  # until a file that another machine wrote is seen on this one


class Place(NamedTuple):
    """Where this machine stands among all of a run.

    Attributes:
        machine: its number, from 0; machine 0 writes the files.
        address: variables that tell the processes where they meet.
    """

    machine: int
    address: dict[str, str]


def launch(job: Job, folder: CheckpointFolder) -> None:
    """Train with ``job.processes`` processes; those of this machine are started here.

    Raises:
        MemoryspanError: if one of them failed; the others are stopped.
        Interrupted: after a checkpoint was saved.
    """
    place = _place(job)
    if place.machine == 0 and folder.checkpoint() is None:
        folder.clear()
    context = multiprocessing.get_context("spawn")
    messages, stop = context.SimpleQueue(), context.Event()
    processes: list[BaseProcess] = []
    with DeferredInterrupt() as interrupt:
        try:
            for local_rank in range(job.training.devices):
                rank = place.machine * job.training.devices + local_rank
                arguments = (portable(job), folder.fingerprint, rank, messages, stop)
                with _environment(_variables(job, place, local_rank)):
                    processes.append(_started(context, arguments))
            codes = _wait(processes, interrupt, stop)
        finally:
            _end(processes)
    said = []
    while not messages.empty():
        said.append(messages.get())
    if INTERRUPTED in codes:
        raise Interrupted
    if any(codes):
        raise _failure(job, codes, said)
    if place.machine > 0:
        _await_result(folder)


def _place(job: Job) -> Place:
    """Where this machine stands.

    Raises:
        MemoryspanError: if there are several machines and the environment does not name them.
    """
    nodes = job.training.nodes
    if nodes == 1:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        return Place(0, {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "NODE_RANK": "0"})
    names = ("MASTER_ADDR", "MASTER_PORT", "NODE_RANK")
    address = {name: os.environ.get(name, "").strip() for name in names}
    missing = [name for name in names if not address[name]]
    if missing:
        raise MemoryspanError(
            f"training.nodes is {nodes}, but {', '.join(missing)} is not set in the environment:"
            " where the machines meet, and which one this is (NODE_RANK, from 0)."
        )
    for name, end in (("MASTER_PORT", 1 << 16), ("NODE_RANK", nodes)):
        if not (address[name].isdecimal() and int(address[name]) < end):
            raise MemoryspanError(
                f"{name} is {address[name]!r} in the environment; it must be a number from 0 to"
                f" {end - 1}, since training.nodes is {nodes}."
            )
    return Place(int(address["NODE_RANK"]), address)


def _variables(job: Job, place: Place, local_rank: int) -> dict[str, str]:
    """What the environment tells one process; OpenMP only what the user has not told it."""
    openmp = {name: value for name, value in OPENMP_SETTINGS.items() if name not in os.environ}
    own = {"LOCAL_RANK": str(local_rank), "WORLD_SIZE": str(job.processes)}
    return openmp | place.address | own


def _started(context: SpawnContext, arguments: tuple[Any, ...]) -> BaseProcess:
    """A process that never sees a Ctrl-C: it is told by its parent, once, at the right moment."""
    process = context.Process(target=train_rank, args=arguments, daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def _wait(processes: list[BaseProcess], interrupt: StopRequest, stop: Event) -> list[int]:
    """Exit codes of all processes, or of those that ended by themselves once one has failed."""
    deadline = float("inf")
    while time.monotonic() < deadline:
        alive = [process.sentinel for process in processes if process.is_alive()]
        if not alive:
            break
        if interrupt.requested and not stop.is_set():
            stop.set()
        connection.wait(alive, _SECONDS_BETWEEN_LOOKS)
        codes = [process.exitcode for process in processes]
        if any(code not in (None, 0, INTERRUPTED) for code in codes):
            deadline = min(deadline, time.monotonic() + _SECONDS_TO_FOLLOW)
    return [process.exitcode or 0 for process in processes]


def _end(processes: list[BaseProcess]) -> None:
    """Nobody stays behind, whatever has happened."""
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _failure(job: Job, codes: list[int], said: list[Message]) -> Exception:
    """What to tell the user when processes have failed: the cause, not what followed from it."""
    mistakes = [message.text for message in said if message.kind == "mistake"]
    if mistakes:
        return MemoryspanError(mistakes[0])
    killed = [-code for code in codes if code < 0]
    if killed:
        return MemoryspanError(
            f"A training process of {job.name} was ended by signal {killed[0]}; if nobody did so,"
            f" there is not enough memory for {job.training.devices} of them. The same command"
            " goes on from the last checkpoint."
        )
    if job.training.nodes > 1 and any(message.kind == "lost" for message in said):
        return MemoryspanError(
            f"The {job.training.nodes} machines that train {job.name} do not reach each other, or"
            " no longer: see which one stopped first, and why. The same command on each goes on"
            " from the last checkpoint."
        )
    words = [message.text for message in said] or ["it said nothing"]
    return RuntimeError(f"a training process ended with code {max(codes)}:\n{words[0]}")


def _await_result(folder: CheckpointFolder) -> None:
    """Rank 0 writes it last, on another machine."""
    end = time.monotonic() + _SECONDS_FOR_THE_RESULT
    while folder.result() is None and time.monotonic() < end:
        time.sleep(_SECONDS_BETWEEN_LOOKS)


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
