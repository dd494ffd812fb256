"""Where runs are recorded."""

import os
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memoryspan.errors import MemoryspanError


class TrackingParameters(BaseModel):
    """The group of ``conf/*/tracking.yml``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = Field(True, description="Record runs in MLflow at all.")
    tracking_uri: str = Field(description="MLflow store or server; sqlite by default.")
    artifact_location: str | None = Field(
        None, description="Folder or URI for plots; None lets the server choose."
    )
    experiment: str = Field("memoryspan", min_length=1, description="Name of the experiment.")

    @property
    def uri(self) -> str:
        """``MLFLOW_TRACKING_URI`` where it is set, else the configured one."""
        return os.environ.get("MLFLOW_TRACKING_URI") or self.tracking_uri

    @property
    def artifacts(self) -> str | None:
        """The configured artifact location; a server named by the environment has its own."""
        return None if os.environ.get("MLFLOW_TRACKING_URI") else self.artifact_location


def tracking_parameters(settings: Mapping[str, Any]) -> TrackingParameters:
    """Check what ``tracking.yml`` says.

    Raises:
        MemoryspanError: for an unknown key or a bad value, naming the key.
    """
    try:
        return TrackingParameters.model_validate(settings)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise MemoryspanError(f"Wrong settings in tracking.yml: {problems}.") from None
