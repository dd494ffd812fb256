import subprocess
import sys

import pytest
from pydantic import ValidationError

from memoryspan.neural.parameters import NetworkParameters, TrainingParameters


def test_parameters_are_imported_without_torch():
    code = (
        "import sys, memoryspan.neural.parameters, memoryspan.neural.environment;"
        "heavy = {'torch', 'pandas', 'numpy', 'pytorch_lightning'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "lstm"},
        {"kind": "lstm", "hidden_size": 10, "parameters": 1000},
        {"kind": "feedforward", "hidden_size": 10, "layers": 2},
        {"kind": "lstm", "hidden_size": 10, "chrono_length": 2},
        {"kind": "transformer", "hidden_size": 10},
        {"kind": "lstm", "hidden_size": 10, "units": 3},
    ],
)
def test_impossible_networks_are_refused(values):
    with pytest.raises(ValidationError):
        NetworkParameters.model_validate(values)


def test_parameters_cannot_be_changed():
    with pytest.raises(ValidationError):
        TrainingParameters().epochs = 5
