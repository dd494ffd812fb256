"""The search for one network: trials one after the other, from where an earlier run stopped.

Every trial's sampler is seeded by the number of the trial, so that a search that was interrupted
goes on as if it had not been.
"""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from optuna.samplers import TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import stream_digest
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.search.found import COMPLETE
from memoryspan.neural.search.parameters import SearchParameters
from memoryspan.neural.search.space import Space
from memoryspan.neural.search.storage import counted, opened_study
from memoryspan.neural.search.table import ORIGIN, REASON, VALUES, trials_table
from memoryspan.neural.search.trials import Laboratory
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.text.streams import TokenStream

log = logging.getLogger(__name__)

# Where and how it is computed; not what.
_NOT_FACTS = {"checkpoint_minutes", "log_steps", "accelerator", "precision", "devices", "nodes"}


def search(
    name: str,
    network: NetworkParameters,
    training: TrainingParameters,
    parameters: SearchParameters,
    train_stream: TokenStream,
    validation_stream: TokenStream,
    seed: int,
    storage: Path,
    folder: Path,
) -> pd.DataFrame:
    """Try ``parameters.trials`` configurations of a network, beginning with its own.

    Args:
        name: of the network.
        network: its configured shape.
        training: its configured training; its length is that of a trial.
        parameters: budget and space.
        train_stream: trained on.
        validation_stream: decides.
        seed: of the sampler and of every training.
        storage: sqlite file of this network's study; the same search goes on with it.
        folder: for the checkpoints of the trial under way.

    Returns:
        A row per trial: see ``table.trials_table``.

    Raises:
        MemoryspanError: the storage cannot be used or is of another search; the configuration is
            outside of the space; every training broke down.
        KeyboardInterrupt: the user stopped the trial under way, which will be done again.
    """
    space = Space(name, network, parameters.training_of_a_trial(training), parameters.space)
    laboratory = Laboratory(parameters, train_stream, validation_stream, seed, folder)
    facts = _facts(space, laboratory)
    with opened_study(storage, name, facts, parameters.startup_trials) as study:
        while (number := len(counted(study))) < parameters.trials:
            _next_trial(study, name, number, space, laboratory)
        table = trials_table(name, counted(study))
    if not (table["outcome"] == COMPLETE).any():
        raise MemoryspanError(
            f"No trial of {name} came to its end: {table['reason'].iloc[-1]} Delete or rename"
            f" {storage} and search with lower learning rates."
        )
    return table


def _next_trial(study: Study, name: str, number: int, space: Space, laboratory: Laboratory) -> None:
    """Ask for values, train with them, tell the loss."""
    references = space.references()
    is_reference = number < len(references)
    if is_reference and not study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
        study.enqueue_trial(references[number])
    study.sampler = TPESampler(
        n_startup_trials=laboratory.parameters.startup_trials,
        seed=int(np.random.SeedSequence([laboratory.seed, number]).generate_state(1)[0]),
    )
    trial = study.ask()
    values = space.drawn(trial)
    trial.set_user_attr(VALUES, values)
    trial.set_user_attr(ORIGIN, _origin(number, is_reference))
    about = ", ".join(f"{key} {value:g}" for key, value in values.items())
    log.info("%s: trial %d of %d, %s", name, number + 1, laboratory.parameters.trials, about)
    network, training = space.applied(values)
    loss = laboratory.loss_of(
        trial, f"{name}, trial {number + 1}", network, training, prunable=not is_reference
    )
    # Pruned where a training broke down, too: the sampler ignores failures, and would come back.
    told = study.tell(trial, loss, state=TrialState.PRUNED if loss is None else None)
    log.info("%s: trial %d %s", name, number + 1, _said(study, told))


def _origin(number: int, is_reference: bool) -> str:
    if number == 0:
        return "configuration"
    return "other depth" if is_reference else "sampler"


def _said(study: Study, trial: FrozenTrial) -> str:
    """How a trial ended, beside the best one so far."""
    done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    best = f"; the best so far is {min(t.values[0] for t in done):.4f}" if done else ""
    if REASON in trial.user_attrs:
        return f"broke down{best}"
    ended = "ended" if trial.state == TrialState.COMPLETE else "was pruned"
    return f"{ended} at {trial.values[0]:.4f} nats per token{best}"


def _facts(space: Space, laboratory: Laboratory) -> dict[str, Any]:
    """All that the trials depend on, but how many there are."""
    parameters = laboratory.parameters
    training = space.training.model_dump(mode="json", exclude=_NOT_FACTS)
    return {
        "seed": laboratory.seed,
        "training text": stream_digest(laboratory.train_stream),
        "validation text": stream_digest(laboratory.validation_stream),
        "vocabulary size": laboratory.train_stream.vocabulary_size,
        **{f"network.{key}": value for key, value in space.network.model_dump(mode="json").items()},
        **{f"training.{key}": value for key, value in training.items()},
        **{f"search.space.{key}": value for key, value in space.ranges.items()},
        "search.validations_per_epoch": parameters.validations_per_epoch,
        "search.startup_trials": parameters.startup_trials,
    }
