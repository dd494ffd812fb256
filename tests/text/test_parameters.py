import subprocess
import sys

import pytest
from pydantic import ValidationError

from memoryspan.text.parameters import (
    CorpusParameters,
    NamedCorpus,
    PublishedPackage,
    TokenizerParameters,
)

PACKAGE = {"name": "plays", "version": "1.0", "file": "plays-1.0.whl", "sha256": "0" * 64}
CORPUS = {
    "title": "Plays",
    "package": PACKAGE,
    "members": ["*.md"],
    "licence": "public domain",
    "citation": "Plays",
}


def test_defaults_are_the_laptop_run():
    parameters = CorpusParameters()
    assert parameters.source == "shakespeare"
    assert (parameters.validation_share, parameters.test_share) == (0.05, 0.10)
    assert TokenizerParameters().vocabulary_size == 10_000


@pytest.mark.parametrize(
    "bad",
    [
        {"validation_share": 0.5, "test_share": 0.5},
        {"validation_share": 0.0},
        {"encoding": "klingon"},
        {"encoding": "base64"},
        {"include": []},
        {"sauce": "x"},
    ],
)
def test_impossible_corpus_parameters_are_refused(bad):
    with pytest.raises(ValidationError):
        CorpusParameters(**bad)


@pytest.mark.parametrize(
    "bad", [{"kind": "subword"}, {"vocabulary_size": 0}, {"vocabulary_size": -3}]
)
def test_impossible_tokenizer_parameters_are_refused(bad):
    with pytest.raises(ValidationError):
        TokenizerParameters(**bad)


@pytest.mark.parametrize(
    "bad",
    [
        {"file": "../plays.whl"},
        {"name": "-r requirements"},
        {"version": "1.0 --index-url x"},
        {"sha256": "abc"},
    ],
)
def test_a_package_entry_cannot_smuggle_options_or_paths(bad):
    with pytest.raises(ValidationError):
        PublishedPackage(**{**PACKAGE, **bad})


def test_a_document_cannot_be_in_two_splits():
    with pytest.raises(ValidationError, match=r"listed twice.*: hamlet"):
        NamedCorpus(**CORPUS, validation=["hamlet"], test=["macbeth", "hamlet"])


def test_importing_the_parameters_is_light():
    code = (
        "import sys, memoryspan.text.parameters; "
        "print([m for m in ('numpy', 'pandas', 'tokenizers', 'torch') if m in sys.modules])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "[]"
