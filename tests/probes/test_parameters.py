import subprocess
import sys

import pytest
from pydantic import ValidationError

from memoryspan.probes.parameters import ContextLengthParameters, GradientParameters


def test_lags_are_sorted_and_different():
    assert ContextLengthParameters(lags=[7, 1, 7, 3]).lags == (1, 3, 7)


@pytest.mark.parametrize("bad", [{"lags": []}, {"lags": [0, 1]}, {"positions": 0}, {"lag": [1]}])
def test_bad_context_length_parameters_are_refused(bad):
    with pytest.raises(ValidationError, match=next(iter(bad))):
        ContextLengthParameters(**bad)


@pytest.mark.parametrize("bad", [{"max_lag": 2}, {"vectors": 0}, {"warm_up": -1}])
def test_bad_gradient_parameters_are_refused(bad):
    with pytest.raises(ValidationError, match=next(iter(bad))):
        GradientParameters(**bad)


def test_they_are_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        GradientParameters().max_lag = 7


@pytest.mark.parametrize("room", ["probes", "evaluation"])
def test_importing_parameters_imports_nothing_heavy(room):
    heavy = "{'numpy', 'pandas', 'torch', 'scipy', 'kedro', 'mlflow', 'matplotlib'}"
    code = f"import sys, memoryspan.{room}.parameters; sys.exit(str({heavy} & set(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.stderr.strip() == "set()"
