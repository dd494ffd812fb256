"""Where the project is."""

import subprocess
from pathlib import Path

from kedro.utils import find_kedro_project


def project_folder() -> Path:
    """The root of the Kedro project around the working directory, else around this source."""
    found = find_kedro_project(Path.cwd())
    return Path(found) if found else Path(__file__).resolve().parents[2]


def from_project(relative: str = "") -> str:
    """``${project_path:data}`` in configuration: an absolute path, wherever Kedro was started."""
    return str(project_folder() / relative)


def git_commit() -> str | None:
    """The commit of the project; None outside a repository or without git."""
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=project_folder(),
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()
