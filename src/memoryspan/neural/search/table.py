"""All trials of a search as a table."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from optuna.trial import FrozenTrial, TrialState

from memoryspan.neural.search.found import BROKEN, COMPLETE, PRUNED

# What a trial carries in the study beside Optuna's own fields.
VALUES, ORIGIN = "values", "origin"
HIDDEN_SIZE, TOKENS, SECONDS, REASON = "hidden_size", "tokens", "seconds", "reason"


def trials_table(name: str, trials: Sequence[FrozenTrial]) -> pd.DataFrame:
    """A row per trial: model, trial (from 1), origin, outcome, what was measured, the values.

    ``origin`` is ``configuration``, ``other depth`` or ``sampler``; ``outcome`` is ``complete``,
    ``pruned`` or ``broken``. ``validation_nats_per_token`` of a pruned trial is the last that was
    seen, after ``tokens`` training tokens. ``reason`` says why a training broke down.
    """
    return pd.DataFrame([_row(name, number, trial) for number, trial in enumerate(trials, 1)])


def _row(name: str, number: int, trial: FrozenTrial) -> dict[str, Any]:
    noted = trial.user_attrs
    broken = REASON in noted
    ended = COMPLETE if trial.state == TrialState.COMPLETE else PRUNED
    return {
        "model": name,
        "trial": number,
        ORIGIN: noted[ORIGIN],
        "outcome": BROKEN if broken else ended,
        "validation_nats_per_token": None if broken else trial.value,
        TOKENS: noted.get(TOKENS, 0),
        SECONDS: noted[SECONDS],
        REASON: noted.get(REASON),
        HIDDEN_SIZE: noted[HIDDEN_SIZE],
        **noted[VALUES],
    }
