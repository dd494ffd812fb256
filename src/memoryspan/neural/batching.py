"""Parallel contiguous streams for truncated BPTT.

A token stream of N ids is cut into B pieces of equal length that are read side by side, T tokens
at a time, so that the state after one chunk is the state before the next. Every id is a target
exactly once per epoch; the input before it is the id that really stands before it (``</s>`` at
the very beginning). Slicing a memory map needs no worker processes.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

IGNORED = -100  # target of a place past the end of the data


class Chunk(NamedTuple):
    """T steps of B streams.

    Attributes:
        number: of the chunk within the epoch; at 0 the streams begin.
        inputs_BT: int64 [B, T].
        targets_BT: int64 [B, T], ``IGNORED`` where a stream has already ended.
    """

    number: int
    inputs_BT: Tensor  # noqa: N815 - shape suffix
    targets_BT: Tensor  # noqa: N815


class StreamLoader:
    """All chunks of an epoch, each time it is iterated over.

    It deliberately has no length: the first iteration may be the rest of an interrupted epoch.

    Args:
        stream: N ids.
        streams: B.
        bptt: T; the last chunk may be shorter.
        start: chunk at which the first iteration begins; the later ones begin at 0.
    """

    def __init__(self, stream: TokenStream, streams: int, bptt: int, start: int = 0) -> None:
        self.ids = stream.ids
        self.streams = streams
        self.bptt = bptt
        self.stream_length = -(-len(stream) // streams)
        self.chunks_per_epoch = -(-self.stream_length // bptt)
        self.start = start

    def __iter__(self) -> Iterator[Chunk]:
        # A generator: Lightning also makes iterators that it never reads, and those must not
        # use up the start.
        start, self.start = self.start, 0
        for number in range(start, self.chunks_per_epoch):
            yield self.chunk(number)

    def chunk(self, number: int) -> Chunk:
        """One chunk by its number."""
        begin = number * self.bptt
        end = min(begin + self.bptt, self.stream_length)
        starts_B1 = np.arange(self.streams)[:, np.newaxis] * self.stream_length
        positions_BT = starts_B1 + np.arange(begin, end)
        inside_BT = positions_BT < len(self.ids)
        targets_BT = self._ids_at(positions_BT)
        inputs_BT = np.where(positions_BT == 0, END_ID, self._ids_at(positions_BT - 1))
        return Chunk(
            number,
            torch.from_numpy(inputs_BT),
            torch.from_numpy(np.where(inside_BT, targets_BT, IGNORED)),
        )

    def _ids_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self.ids[positions.clip(0, len(self.ids) - 1)], dtype=np.int64)
