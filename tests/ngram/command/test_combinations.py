"""Options that do not go together are refused before any work, not ignored."""

import re
from pathlib import Path
from typing import Any

import pytest

from memoryspan.ngram.command import main, train

PRUNABLE = "kneser_ney or absolute_discounting or witten_bell or katz or jelinek_mercer"


@pytest.mark.parametrize(("options", "message"), [
    (["--estimator", "add_k", "--discounts", "1=0.5,1,1.5"],
     "--discounts does not go with --estimator add_k, only with kneser_ney."),
    (["--add-k", "1"], "--add-k does not go with --estimator kneser_ney, only with add_k."),
    (["--validation", "test.txt"], "--validation does not go with --estimator kneser_ney, only"),
    (["--estimator", "jelinek_mercer"], "Name one with --validation"),
    (["--estimator", "add_k", "--prune", "0", "1"], f"--prune does not go .* only with {PRUNABLE}"),
    (["--estimator", "maximum_likelihood", "--entropy-pruning", "1e-8"],
     "--entropy-pruning does not go with --estimator maximum_likelihood"),
    (["--estimator", "add_k", "--arpa", "m.arpa"], "--arpa does not go with --estimator add_k"),
    (["--order", "2", "--prune", "0", "0", "1"], "--prune has 3 thresholds.* --order 2"),
    (["--order", "2", "--discounts", "3=0.5,1,1.5"], "--discounts names order 3.* --order 2"),
    (["--discounts", "3=0.5,1,1.5", "3=0.5,1,1"], "--discounts names order 3 twice"),
    (["--order", "2", "--order", "3"], "--order: it is given twice"),
    (["--text", "test.txt"], "--text: it is given twice"),
    (["--prune", "1", "0"], "--prune = 1 0: thresholds must not decrease"),
    (["--prune", "-1"], "--prune = -1: it should be greater than or equal to 0"),
    (["--discounts", "1=2,1,1"], "--discounts, order 1, D1 = 2.0: it should be less than or equal"),
    (["--discounts", "1=nan,1,1"], "--discounts, order 1, D1 = nan: it should be"),
    (["--entropy-pruning", "inf"], "--entropy-pruning = inf: it should be a finite number"),
    (["--estimator", "add_k", "--add-k", "0"], "--add-k = 0.0: it should be greater than 0"),
    (["--memory-budget", "5"], "--memory-budget = 5: it should be greater than or equal to 100"),
    (["--eval", "test.txt"], "unrecognized arguments: --eval"),
])  # fmt: skip
def test_refused(
    files: Path, capsys: Any, monkeypatch: Any, options: list[str], message: str
) -> None:
    def work(*_: object) -> None:
        raise AssertionError("work began")

    monkeypatch.setattr(train, "_trained", work)
    assert main(["train", "--text", "train.txt", *options]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    assert re.search(message, error)
