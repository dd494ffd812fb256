"""Speed and memory of training, against a plain loop and against our own without Lightning.

    python benchmarks/training.py speed      # against word_language_model.py, same work
    python benchmarks/training.py overhead   # train() against a bare loop over the same network
    python benchmarks/training.py stream     # 100 million mapped tokens against 1 million

Every run is a process of its own, those to be compared follow each other, and the ratios are of
neighbours: what else the machine does meets both. CPU seconds are of all threads, user and system;
wall seconds per step are the median and the smallest of a run, for on a busy machine the time by
the wall says more about the others.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measuring import cost, median_and_range
from zipf import write_zipf_ids

HERE = Path(__file__).parent
STREAMS, BPTT = 20, 35
TOKENS = STREAMS * BPTT  # per step
WARM_UP = 10
Command = list[str]


@dataclass(frozen=True)
class Model:
    """An LSTM to train.

    Attributes:
        vocabulary: V.
        units: H, and the embedding size.
        layers: of the LSTM.
        haste: how many times as many steps are measured as of a slow one.
    """

    vocabulary: int
    units: int
    layers: int
    haste: int = 1

    def __str__(self) -> str:
        return f"LSTM {self.layers}×{self.units}, V = {self.vocabulary:,}"


WORDS = [Model(10_000, 200, 2, 2), Model(33_278, 200, 2), Model(10_000, 650, 2)]
CHARACTERS = Model(65, 256, 1, 10)


@dataclass
class Runs:
    """All runs of one command.

    Attributes:
        cpu: seconds per step, of each run.
        median_wall: seconds of the median step of each run.
        least_wall: seconds of the fastest step of each run.
        peak_mb: largest resident memory of the whole process.
        anonymous_mb: largest without file pages, in the measured steps.
        nats: mean nats per token.
    """

    cpu: list[float] = field(default_factory=list)
    median_wall: list[float] = field(default_factory=list)
    least_wall: list[float] = field(default_factory=list)
    peak_mb: list[float] = field(default_factory=list)
    anonymous_mb: list[float] = field(default_factory=list)
    nats: list[float] = field(default_factory=list)

    def add(self, command: Command) -> None:
        """Run it once more."""
        found = cost(command)
        figures: dict[str, Any] = json.loads(found.output.splitlines()[-1])
        self.cpu.append(figures["cpu_seconds"])
        self.median_wall.append(statistics.median(figures["wall_seconds"]))
        self.least_wall.append(min(figures["wall_seconds"]))
        self.peak_mb.append(found.peak_bytes / 2**20)
        self.anonymous_mb.append(figures["anonymous_mb"])
        self.nats.append(figures["nats_per_token"])


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["speed", "overhead", "stream"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=25, help="measured, of the slowest models")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    measure: dict[str, Callable[[argparse.Namespace, int], None]]
    measure = {"speed": speed, "overhead": overhead, "stream": stream}
    for threads in options.threads:
        print(f"\n{options.what}, {threads} thread(s), {options.runs} runs", flush=True)
        measure[options.what](options, threads)


def speed(options: argparse.Namespace, threads: int) -> None:
    """Against the baseline: the same work, and our defaults."""
    for model in WORDS:
        shape = _shape(model, options.steps)
        ours = _python("training_worker.py", threads, *shape)
        commands = {
            "baseline": _python("word_language_model.py", threads, *shape),
            "ours, same work": ours,
            "ours, same work, float32": [*ours, "--precision", "float32"],
            "ours, sampled softmax, AdamW": [*ours, "--work", "sampled"],
        }
        _print(str(model), _alternating(commands, options.runs), "baseline")


def overhead(options: argparse.Namespace, threads: int) -> None:
    """Against the bare loop, on the same work as the baseline's and on our defaults'."""
    for model in [*WORDS, CHARACTERS]:
        ours = _python("training_worker.py", threads, *_shape(model, options.steps))
        for name, work in {
            "full softmax, SGD": "same",
            "sampled softmax, AdamW": "sampled",
        }.items():
            command = [*ours, "--work", work]
            commands = {"bare loop": [*command, "--loop", "bare"], "train()": command}
            runs = _alternating(commands, options.runs)
            if runs["bare loop"].nats != runs["train()"].nats:
                raise SystemExit(f"{model}: the bare loop does not do the same work")
            _print(f"{model}, {name}", runs, "bare loop")


def stream(options: argparse.Namespace, threads: int) -> None:
    """A text that is larger than its share of memory, mapped from a file."""
    model = WORDS[0]
    shape = _shape(model, 4 * options.steps)
    with tempfile.TemporaryDirectory() as folder:
        commands = {}
        for million in (1, 100):
            path = Path(folder) / f"{million}.npy"
            write_zipf_ids(path, million * 1_000_000, model.vocabulary)
            ours = _python("training_worker.py", threads, *shape, "--work", "sampled")
            limit = ["--max-minutes", "1"]
            commands[f"{million} million tokens"] = [*ours, "--stream", str(path), *limit]
        _print(
            f"{model}, sampled softmax, AdamW",
            _alternating(commands, options.runs),
            "1 million tokens",
        )


def _shape(model: Model, steps: int) -> Command:
    """Options of the workers."""
    values = {
        "vocabulary": model.vocabulary,
        "units": model.units,
        "layers": model.layers,
        "streams": STREAMS,
        "bptt": BPTT,
        "warm-up": WARM_UP,
        "steps": steps * model.haste,
    }
    return [part for name, value in values.items() for part in (f"--{name}", str(value))]


def _python(script: str, threads: int, *options: str) -> Command:
    """A script beside this one, on so many threads."""
    return ["env", f"OMP_NUM_THREADS={threads}", sys.executable, str(HERE / script), *options]


def _alternating(commands: dict[str, Command], runs: int) -> dict[str, Runs]:
    """One run of each command, then the next of each."""
    found = {name: Runs() for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            found[name].add(command)
    return found


def _print(title: str, runs: dict[str, Runs], reference: str) -> None:
    """A row per command; speed-ups over the run of the reference in the same round."""
    print(
        f"\n| {title} | CPU ms per step | faster, CPU | tokens/s, median step | faster, wall |"
        " faster, fastest steps | peak MB | anonymous MB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    base = runs[reference]
    for name, own in runs.items():
        columns = [
            name,
            median_and_range([1000 * each for each in own.cpu]),
            median_and_range(_quotients(base.cpu, own.cpu)),
            f"{TOKENS / statistics.median(own.median_wall):,.0f}",
            median_and_range(_quotients(base.median_wall, own.median_wall)),
            f"{min(base.least_wall) / min(own.least_wall):.2f}",
            f"{statistics.median(own.peak_mb):.0f}",
            f"{statistics.median(own.anonymous_mb):.0f}",
        ]
        print(f"| {' | '.join(columns)} |", flush=True)


def _quotients(slow: list[float], fast: list[float]) -> list[float]:
    return [a / b for a, b in zip(slow, fast, strict=True)]


if __name__ == "__main__":
    main()
