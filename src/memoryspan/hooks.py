"""Kedro hooks: parameters are checked before anything runs; libraries keep quiet."""

import logging
import sys
from pathlib import Path
from typing import Any

import yaml
from kedro.framework.context import KedroContext
from kedro.framework.hooks import hook_impl
from kedro.framework.project import LOGGING
from kedro.io import CatalogProtocol
from kedro.pipeline import Pipeline
from pydantic import ValidationError

from memoryspan.errors import MemoryspanError
from memoryspan.pipelines.parameters import RunParameters
from memoryspan.project import from_project

CHATTY = (
    "kedro.validation",
    "alembic",
    "mlflow",
    "pytorch_lightning",
    "matplotlib",
    "fsspec",
    "numba",
    "optuna",
)

# They warn of what is no news here: partial runs are usual, a refused connection is an error.
SILENT = ("kedro_viz", "urllib3")


class QuietHook:
    """Keeps library chatter out of a normal run, and says a user's mistake once."""

    @hook_impl
    def after_context_created(self) -> None:
        """Only warnings of the libraries are shown, wherever in the project Kedro was started."""
        if not Path("conf/logging.yml").is_file():  # Kedro looks in the working directory alone
            LOGGING.configure(yaml.safe_load(Path(from_project("conf/logging.yml")).read_text()))
        for name in CHATTY:
            logging.getLogger(name).setLevel(logging.WARNING)
        for name in SILENT:
            logging.getLogger(name).setLevel(logging.ERROR)
        logging.getLogger("kedro.pipeline.node").addFilter(said_elsewhere)
        logging.getLogger("kedro.runner.sequential_runner").addFilter(fits_here)


def said_elsewhere(_: logging.LogRecord) -> bool:
    """Drop Kedro's own line about a ``MemoryspanError``: the command line ends with it."""
    return not isinstance(sys.exc_info()[1], MemoryspanError)


def fits_here(record: logging.LogRecord) -> bool:
    """Drop Kedro's advice that does not fit here.

    Our large artefacts would not gain from --async, and to repeat a command with a mistake in it
    helps nobody.
    """
    return not any(words in str(record.msg) for words in ("--async", "No nodes ran."))


class ParameterHook:
    """Checks all parameters and the inputs of a run before its first node."""

    @hook_impl
    def after_context_created(self, context: KedroContext) -> None:
        """Check every parameter group.

        Raises:
            MemoryspanError: for an unknown key or a bad value, naming the key.
        """
        check_parameters(context.config_loader["parameters"])

    @hook_impl
    def before_pipeline_run(self, pipeline: Pipeline, catalog: CatalogProtocol[Any, Any]) -> None:
        """Check that what the run reads but does not make is there.

        Raises:
            MemoryspanError: naming the datasets and what to run first.
        """
        missing = [
            name
            for name in sorted(pipeline.inputs())
            if not name.startswith("param") and not catalog.exists(name)
        ]
        if missing:
            raise MemoryspanError(
                f"This run needs {', '.join(missing[:5])}"
                f"{' and more' if len(missing) > 5 else ''}, which no earlier run has made: "
                "run the earlier pipelines first (ingest, tokenize, ngram, train, evaluate, "
                "probe), or all of them with `kedro run`."
            )


def check_parameters(parameters: dict[str, Any]) -> None:
    """Raise one readable error for all mistakes in the parameters."""
    try:
        RunParameters.model_validate(parameters)
    except ValidationError as error:
        problems = "; ".join(describe(problem) for problem in error.errors())
        raise MemoryspanError(f"Wrong parameters: {problems}.") from None


def describe(problem: Any) -> str:
    """``corpus.sorce: unknown key …`` from one pydantic error."""
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{key}: unknown key (the known ones are in conf/base/parameters*.yml)"
    if problem["type"] == "missing":
        return f"{key}: missing"
    return f"{key} = {problem['input']!r}: {problem['msg']}"
