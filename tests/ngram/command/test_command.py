import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memoryspan.ngram.command import main

TRAIN = "the cat sat\nthe dog sat\na dog ran\n" * 4


def run(capsys: Any, *arguments: object) -> dict[str, Any]:
    assert main([str(argument) for argument in arguments]) == 0
    return dict(json.loads(capsys.readouterr().out))


def process(*arguments: object, given: bytes = b"", **options: Any) -> Any:
    command = [sys.executable, "-m", "memoryspan.ngram", *map(str, arguments)]
    return subprocess.run(command, input=given, capture_output=True, check=False, **options)


def test_scoring_the_file_says_what_evaluate_said(files: Path, capsys: Any) -> None:
    arpa = files / "model.arpa.gz"
    trained = run(
        capsys, "train", "--order", 3, "--text", files / "train.txt", "--arpa", arpa,
        "--evaluate", files / "test.txt",
    )  # fmt: skip
    assert trained["tokens"] == 48
    assert trained["sentences"] == 12
    assert trained["vocabulary"] == 8
    assert trained["ngrams"] == [9, 10, 9]
    assert len(trained["discounts"]) == 3
    scored = run(capsys, "score", "--arpa", arpa, "--text", files / "test.txt")
    assert scored["tokens"] == trained["evaluation"]["tokens"] == 8
    assert scored["oov"] == 1
    for key in ("perplexity_including_oov", "perplexity_excluding_oov"):
        assert scored[key] == pytest.approx(trained["evaluation"][key], rel=1e-6)
    assert scored["tokens_per_second"] > 0


def test_per_token(files: Path, capsys: Any) -> None:
    arpa = files / "model.arpa"
    run(capsys, "train", "--order", 2, "--text", files / "train.txt", "--arpa", arpa)
    assert main(["score", "--arpa", str(arpa), "--text", str(files / "test.txt"),
                 "--per-token"]) == 0  # fmt: skip
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["word", "matched", "log10_prob"]
    assert [row[:2] for row in rows[1:]] == [
        ["the", "2"], ["dog", "2"], ["ran", "2"], ["</s>", "2"],
        ["a", "2"], ["bird", "1"], ["sat", "1"], ["</s>", "2"],
    ]  # fmt: skip


def test_standard_streams() -> None:
    trained = process("train", "--order", 2, "--text", "-", "--arpa", "-", given=TRAIN.encode())
    assert trained.returncode == 0
    assert trained.stdout.startswith(b"\\data\\\nngram 1=9\n")
    assert json.loads(trained.stderr[trained.stderr.index(b"{") :])["tokens"] == 48
    scored = process("score", "--arpa", "-", "--text", os.devnull, given=trained.stdout)
    assert scored.returncode == 2
    assert scored.stderr.strip().endswith(b"is empty; give a text with at least one line.")


@pytest.mark.parametrize(("options", "message"), [
    (["--order", "11"], "no order from 1 to 10"),
    (["--order", "0"], "no order from 1 to 10"),
    (["--discounts", "1=0.5"], "is not like 3=0.9,1.2,1.4"),
    (["--estimator", "neural"], "invalid choice"),
    (["--text"], "--text: expected one argument"),
])  # fmt: skip
def test_what_the_parser_refuses(capsys: Any, options: list[str], message: str) -> None:
    assert main(["train", "--text", "x", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.endswith('. See "python -m memoryspan.ngram train --help".\n')
    assert error.count("\n") == 1


def test_a_full_disk_leaves_the_old_model(files: Path, capsys: Any) -> None:
    arpa = files / "model.arpa"
    arpa.write_text("precious", encoding="utf-8")
    command = (
        f"ulimit -f 1; exec {sys.executable} -m memoryspan.ngram train --order 3 "
        f"--text {files / 'big.txt'} --arpa {arpa}"
    )
    words = " ".join(str(number) for number in range(20_000))
    (files / "big.txt").write_text(words, encoding="utf-8")
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 2, done.stderr
    assert b"Cannot write" in done.stderr
    assert arpa.read_text(encoding="utf-8") == "precious"
    assert sorted(path.name for path in files.iterdir()) == [
        "big.txt", "model.arpa", "test.txt", "train.txt"
    ]  # fmt: skip


def test_vocabulary_file_and_closed_vocabulary(files: Path, capsys: Any) -> None:
    (files / "words.txt").write_text("the dog\ncat", encoding="utf-8")
    text = files / "train.txt"
    listed = run(capsys, "train", "--text", text, "--vocabulary", files / "words.txt")
    assert listed["vocabulary"] == 5
    assert listed["unknown"] == 16
    test = files / "test.txt"
    closed = run(capsys, "train", "--text", text, "--vocabulary", "closed", "--evaluate", test)
    assert closed["evaluation"]["perplexity_including_oov"] == "infinity"
    assert closed["evaluation"]["perplexity_excluding_oov"] > 1


def test_only_unknown_words_have_no_perplexity_without_them(files: Path, capsys: Any) -> None:
    with gzip.open(files / "x.txt.gz", "wt") as file:
        file.write("x y z")
    result = run(capsys, "train", "--text", files / "train.txt", "--order", 1,
                 "--evaluate", files / "x.txt.gz")["evaluation"]  # fmt: skip
    assert (result["tokens"], result["oov"]) == (4, 3)


def test_it_starts_without_the_heavy_libraries() -> None:
    code = (
        "import sys; from memoryspan.ngram.command import main\n"
        "from memoryspan.ngram import train\n"
        "heavy = {'torch', 'pandas', 'kedro', 'mlflow', 'lightning'}; print(heavy & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_the_reference_of_kenlm(
    shared_data: Path, kenlm_summary: dict[str, Any], capsys: Any, order: int
) -> None:
    folder = shared_data / "kenlm-reference"
    result = run(
        capsys, "train", "--order", order, "--text", folder / "tinyshakespeare.train.txt",
        "--evaluate", folder / "tinyshakespeare.test.txt",
    )  # fmt: skip
    expected = kenlm_summary[f"tinyshakespeare/order{order}"]
    assert result["ngrams"] == list(expected["ngrams"].values())
    for discounts in result["discounts"]:
        assert discounts["values"] == pytest.approx(
            expected["discounts"][str(discounts["order"])], rel=5e-5
        )
    for key in ("tokens", "oov"):
        assert result["evaluation"][key] == expected[key]
    for key in ("perplexity_including_oov", "perplexity_excluding_oov"):
        assert result["evaluation"][key] == pytest.approx(expected[key], rel=5e-7)
