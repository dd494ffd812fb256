"""``kedro run``, with errors that a user can read."""

import os
from typing import Any

import click
from kedro.framework.cli.project import run as kedro_run
from kedro.io import DatasetError

from memoryspan.errors import MemoryspanError

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
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.secho("Stopped. The same command continues where this one was.", err=True)
            ctx.exit(INTERRUPTED)
        except (MemoryspanError, DatasetError) as error:
            if "MEMORYSPAN_TRACEBACK" in os.environ:
                raise
            raise click.ClickException(readable(error)) from error


def readable(error: Exception) -> str:
    """The innermost message: a dataset's error wraps the one that says what to do."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryspanError):
            return str(cause)
        cause = cause.__cause__
    return str(error)


@click.group(name="memoryspan")
def cli() -> None:
    """Commands of this project."""


run = ReadableRun(
    name="run", params=kedro_run.params, callback=kedro_run.callback, help=kedro_run.help
)
cli.add_command(run)
