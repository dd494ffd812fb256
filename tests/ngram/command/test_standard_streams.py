"""Standard streams that are closed, full or not read to the end."""

import sys
from pathlib import Path
from typing import Any

import pytest

from memoryspan.ngram.command import main

TRAIN = ["train", "--text", "train.txt", "--order", "2"]


def test_closed_standard_output_is_one_line_before_any_work(shell: Any) -> None:
    done = shell("NGRAM train --text train.txt --arpa m.arpa >&-")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: Standard output is closed, but results go there; lead it to a file or to /dev/null."
    ]


def test_closed_standard_input_is_one_line(shell: Any) -> None:
    done = shell("NGRAM train --text - <&-")
    assert done.returncode == 2
    assert done.stderr == "error: Standard input is closed; name a file instead of -.\n"


def test_closed_standard_error_loses_only_what_is_said_there(shell: Any) -> None:
    done = shell("NGRAM train --text train.txt --order 2 --arpa - 2>&-")
    assert done.returncode == 0
    assert done.stdout.startswith("\\data\\\nngram 1=9\n")
    assert done.stdout.endswith("\\end\\\n")


def test_a_full_device_leaves_nothing_for_python_to_complain_of(shell: Any) -> None:
    done = shell("NGRAM train --text train.txt --order 2 --arpa - >/dev/full")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "error: Cannot write standard output: No space left on device. "
        "Lead it to a file on a disk with free space."
    )


@pytest.mark.parametrize("options", [
    ["--help"],
    ["train", "--help"],
    TRAIN,
    [*TRAIN, "--arpa", "/dev/full"],
    ["score", "--arpa", "m.arpa", "--text", "test.txt"],
    ["score", "--arpa", "m.arpa", "--text", "test.txt", "--per-token"],
])  # fmt: skip
@pytest.mark.parametrize("buffering", [1, -1])
def test_a_full_device(
    files: Path, capsys: Any, monkeypatch: Any, options: list[str], buffering: int
) -> None:
    assert main([*TRAIN, "--arpa", "m.arpa"]) == 0
    with open("/dev/full", "w", buffering, encoding="utf-8") as full:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", full)
        assert main(options) == 2
        full.flush()  # what was left has been given up
    last = capsys.readouterr().err.splitlines()[-1]
    assert "No space left on device" in last


def test_a_reader_that_has_enough_is_no_error(shell: Any, files: Path) -> None:
    text = (files / "train.txt").read_text(encoding="utf-8")
    numbers = "\n".join(f"{n} x{n}" for n in range(20_000))
    (files / "big.txt").write_text(text * 2000 + numbers, encoding="utf-8")
    done = shell("NGRAM train --text big.txt --order 2 --arpa m.arpa && "
                 "NGRAM score --arpa m.arpa --text big.txt --per-token | head -1")  # fmt: skip
    assert done.returncode == 0
    assert "rror" not in done.stderr
    assert done.stdout.endswith("word\tmatched\tlog10_prob\n")
    for stream in ("-", "/dev/stdout"):
        done = shell(f"NGRAM train --text big.txt --order 2 --arpa {stream} | head -1")
        assert (done.returncode, done.stdout) == (0, "\\data\\\n")
        assert "rror" not in done.stderr


def test_help_and_mistakes_without_standard_output(files: Path, capsys: Any, monkeypatch: Any):
    monkeypatch.setattr(sys, "stdout", None)
    for options in (["--help"], TRAIN, ["score", "--arpa", "a", "--text", "b"]):
        assert main(options) == 2
        assert capsys.readouterr().err.startswith("error: Standard output is closed")
