"""What a training run has seen so far: plain numbers, saved in every checkpoint."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Self

HistoryRow = dict[str, float]


@dataclass
class Interval:
    """Totals since the last row of the history.

    Attributes:
        nats: summed over ``tokens`` predicted tokens.
        norms: gradient norms before clipping, summed over ``steps``.
        largest_norm: the largest of them.
    """

    nats: float = 0.0
    tokens: int = 0
    norms: float = 0.0
    largest_norm: float = 0.0
    steps: int = 0

    def add_loss(self, nats: float, tokens: int) -> None:
        """Count one chunk."""
        self.nats += nats
        self.tokens += tokens

    def add_gradient_norm(self, norm: float) -> None:
        """Count one optimiser step."""
        self.norms += norm
        self.largest_norm = max(self.largest_norm, norm)
        self.steps += 1


@dataclass
class RunState:
    """The position, the totals and the history of a run.

    Attributes:
        step: optimiser steps done.
        epoch: epochs done.
        chunk: chunks done of the epoch that follows.
        tokens: training tokens predicted so far.
        seconds: spent in training and validation, summed over resumptions.
        resumed: how often the run was taken up again.
        best_nats: lowest validation loss so far, nats per token; its epoch counts from 1.
        validation_nats: the validation losses of all epochs.
        learning_rate_factor: what plateaus have left of the learning rate.
        finished: the last step is done: epochs, time or patience are used up.
        history: rows; the columns are those of ``training.TrainingResult``.
        stopped_early: patience has run out.
    """

    step: int = 0
    epoch: int = 0
    chunk: int = 0
    tokens: int = 0
    seconds: float = 0.0
    resumed: int = 0
    best_nats: float = math.inf
    best_epoch: int = 0
    validation_nats: list[float] = field(default_factory=list)
    learning_rate_factor: float = 1.0
    finished: bool = False
    stopped_early: bool = False
    interval: Interval = field(default_factory=Interval)
    history: list[HistoryRow] = field(default_factory=list)

    def close_interval(self, epoch: float, learning_rate: float) -> HistoryRow:
        """Append a row about the interval and begin the next."""
        interval, self.interval = self.interval, Interval()
        self.history.append(
            {
                "step": self.step,
                "epoch": epoch,
                "tokens": self.tokens,
                "seconds": self.seconds,
                "train_nats_per_token": interval.nats / interval.tokens,
                "gradient_norm_mean": interval.norms / interval.steps,
                "gradient_norm_max": interval.largest_norm,
                "learning_rate": learning_rate,
                "validation_nats_per_token": math.nan,
            }
        )
        return self.history[-1]

    def to_dict(self) -> dict[str, Any]:
        """Numbers, strings, lists and dicts only."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The inverse of ``to_dict``."""
        return cls(**{**values, "interval": Interval(**values["interval"])})
