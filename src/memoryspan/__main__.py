"""``python -m memoryspan``: the same as ``kedro run``, anywhere inside the project."""

import sys
from pathlib import Path

from kedro.framework.startup import bootstrap_project
from kedro.utils import find_kedro_project


def main() -> None:
    """Run the project around the working directory."""
    project = find_kedro_project(Path.cwd())
    if project is None:
        sys.exit(f"Error: {Path.cwd()} is not inside a memoryspan project. Change to its folder.")
    bootstrap_project(project)

    from memoryspan.cli import run

    run()


if __name__ == "__main__":
    main()
