"""Parallel contiguous streams for truncated BPTT.

A token stream of N ids is cut into B pieces of equal length that are read side by side, T tokens
at a time, so that the state after one chunk is the state before the next. Every id is a target
exactly once per epoch; the input before it is the id that really stands before it (``</s>`` at
the very beginning). Slicing a memory map needs no worker processes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

IGNORED = -100  # target of a place past the end of the data

# Lengths of chunks drawn around T (Merity et al. 2018, section 5).
HALF_LENGTH_SHARE = 0.05  # of the chunks are drawn around T/2 instead
LENGTH_DEVIATION = 5.0  # standard deviation
SHORTEST = 5
LONGEST_EXCESS = 10  # over T


class Chunk(NamedTuple):
    """T steps of B streams.

    Attributes:
        number: of the chunk within the epoch; at 0 the streams begin.
        inputs_BT: int64 [B, T].
        targets_BT: int64 [B, T], ``IGNORED`` where a stream has already ended.
        targets_per_process: targets of all processes' chunks together by number of processes. A
            loss is divided by it: then the mean of the gradients of all processes is the gradient
            of the mean over all targets, however few of them a process has.
    """

    number: int
    inputs_BT: Tensor  # noqa: N815 - shape suffix
    targets_BT: Tensor  # noqa: N815
    targets_per_process: float


@dataclass(frozen=True)
class Chunking:
    """Where an epoch is cut.

    Attributes:
        bptt: T.
        variable: lengths drawn around T, others in every epoch.
        seed: of the lengths.
    """

    bptt: int
    variable: bool = False
    seed: int = 0

    def bounds(self, stream_length: int, epoch: int) -> NDArray[np.int64]:
        """Bounds [C+1] of the C chunks of one stream; the last one may be shorter than drawn."""
        if not self.variable:
            return np.append(np.arange(0, stream_length, self.bptt), stream_length)
        generator = np.random.default_rng([self.seed, epoch])
        shortest = min(SHORTEST, self.bptt)
        most = stream_length // shortest + 1
        half = generator.random(most) < HALF_LENGTH_SHARE
        middle = np.where(half, self.bptt / 2, self.bptt)
        drawn = generator.normal(middle, LENGTH_DEVIATION).astype(np.int64)
        ends = drawn.clip(shortest, self.bptt + LONGEST_EXCESS).cumsum()
        inside = ends[ends < stream_length]
        return np.concatenate([[0], inside, [stream_length]]).astype(np.int64)


class StreamLoader:
    """All chunks of an epoch, and of the next one each time it is iterated over.

    It deliberately has no length: the first iteration may be the rest of an interrupted epoch.

    Args:
        stream: N ids.
        streams: B, of all processes together.
        chunking: where the streams are cut.
        epoch: in which the first iteration takes place, from 0.
        start: chunk at which the first iteration begins; the later ones begin at 0.
        rank: which of ``world_size`` processes reads here: every process has its own streams.
        world_size: a divisor of B.
    """

    def __init__(
        self,
        stream: TokenStream,
        streams: int,
        chunking: Chunking,
        epoch: int = 0,
        start: int = 0,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self.ids = stream.ids
        self.stream_length = -(-len(stream) // streams)
        self.starts = np.arange(streams) * self.stream_length
        self.starts_B1 = self.starts[rank::world_size, np.newaxis]
        self.world_size = world_size
        self.chunking = chunking
        self.epoch = epoch
        self.start = start

    def chunks(self, epoch: int) -> int:
        """How many chunks an epoch has."""
        return len(self.chunking.bounds(self.stream_length, epoch)) - 1

    def steps(self, epochs: int) -> int:
        """How many chunks the first epochs have together."""
        return sum(self.chunks(epoch) for epoch in range(epochs))

    def __iter__(self) -> Iterator[Chunk]:
        # A generator: Lightning also makes iterators that it never reads, and those must not
        # use up the start.
        epoch, start = self.epoch, self.start
        self.epoch, self.start = epoch + 1, 0
        bounds = self.chunking.bounds(self.stream_length, epoch)
        for number in range(start, len(bounds) - 1):
            yield self.chunk(number, int(bounds[number]), int(bounds[number + 1]))

    def chunk(self, number: int, begin: int, end: int) -> Chunk:
        """The chunk between two places of every stream."""
        positions_BT = self.starts_B1 + np.arange(begin, end)
        inside_BT = positions_BT < len(self.ids)
        targets_BT = self._ids_at(positions_BT)
        inputs_BT = np.where(positions_BT == 0, END_ID, self._ids_at(positions_BT - 1))
        of_all = (len(self.ids) - self.starts - begin).clip(0, end - begin).sum()
        return Chunk(
            number,
            torch.from_numpy(inputs_BT),
            torch.from_numpy(np.where(inside_BT, targets_BT, IGNORED)),
            int(of_all) / self.world_size,
        )

    def _ids_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self.ids[positions.clip(0, len(self.ids) - 1)], dtype=np.int64)
