from pathlib import Path

import pytest
from kedro.io import DatasetError
from kedro.pipeline import Node, Pipeline

from memoryspan.cli import raised_by_kedro, readable, run
from memoryspan.errors import MemoryspanError


def wrapped(cause: Exception) -> DatasetError:
    try:
        raise DatasetError("Failed while loading") from cause
    except DatasetError as error:
        return error


def test_the_message_that_says_what_to_do_is_the_one_shown():
    assert readable(wrapped(MemoryspanError("Run tokenize."))) == "Run tokenize."
    assert readable(wrapped(OSError("disk"))) == "Failed while loading"


def test_only_kedros_own_value_errors_are_mistakes_of_the_user():
    pipeline = Pipeline([Node(abs, "a", "b", name="absolute")])
    with pytest.raises(ValueError, match="nosuch") as of_kedro:
        pipeline.filter(node_names=["nosuch"])
    assert raised_by_kedro(of_kedro.value)
    with pytest.raises(ValueError, match="invalid literal") as of_ours:
        int(str(Path("x")))
    assert not raised_by_kedro(of_ours.value)


def test_run_has_all_of_kedros_options():
    names = {option for parameter in run.params for option in parameter.opts}
    wanted = {"--pipeline", "--pipelines", "--namespaces", "--params", "--only-missing-outputs"}
    assert wanted <= names
