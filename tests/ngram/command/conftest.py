"""Texts and processes of the command line's tests."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Shell = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: Any) -> Path:
    """A folder, the working one, with a text to train on and another to score."""
    train = "the cat sat\nthe dog sat\na dog ran\n" * 4
    (tmp_path / "train.txt").write_text(train, encoding="utf-8")
    (tmp_path / "test.txt").write_text("the dog ran\na bird sat\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shell(files: Path) -> Shell:
    """Run shell commands in which NGRAM stands for the command line."""

    def run(commands: str) -> subprocess.CompletedProcess[str]:
        script = commands.replace("NGRAM", f"{sys.executable} -m memoryspan.ngram")
        return subprocess.run(
            ["bash", "-c", f"set -o pipefail; {script}"],
            capture_output=True,
            check=False,
            text=True,
            cwd=files,
        )

    return run
