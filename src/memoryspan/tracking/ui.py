"""``make ui``: the MLflow UI started lean, with direct links to the last comparison."""

import argparse
import json
import os
import socket
import subprocess
import sys
from typing import Any
from urllib.parse import quote

from memoryspan.errors import MemoryspanError
from memoryspan.project import project_folder
from memoryspan.tracking.parameters import TrackingParameters
from memoryspan.tracking.recorder import MODEL_TAG, readable_failure

HOST = "127.0.0.1"


def main() -> int:
    """Print the links and run the UI until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m memoryspan.tracking.ui", description=__doc__)
    parser.add_argument("--port", type=int, default=5000)
    parser.add_argument("--links-only", action="store_true", help="print the links and stop")
    arguments = parser.parse_args()
    try:
        settings = configured()
        print(links(settings, arguments.port))
        if arguments.links_only:
            return 0
        check_port(arguments.port)
        return serve(settings, arguments.port)
    except MemoryspanError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1


def configured() -> TrackingParameters:
    """The tracking settings of the project (``conf/base`` and ``conf/local``)."""
    from kedro.framework.session import KedroSession
    from kedro.framework.startup import bootstrap_project

    bootstrap_project(project_folder())
    with KedroSession.create(project_folder()) as session:
        context: Any = session.load_context()  # type: ignore[attr-defined]
        return TrackingParameters(**context.config_loader["tracking"])


def links(settings: TrackingParameters, port: int) -> str:
    """Where to look: the charts, best models first, and the latest run of each model side by side.

    Raises:
        MemoryspanError: if nothing has been recorded yet, or the store cannot be read.
    """
    from mlflow import MlflowClient

    with readable_failure(settings.uri):
        client = MlflowClient(tracking_uri=settings.uri)
        experiment = client.get_experiment_by_name(settings.experiment)
        runs = [] if experiment is None else client.search_runs([experiment.experiment_id])
    if experiment is None or not runs:
        raise MemoryspanError(
            f"Nothing is recorded in {settings.uri} yet: run `make run` or `make smoke` first."
        )
    latest = latest_per_model([run.data.tags | {"id": run.info.run_id} for run in runs])
    base = f"http://{HOST}:{port}/#"
    # MLflow draws the first ten runs of its list: put the best there.
    order = f"orderByKey={quote('metrics.`test.perplexity`')}&orderByAsc=true"
    return "\n".join(
        [
            f"latest runs on {runs[0].data.tags.get('memoryspan.corpus')}: {', '.join(latest)}",
            f"charts   {base}/experiments/{experiment.experiment_id}/runs"
            f"?workflowType=machine_learning&compareRunsMode=CHART&{order}",
            f"compare  {base}/compare-runs?runs={quote(json.dumps(list(latest.values())))}"
            f"&experiments={quote(json.dumps([experiment.experiment_id]))}",
            "Ctrl-C stops the server.",
        ]
    )


def latest_per_model(newest_first: list[dict[str, str]]) -> dict[str, str]:
    """Model → id of its latest run, of the corpus that the newest run of all has."""
    corpus = newest_first[0].get("memoryspan.corpus")
    latest: dict[str, str] = {}
    for tags in newest_first:
        if tags.get("memoryspan.corpus") == corpus:
            latest.setdefault(tags.get(MODEL_TAG, "?"), tags["id"])
    return latest


def check_port(port: int) -> None:
    """Raise if something else listens there already."""
    with socket.socket() as probe:
        if probe.connect_ex((HOST, port)) == 0:
            raise MemoryspanError(
                f"Port {port} is in use. Stop what listens there, or choose another: "
                f"python -m memoryspan.tracking.ui --port {port + 1}"
            )


def serve(settings: TrackingParameters, port: int) -> int:
    """Run ``mlflow ui`` with one worker and no job runner: 0.5 GB instead of 3."""
    command = [sys.executable, "-m", "mlflow", "ui", "--workers", "1", "--host", HOST]
    command += ["--port", str(port), "--backend-store-uri", settings.uri]
    command += ["--uvicorn-opts", "--log-level warning"]
    lean = os.environ | {
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_LOGGING_LEVEL": "WARNING",
        "PYTHONWARNINGS": "ignore",
    }
    try:
        return subprocess.run(command, env=lean, check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
