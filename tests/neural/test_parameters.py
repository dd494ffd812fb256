import subprocess
import sys

import pytest
from pydantic import ValidationError

from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.training_parameters import TrainingParameters


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
        {"kind": "lstm", "hidden_size": 10, "chrono_length": 2},
        {"kind": "lstm", "hidden_size": 10, "projection": False},
        {"kind": "lstm", "hidden_size": 10, "output_layer": "adaptive"},
        {"kind": "lstm", "hidden_size": 10, "direct_connections": True},
        {"kind": "lstm", "hidden_size": 10, "units": 3},
    ],
)
def test_impossible_networks_are_refused(values):
    with pytest.raises(ValidationError):
        NetworkParameters.model_validate(values)


@pytest.mark.parametrize(
    "values",
    [
        {"clip_norm": 1.0, "clip_value": 1.0},
        {"label_smoothing": 0.1},
        {"streams": 20, "devices": 3},
        {"optimizer": "adam"},
    ],
)
def test_impossible_trainings_are_refused(values):
    with pytest.raises(ValidationError):
        TrainingParameters.model_validate(values)


def test_parameters_cannot_be_changed():
    with pytest.raises(ValidationError):
        TrainingParameters().epochs = 5
