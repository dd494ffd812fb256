"""A command that is told to stop leaves the old file and no other."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from memoryspan.ngram.arpa import writing
from memoryspan.ngram.command import main


@pytest.mark.parametrize(("number", "code", "message"), [
    (signal.SIGTERM, 143, "terminated; files that were there before are unchanged\n"),
    (signal.SIGINT, 130, "interrupted; files that were there before are unchanged\n"),
])  # fmt: skip
def test_signals(
    files: Path, capsys: Any, monkeypatch: Any, number: int, code: int, message: str
) -> None:
    def write_half(model: object, pool: object, stream: Any) -> None:
        stream.write(b"half")
        assert len(list(files.iterdir())) == 4
        os.kill(os.getpid(), number)

    (files / "m.arpa").write_text("precious", encoding="utf-8")
    (files / "m.arpa").chmod(0o640)
    monkeypatch.setattr(writing, "_write", write_half)
    handlers = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    assert main(["train", "--text", "train.txt", "--order", "2", "--arpa", "m.arpa"]) == code
    out, error = capsys.readouterr()
    assert out == ""
    assert error.endswith(message)
    assert (files / "m.arpa").read_text(encoding="utf-8") == "precious"
    assert sorted(path.name for path in files.iterdir()) == ["m.arpa", "test.txt", "train.txt"]
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == handlers


def test_the_mode_of_a_file_is_kept(files: Path, capsys: Any) -> None:
    (files / "m.arpa").touch(0o600)
    assert main(["train", "--text", "train.txt", "--order", "2", "--arpa", "m.arpa"]) == 0
    assert (files / "m.arpa").stat().st_mode & 0o777 == 0o600
    assert (files / "m.arpa").stat().st_size > 0


def test_an_error_in_the_evaluation_leaves_the_old_model(
    files: Path, capsys: Any, monkeypatch: Any
) -> None:
    """A pipe is not read before its time, so what is wrong in it is found late."""
    (files / "m.arpa").write_text("precious", encoding="utf-8")
    read, write = os.pipe()
    os.write(write, b"a\nb <s>\n")
    os.close(write)
    pipe = f"/dev/fd/{read}"
    options = ["--text", "train.txt", "--order", "2", "--evaluate", pipe, "--arpa", "m.arpa"]
    assert main(["train", *options]) == 2
    os.close(read)
    assert f"{pipe}, line 2: the word <s>" in capsys.readouterr().err
    assert (files / "m.arpa").read_text(encoding="utf-8") == "precious"
