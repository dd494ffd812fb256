"""A small project of its own: the real configuration, a corpus written by our own code."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]

NOUNS = ["king", "queen", "fool", "ghost", "captain", "widow", "poet", "thief", "nurse", "soldier"]
VERBS = ["sees", "loves", "fears", "follows", "forgets", "praises", "warns"]
PLACES = ["in the garden", "at the gate", "by the river", "under the moon", "on the wall"]


def play(seed: int, lines: int = 120) -> str:
    """Verse with the same words in every play, from a seed."""
    rng = random.Random(seed)
    verses = []
    for _ in range(lines):
        first, second = rng.sample(NOUNS, 2)
        verses.append(f"The {first} {rng.choice(VERBS)} the {second} {rng.choice(PLACES)}.")
    return "\n".join(verses) + "\n"


def make_project(folder: Path) -> Path:
    """A copy of what a Kedro run reads, and a folder of twelve plays."""
    shutil.copytree(ROOT / "conf", folder / "conf", ignore=shutil.ignore_patterns("local"))
    (folder / "conf" / "local").mkdir()
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "src").mkdir()
    (folder / "src" / "memoryspan").symlink_to(ROOT / "src" / "memoryspan")
    plays = folder / "plays"
    plays.mkdir()
    for number in range(12):
        (plays / f"play{number:02}.txt").write_text(play(number), encoding="utf-8")
    return folder


def run_in(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``kedro run --env smoke`` in a process of its own."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MLFLOW")}
    return subprocess.run(
        [sys.executable, "-m", "kedro", "run", "--env", "smoke", *arguments],
        cwd=project,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """A project after one real run of everything on its own plays."""
    project = make_project(tmp_path_factory.mktemp("finished") / "project")
    outcome = run_in(project, "--params", "corpus.source=plays")
    assert outcome.returncode == 0, outcome.stderr
    (project / "output.txt").write_text(outcome.stdout + outcome.stderr, encoding="utf-8")
    return project


@pytest.fixture
def project(tmp_path) -> Path:
    """A project in which nothing has run."""
    return make_project(tmp_path / "project")


@pytest.fixture(scope="session")
def kedro_run() -> Run:
    """Runs Kedro in a project: ``kedro_run(project, "--pipeline", "lstm")``."""
    return run_in
