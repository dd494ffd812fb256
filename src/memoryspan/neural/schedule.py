"""The learning rate over a run: a share of its peak by the share of the run that is done."""

import math

from memoryspan.neural.training_parameters import TrainingParameters


def learning_rate_share(training: TrainingParameters, progress: float, step_share: float) -> float:
    """Of the peak: a linear warm-up, then what ``schedule`` says.

    Args:
        training: ``schedule``, ``warmup_share``, ``final_learning_rate_share``.
        progress: share of the run that is done, by steps or by the clock.
        step_share: what one step adds to it; so the first step does not stand still.
    """
    warmup = training.warmup_share
    if progress < warmup:
        return (progress + step_share) / (warmup + step_share)
    if training.schedule in ("constant", "plateau"):
        return 1.0
    done = min(1.0, (progress - warmup) / (1 - warmup))
    falling = (1 + math.cos(math.pi * done)) / 2 if training.schedule == "cosine" else 1 - done
    final = training.final_learning_rate_share
    return final + (1 - final) * falling
