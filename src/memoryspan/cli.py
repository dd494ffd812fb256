"""``kedro run``, with errors that a user can read."""

import os
import traceback
from typing import Any

import click
from kedro.config import MissingConfigException
from kedro.framework.cli.project import run as kedro_run
from kedro.framework.project import pipelines, settings
from kedro.io import DatasetError
from yaml import YAMLError

from memoryspan.errors import MemoryspanError
from memoryspan.project import project_folder
from memoryspan.tracking.hook import TrackingHook

INTERRUPTED = 130


class ReadableRun(click.Command):
    """Kedro's own ``run``: a mistake of the user ends in one line, not in a traceback.

    ``--pipeline`` is spelled ``--pipelines`` since Kedro 1.5; both mean the same here.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run; turn what the user can mend into ``Error: …`` and exit code 1."""
        if ctx.params["pipeline"] and not ctx.params["pipelines"]:
            ctx.params["pipelines"] = [ctx.params["pipeline"]]
            ctx.params["pipeline"] = None
        check_environment(ctx.params["env"])
        check_names(ctx.params["pipelines"])
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            for hook in settings.HOOKS:
                if isinstance(hook, TrackingHook):
                    hook.interrupted()
            click.secho("Stopped. The same command continues where this one was.", err=True)
            ctx.exit(INTERRUPTED)
        except (MemoryspanError, DatasetError, MissingConfigException, OSError) as error:
            if "MEMORYSPAN_TRACEBACK" in os.environ:
                raise
            raise click.ClickException(readable(error)) from error
        except YAMLError as error:
            raise click.ClickException(f"A file under conf/ is not YAML: {error}") from error
        except ValueError as error:
            if raised_by_kedro(error):  # a node or namespace that does not exist
                raise click.ClickException(str(error)) from error
            raise


def readable(error: Exception) -> str:
    """The innermost message: a dataset's error wraps the one that says what to do."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryspanError):
            return str(cause)
        cause = cause.__cause__
    return str(error)


def check_environment(name: str | None) -> None:
    """Refuse an environment that has no folder under ``conf``, and say which do."""
    conf = project_folder() / settings.CONF_SOURCE
    there = sorted(folder.name for folder in conf.iterdir() if folder.is_dir())
    if name and name not in there:
        raise click.ClickException(
            f"There is no environment {name!r} under {conf}. There are: {', '.join(there)}."
        )


def check_names(names: list[str]) -> None:
    """Refuse a pipeline that does not exist, and say which do."""
    for name in names:
        if name not in pipelines:
            raise click.ClickException(
                f"There is no pipeline {name!r}. There are: {', '.join(sorted(pipelines))}."
            )


def raised_by_kedro(error: Exception) -> bool:
    """Whether the error comes from Kedro's own code, not from a node's."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return str(frames[-1].f_globals.get("__name__", "")).startswith("kedro.")


@click.group(name="memoryspan")
def cli() -> None:
    """Commands of this project."""


run = ReadableRun(
    name="run", params=kedro_run.params, callback=kedro_run.callback, help=kedro_run.help
)
cli.add_command(run)
