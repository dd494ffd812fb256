"""Files are looked at first: what is wrong with them costs no training and no file."""

import os
from pathlib import Path
from typing import Any

import pytest

from memoryspan.ngram.command import main, train


@pytest.fixture(autouse=True)
def no_work(monkeypatch: Any) -> None:
    """Fail where a model would be trained."""

    def work(options: object) -> None:
        raise AssertionError("work began")

    monkeypatch.setattr(train, "_trained", work)
    monkeypatch.setattr(train, "check_combination", lambda options: None)


def refused(capsys: Any, *options: str) -> str:
    assert main(["train", *options]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    return str(error)


@pytest.mark.parametrize("name", [
    "train.txt", "./train.txt", "sub/../train.txt", "link", "hard", "ABSOLUTE"
])  # fmt: skip
@pytest.mark.parametrize("option", ["--text", "--evaluate", "--validation", "--vocabulary"])
def test_the_output_may_not_be_an_input(files: Path, capsys: Any, name: str, option: str) -> None:
    (files / "sub").mkdir()
    (files / "link").symlink_to("train.txt")
    os.link("train.txt", "hard")
    before = (files / "train.txt").read_bytes()
    arpa = str(files / "train.txt") if name == "ABSOLUTE" else name
    others = [] if option == "--text" else ["--text", "test.txt"]
    message = refused(capsys, option, "train.txt", *others, "--arpa", arpa)
    assert f"--arpa {arpa} is the same file as {option} train.txt" in message
    assert (files / "train.txt").read_bytes() == before


def test_standard_streams_may_not_be_one_file(shell: Any, files: Path) -> None:
    before = (files / "test.txt").read_bytes()
    for command, message in (
        ("train --text - --arpa test.txt <test.txt",
         "--arpa test.txt is the same file as --text standard input"),
        ("train --text test.txt >>test.txt",
         "Standard output is the same file as --text test.txt"),
    ):  # fmt: skip
        done = shell(f"NGRAM {command}")
        assert done.returncode == 2
        assert message in done.stderr
        assert (files / "test.txt").read_bytes() == before


@pytest.mark.parametrize(("options", "message"), [
    (["--text", "none.txt"], "Cannot read --text none.txt: No such file"),
    (["--text", "."], "Cannot read --text .: Is a directory"),
    (["--text", ""], "--text '' names no file"),
    (["--text", "train.txt", "--arpa", ""], "--arpa '' names no file"),
    (["--text", "train.txt", "--vocabulary", ""], "--vocabulary '' names no file"),
    (["--text", "train.txt", "--evaluate", ""], "--evaluate '' names no file"),
    (["--text", "train.txt", "--evaluate", "none"], "Cannot read --evaluate none: No such file"),
    (["--text", "train.txt", "--validation", "none"], "Cannot read --validation none: No such"),
    (["--text", "train.txt", "--vocabulary", "none"], "Cannot read --vocabulary none: No such"),
    (["--text", "train.txt", "--arpa", "no/m.arpa"], "no/m.arpa: there is no folder"),
    (["--text", "train.txt", "--arpa", "."], "Cannot write --arpa .: it is a folder"),
    (["--text", "train.txt", "--arpa", "m.zst"], "m.zst would not be compressed as its name says"),
    (["--text", "-", "--evaluate", "-"], "--text and --evaluate cannot all be standard input"),
    (["--text", "train.txt", "--evaluate", "latin"], "latin, line 2: not UTF-8"),
    (["--text", "train.txt", "--evaluate", "bound"], "bound, line 3: the word </s>"),
    (["--text", "train.txt", "--validation", "empty"], "empty is empty"),
    (["--text", "train.txt", "--evaluate", "cut.gz"], "Cannot read cut.gz"),
])  # fmt: skip
def test_files_are_checked_first(
    files: Path, capsys: Any, options: list[str], message: str
) -> None:
    (files / "latin").write_bytes(b"a\nb \xe9 c\n")
    (files / "bound").write_bytes(b"a</s>\nb\n </s> \n")
    (files / "empty").touch()
    (files / "cut.gz").write_bytes(b"\x1f\x8b\x08")
    assert message in refused(capsys, *options)


def test_score_checks_both_files_first(files: Path, capsys: Any) -> None:
    for arpa, text, message in (
        ("none", "test.txt", "Cannot read --arpa none: No such file"),
        ("train.txt", "none", "Cannot read --text none: No such file"),
        ("", "test.txt", "--arpa '' names no file"),
        ("-", "-", "--arpa and --text cannot all be standard input"),
    ):
        assert main(["score", "--arpa", arpa, "--text", text]) == 2
        assert message in capsys.readouterr().err
