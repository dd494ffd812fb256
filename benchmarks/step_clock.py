"""What training steps take, told by the process that makes them. Imports no torch."""

import time
from pathlib import Path
from typing import Any


class StepClock:
    """Times and memory of steps, once those that warm up are over.

    Args:
        warm_up: steps that do not count.
        steps: that do; later ones do not either.
    """

    def __init__(self, warm_up: int, steps: int) -> None:
        self.warm_up = warm_up
        self.steps = steps
        self.seen = 0
        self.wall: list[float] = []
        self.cpu: list[float] = []
        self.anonymous_mb = 0.0

    def tick(self) -> None:
        """A step is done."""
        self.seen += 1
        if self.warm_up <= self.seen <= self.warm_up + self.steps:
            self.wall.append(time.perf_counter())
            self.cpu.append(time.process_time())
            self.anonymous_mb = max(self.anonymous_mb, anonymous_mb())

    def figures(self) -> dict[str, Any]:
        """Seconds per step, by the wall (each) and of all threads (mean); largest anonymous memory.

        Raises:
            SystemExit: the run was too short.
        """
        if len(self.wall) != self.steps + 1:
            raise SystemExit(f"{self.seen} steps, fewer than {self.warm_up} + {self.steps}")
        pairs = zip(self.wall, self.wall[1:], strict=False)
        return {
            "wall_seconds": [after - before for before, after in pairs],
            "cpu_seconds": (self.cpu[-1] - self.cpu[0]) / self.steps,
            "anonymous_mb": self.anonymous_mb,
        }


def anonymous_mb() -> float:
    """Resident memory of this process that no file stands behind (Linux), in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return float("nan")
