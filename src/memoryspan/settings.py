"""Kedro project settings."""

import os

# Nothing phones home. Only the word "true" counts for MLflow.
os.environ.setdefault("DO_NOT_TRACK", "true")
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")

from memoryspan.configuration import LayeredConfigLoader
from memoryspan.hooks import ParameterHook, QuietHook
from memoryspan.neural.environment import prepare_environment
from memoryspan.project import from_project
from memoryspan.tracking.hook import TrackingHook

prepare_environment()

HOOKS = (QuietHook(), ParameterHook(), TrackingHook())
DISABLE_HOOKS_FOR_PLUGINS = ("kedro-telemetry",)

CONFIG_LOADER_CLASS = LayeredConfigLoader
CONFIG_LOADER_ARGS = {
    "base_env": "base",
    "default_run_env": "local",
    "config_patterns": {
        "parameters": ["parameters*", "parameters*/**", "corpora*"],
        "tracking": ["tracking*"],
    },
    "merge_strategy": {"parameters": "soft", "tracking": "soft"},
    "custom_resolvers": {"project_path": from_project},
}
