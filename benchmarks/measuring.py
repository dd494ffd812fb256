"""Run whole processes and say what they took."""

import os
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What a process took.

    Attributes:
        cpu_seconds: user and system time, of all its threads.
        peak_bytes: largest resident set.
        output: its standard output.
    """

    cpu_seconds: float
    peak_bytes: int
    output: str


def cost(command: list[str], stdin: str | None = None, stdout: str | None = None) -> Cost:
    """Run a process to its end.

    Raises:
        SystemExit: it failed.
    """
    with (
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
        Path(stdin or os.devnull).open("rb") as given,
        Path(stdout or os.devnull).open("wb") as taken,
    ):
        process = subprocess.Popen(
            command, stdin=given, stdout=taken if stdout else output, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            errors.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{errors.read()[-2000:]}")
        output.seek(0)
        return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.read())


def summed(costs: list[Cost]) -> Cost:
    """Several processes one after the other: CPU times add up, the largest peak counts."""
    return Cost(
        sum(cost.cpu_seconds for cost in costs),
        max(cost.peak_bytes for cost in costs),
        costs[-1].output,
    )


def median_and_range(values: list[float]) -> str:
    """Median and, in brackets, smallest and largest."""
    return f"{statistics.median(values):.2f} [{min(values):.2f}, {max(values):.2f}]"
