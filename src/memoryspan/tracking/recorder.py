"""One flat MLflow run per model, with the same metric keys in each.

Works on run ids, never on MLflow's global "active run", so several models can be open at once.
"""

import logging
import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryspan.errors import MemoryspanError

if TYPE_CHECKING:
    from mlflow.entities import DatasetInput

    from memoryspan.tracking.parameters import TrackingParameters

BATCH = 1000  # the most that one call of MLflow's log_batch takes
LONGEST_PARAMETER = 500
MODEL_TAG = "memoryspan.model"


class Recorder:
    """Opens and fills the MLflow runs of one Kedro run.

    Args:
        parameters: where to record.
        tags: tags of every run (commit, Kedro run id, environment, corpus).
    """

    def __init__(self, parameters: "TrackingParameters", tags: Mapping[str, str]) -> None:
        from mlflow import MlflowClient

        logging.getLogger("mlflow").setLevel(logging.WARNING)  # it sets INFO when imported
        with readable_failure(parameters.uri):
            self._client = MlflowClient(tracking_uri=parameters.uri)
            self._experiment = self._experiment_id(parameters)
        self._tags = dict(tags)
        self._runs: dict[str, str] = {}

    @property
    def runs(self) -> Mapping[str, str]:
        """Model → id of the MLflow run that this Kedro run opened or added to."""
        return self._runs

    def open_new(self, model: str) -> None:
        """A new MLflow run: the model has just been made."""
        run = self._client.create_run(
            self._experiment, run_name=model, tags={**self._tags, MODEL_TAG: model}
        )
        self._runs[model] = run.info.run_id

    def log_metrics(self, model: str, metrics: Mapping[str, float], step: int = 0) -> None:
        """Single values. Infinite ones cannot be charted and are left out."""
        self._log([(key, value, step) for key, value in metrics.items()], model)

    def log_curve(
        self, model: str, key: str, steps: Iterable[int], values: Iterable[float]
    ) -> None:
        """One value per step; missing ones are left out."""
        self._log(
            [(key, value, int(step)) for step, value in zip(steps, values, strict=True)], model
        )

    def log_parameters(self, model: str, parameters: Mapping[str, Any]) -> None:
        """Flattened parameters, as text."""
        from mlflow.entities import Param

        entries = [
            Param(key, str(value)[:LONGEST_PARAMETER]) for key, value in flatten(parameters).items()
        ]
        self._client.log_batch(self._run(model), params=entries)

    def log_input(self, model: str, dataset: "DatasetInput") -> None:
        """The corpus that the model was made from."""
        self._client.log_inputs(self._run(model), datasets=[dataset])

    def log_figure(self, path: Path) -> None:
        """A PNG, attached to every run that this Kedro run opened or added to."""
        for run_id in self._runs.values():
            self._client.log_artifact(run_id, str(path))

    def finish(self, status: str) -> None:
        """Close all runs: ``FINISHED``, ``FAILED`` or ``KILLED``."""
        for run_id in self._runs.values():
            self._client.set_terminated(run_id, status)

    def _run(self, model: str) -> str:
        """The run of a model in this Kedro run, else its latest one, else a new one."""
        if model not in self._runs:
            latest = self._client.search_runs(
                [self._experiment],
                filter_string=f"tags.`{MODEL_TAG}` = '{model}'",
                max_results=1,
                order_by=["attributes.start_time DESC"],
            )
            if latest:
                self._runs[model] = latest[0].info.run_id
            else:
                self.open_new(model)
        return self._runs[model]

    def _log(self, entries: list[tuple[str, float, int]], model: str) -> None:
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        metrics = [
            Metric(key, float(value), now, step)
            for key, value, step in entries
            if math.isfinite(value)
        ]
        for start in range(0, len(metrics), BATCH):
            self._client.log_batch(self._run(model), metrics=metrics[start : start + BATCH])

    def _experiment_id(self, parameters: "TrackingParameters") -> str:
        existing = self._client.get_experiment_by_name(parameters.experiment)
        if existing is not None:
            return str(existing.experiment_id)
        location = parameters.artifacts
        return str(self._client.create_experiment(parameters.experiment, location))


@contextmanager
def readable_failure(uri: str) -> Iterator[None]:
    """Turn what an unusable store or server raises into one sentence.

    Raises:
        MemoryspanError: naming the store and what to do.
    """
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with few_retries():
            yield
    except (MlflowException, SQLAlchemyError, OSError) as error:
        reason = next(iter(str(error).splitlines()), "")[:200]
        raise MemoryspanError(
            f"Runs cannot be recorded in {without_password(uri)} ({reason}). Start the server or "
            "mend the file, or set `enabled: false` in conf/local/tracking.yml."
        ) from error


@contextmanager
def few_retries() -> Iterator[None]:
    """A server or file that does not answer is given up in seconds, not minutes."""
    impatient = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1", "MLFLOW_HTTP_REQUEST_TIMEOUT": "10"}
    before = {key: os.environ.get(key) for key in impatient}
    os.environ.update({key: value for key, value in impatient.items() if before[key] is None})
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)


def without_password(uri: str) -> str:
    """The URI without the user and password that it may carry."""
    scheme, separator, rest = uri.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """``{"a": {"b": 1}}`` → ``{"a.b": 1}``."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
