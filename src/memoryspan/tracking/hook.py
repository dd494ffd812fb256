"""The Kedro hook that fills MLflow from the datasets as they are saved.

A Kedro run that makes a model opens a new MLflow run for it; one that only evaluates or probes
adds to the latest run of that model. A search has a run of its own for every network.
"""

import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from kedro.framework.context import KedroContext
from kedro.framework.hooks import hook_impl
from kedro.io import CatalogProtocol
from kedro.pipeline import Pipeline

from memoryspan.neural.search.found import DIMENSIONS, best_row
from memoryspan.project import git_commit
from memoryspan.text.streams import TokenStream
from memoryspan.tracking.corpus import corpus_input
from memoryspan.tracking.parameters import tracking_parameters
from memoryspan.tracking.recorder import Recorder

DESCRIPTION = "corpus_description"
SHARED_GROUPS = ("seed", "corpus", "tokenizer")
FAMILY_GROUPS = {
    "chance": (),
    "n-gram": ("ngram",),
    "adaptive": ("training",),
    "mixture": ("ngram", "training"),
}
NEURAL_GROUPS = ("training",)


class TrackingHook:
    """Watches saved datasets by their names (``lstm_history``, ``perplexity``, …)."""

    def __init__(self) -> None:
        self._recorder: Recorder | None = None
        self._train_stream: TokenStream | None = None

    @hook_impl
    def after_context_created(self, context: KedroContext) -> None:
        """Read where to record, and the parameters of the run."""
        self._settings = tracking_parameters(context.config_loader["tracking"])
        self._parameters: dict[str, Any] = context.config_loader["parameters"]
        self._environment = str(context.env or "base")

    @hook_impl
    def before_pipeline_run(
        self, run_params: dict[str, Any], pipeline: Pipeline, catalog: CatalogProtocol[Any, Any]
    ) -> None:
        """Remember what identifies this Kedro run, and reach the store before anything runs.

        Raises:
            MemoryspanError: runs are to be recorded, but the store cannot be used.
        """
        self._recorder = None
        made = pipeline.all_outputs()
        if DESCRIPTION not in made and catalog.exists(DESCRIPTION):
            self._parameters["corpus"] = catalog.load(DESCRIPTION)["corpus"]
        self._tags = {
            "kedro.run_id": str(run_params["run_id"]),
            "kedro.env": self._environment,
            "kedro.pipelines": ",".join(run_params.get("pipeline_names") or ["__default__"]),
            "memoryspan.corpus": str(self._parameters["corpus"]["source"]),
        }
        if commit := git_commit():
            self._tags["mlflow.source.git.commit"] = commit
        if self._settings.enabled and any(is_recorded(name) for name in made):
            self._recorder = Recorder(self._settings, self._tags)

    @hook_impl
    def after_dataset_loaded(self, dataset_name: str, data: Any) -> None:
        """Remember the training stream: it is the dataset input of every model."""
        if dataset_name == "train_stream":
            self._train_stream = data

    @hook_impl
    def after_dataset_saved(self, dataset_name: str, data: Any) -> None:
        """Log what the dataset says of its model or models."""
        record = self._recorder
        if record is None:
            return
        if dataset_name.endswith("_summary") and isinstance(data, Mapping):
            self._log_summary(record, data)
        elif dataset_name.endswith("_history"):
            log_history(record, dataset_name.removesuffix("_history"), data)
        elif dataset_name.endswith("_search"):
            self._log_search(record, dataset_name.removesuffix("_search"), data)
        elif dataset_name in TABLES:
            TABLES[dataset_name](record, data)
        elif dataset_name.endswith("_figure"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"{dataset_name.removesuffix('_figure')}.png"
                data.savefig(path, dpi=100)
                record.log_figure(path)

    @hook_impl
    def after_pipeline_run(self) -> None:
        """Close the runs."""
        if self._recorder is not None:
            self._recorder.finish("FINISHED")

    @hook_impl
    def on_pipeline_error(self) -> None:
        """Close the runs as failed."""
        if self._recorder is not None:
            self._recorder.finish("FAILED")

    def interrupted(self) -> None:
        """Close the runs as stopped by the user; Kedro has no hook for that."""
        if self._recorder is not None:
            self._recorder.finish("KILLED")

    def _log_summary(self, record: Recorder, summary: Mapping[str, Any]) -> None:
        """The model has just been made: a new run with its parameters and its corpus."""
        model = summary["model"]
        record.open_new(model)
        groups = SHARED_GROUPS + FAMILY_GROUPS.get(summary["family"], NEURAL_GROUPS)
        record.log_parameters(
            model,
            {"model": model, "family": summary["family"]}
            | {"context_order": summary["context_order"]}
            | self._parameters_of(model, groups),
        )
        self._log_corpus(record, model)
        metrics = {METRIC_NAMES[key]: summary[key] for key in METRIC_NAMES if key in summary}
        found = {
            f"{kind}.{name}": value
            for kind, key in FOUND.items()
            for name, value in summary.get(key, {}).items()
        }
        record.log_metrics(model, metrics | found)

    def _log_search(self, record: Recorder, model: str, trials: pd.DataFrame) -> None:
        """A run with the trials as curves: the step of the chart is the trial."""
        run = f"{model}_search"
        record.open_new(run)
        groups = (*SHARED_GROUPS, *NEURAL_GROUPS, "search")
        record.log_parameters(run, {"model": model} | self._parameters_of(model, groups))
        self._log_corpus(record, run)
        log_trials(record, run, trials)

    def _parameters_of(self, model: str, groups: tuple[str, ...]) -> dict[str, Any]:
        """The shared groups, and the model's own; what it has of training in place of theirs."""
        parameters = {key: self._parameters[key] for key in groups if key in self._parameters}
        own: dict[str, Any] = self._parameters.get(model, {})
        if "training" in own:
            own = own | {"training": parameters["training"] | own["training"]}
        return parameters | own

    def _log_corpus(self, record: Recorder, run: str) -> None:
        if self._train_stream is not None:
            source = str(self._parameters["corpus"]["source"])
            record.log_input(run, corpus_input(self._train_stream, source))


METRIC_NAMES = {
    "parameters": "parameters",
    "train_seconds": "seconds",
    "tokens_per_second": "tokens_per_second",
    "memory_peak_mb": "memory_peak_mb",
}

FOUND = {"weight": "weights", "tuned": "tuned"}
"""Metric prefix → key of the summary with what was chosen on the validation split."""

CURVES = {
    "train_nats_per_token": "train.loss",
    "validation_nats_per_token": "valid.loss",
    "gradient_norm_mean": "gradient_norm",
    "learning_rate": "learning_rate",
}


def log_history(record: Recorder, model: str, history: pd.DataFrame) -> None:
    """Learning curves by optimizer step."""
    for column, key in CURVES.items():
        rows = history.dropna(subset=[column])
        record.log_curve(model, key, rows["step"], rows[column])


def log_trials(record: Recorder, run: str, trials: pd.DataFrame) -> None:
    """Losses and values by trial; the best one."""
    for column in ("validation_nats_per_token", "tokens", *DIMENSIONS):
        if column in trials:
            rows = trials.dropna(subset=[column])
            record.log_curve(run, f"search.{column}", rows["trial"], rows[column])
    best = best_row(trials)
    metrics = {f"best.{key}": best[key] for key in DIMENSIONS if key in best}
    metrics["best.trial"] = best["trial"]
    metrics["best.validation_nats_per_token"] = best["validation_nats_per_token"]
    for outcome, count in trials["outcome"].value_counts().items():
        metrics[f"trials.{outcome}"] = count
    record.log_metrics(run, metrics)


def log_perplexity(record: Recorder, table: pd.DataFrame) -> None:
    """The perplexity table, a row per model."""
    for row in table.to_dict("records"):
        metrics = {
            "test.perplexity": row["test_perplexity"],
            "test.nats_per_token": row["test_nats_per_token"],
            "test.bits_per_byte": row["test_bits_per_byte"],
            "test.zero_probability_share": row["zero_probability_share"],
            "valid.perplexity": row["valid_perplexity"],
        }
        record.log_metrics(row["model"], metrics)
        if row["family"] in FAMILY_GROUPS:  # no learning curve: its loss is one point
            record.log_metrics(row["model"], {"valid.loss": math.log(row["valid_perplexity"])})


def log_modes(record: Recorder, table: pd.DataFrame) -> None:
    """Streaming and sentence reset, a row per model."""
    for row in table.to_dict("records"):
        keys = ("streaming_perplexity", "sentence_reset_perplexity", "reset_ratio")
        record.log_metrics(row["model"], {f"test_modes.{key}": row[key] for key in keys})


def log_context_curve(record: Recorder, curve: pd.DataFrame) -> None:
    """Perplexity by visible context; the step of the chart is k."""
    for model, rows in curve.groupby("model"):
        key = "probe.context_length.perplexity"
        record.log_curve(str(model), key, rows["distance"], rows["perplexity"])


def log_gradient_curve(record: Recorder, curve: pd.DataFrame) -> None:
    """Gradient norm by lag; the step of the chart is the lag."""
    for (model, stage), rows in curve.groupby(["model", "stage"]):
        record.log_curve(str(model), f"probe.gradient.{stage}", rows["lag"], rows["gradient_norm"])


TABLES = {
    "perplexity": log_perplexity,
    "perplexity_modes": log_modes,
    "context_curve": log_context_curve,
    "gradient_curve": log_gradient_curve,
}


def is_recorded(dataset_name: str) -> bool:
    """Whether a dataset says something of a model's MLflow run."""
    return (
        dataset_name in TABLES
        or dataset_name.endswith(("_history", "_search"))
        or (dataset_name.endswith("_summary") and dataset_name != "gradient_summary")
    )
