"""The sqlite file of one network's search: opened, checked, closed; what can be wrong with it."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import StorageInternalError
from optuna.pruners import MedianPruner
from optuna.storages import RDBStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.exc import SQLAlchemyError

from memoryspan.errors import MemoryspanError

MADE_FROM = "made_from"
INTERRUPTED = "interrupted"


@contextmanager
def opened_study(
    path: Path, name: str, facts: Mapping[str, Any], startup_trials: int
) -> Iterator[Study]:
    """The study of a network in a file of its own, begun or continued.

    Args:
        path: of the sqlite file; made if it is not there.
        name: of the network.
        facts: all that the trials depend on, as JSON can say it.
        startup_trials: completed trials before any can be pruned.

    Raises:
        MemoryspanError: the file is damaged, no study, or of a search with other facts.
    """
    _keep_optuna_quiet()
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        _check_file(path)
        storage = RDBStorage(f"sqlite:///{path}")
        try:
            study = optuna.create_study(
                storage=storage,
                study_name=name,
                pruner=MedianPruner(n_startup_trials=startup_trials),
                load_if_exists=True,
            )
            _check_facts(study, path, facts)
            _close_interrupted(study)
            yield study
        finally:
            storage.remove_session()
            storage.engine.dispose()
    except (SQLAlchemyError, StorageInternalError, sqlite3.DatabaseError) as error:
        raise _unusable(path, str(error.__cause__ or error).splitlines()[0]) from error


def counted(study: Study) -> list[FrozenTrial]:
    """The trials that have come to an end, in the order of the search."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))


def _keep_optuna_quiet() -> None:
    """Its warnings go where ours go; the search itself says what happens."""
    optuna.logging.disable_default_handler()
    optuna.logging.enable_propagation()
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def _check_file(path: Path) -> None:
    """Optuna would put its tables into any database."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with closing(sqlite3.connect(path)) as database:
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    if tables and not {"studies", "trials"} <= tables:
        raise _unusable(path, "another program's database")


def _check_facts(study: Study, path: Path, facts: Mapping[str, Any]) -> None:
    now = json.loads(json.dumps(facts))
    before = study.user_attrs.get(MADE_FROM)
    if before is None:
        study.set_user_attr(MADE_FROM, now)
        return
    differing = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    if differing:
        raise MemoryspanError(
            f"{path} holds a search that was made with another {', '.join(differing[:5])}."
            " Delete or rename the file to search anew, or go back to what it was made with."
        )


def _close_interrupted(study: Study) -> None:
    """A trial that nobody works at any more was killed; the sampler will never know of it."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)


def _unusable(path: Path, reason: str) -> MemoryspanError:
    return MemoryspanError(
        f"{path} cannot be used for the search ({reason}). Delete or rename it to search anew."
    )
