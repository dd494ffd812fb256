"""``python -m memoryspan``: the same as ``kedro run``."""

from memoryspan.cli import run
from memoryspan.project import project_folder


def main() -> None:
    """Run the project."""
    from kedro.framework.startup import bootstrap_project

    bootstrap_project(project_folder())
    run()


if __name__ == "__main__":
    main()
