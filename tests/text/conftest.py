"""A published corpus in small: a package index in a folder, with one wheel of three plays."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from memoryspan.text.parameters import NamedCorpus

WHEEL = "tinyplays-1.0-py3-none-any.whl"
PLAYS = {
    "tinyplays/plays/hamlet.md": "# Hamlet\n\n**HAMLET**  \nTo be, or not to be  \n",
    "tinyplays/plays/macbeth.md": "# Macbeth\n\n_Thunder_\n\n**WITCH**  \nWhen shall we  \n",
    "tinyplays/plays/tempest.md": "# The Tempest\n\n**ARIEL**  \nFull fathom five  \n",
    "tinyplays/plays/edward.md": "# Edward\n\nDisputed  \n",
    "tinyplays/readme.md": "not a play",
    "tinyplays-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tinyplays\nVersion: 1.0\n",
    "tinyplays-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\n"
    "Tag: py3-none-any\n",
    "tinyplays-1.0.dist-info/RECORD": "",
}


@pytest.fixture
def package_index(tmp_path, monkeypatch) -> Path:
    """A folder that pip takes for its only index: no network is used."""
    folder = tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        for name, text in PLAYS.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


@pytest.fixture
def tiny_plays(package_index) -> NamedCorpus:
    """The corpus in ``package_index``."""
    return NamedCorpus(
        title="Tiny plays",
        package={
            "name": "tinyplays",
            "version": "1.0",
            "file": WHEEL,
            "sha256": hashlib.sha256((package_index / WHEEL).read_bytes()).hexdigest(),
        },
        members=["tinyplays/plays/*.md"],
        excluded=["edward"],
        reader="markdown_play",
        licence="public domain",
        citation="Tiny plays",
        validation=["macbeth"],
        test=["tempest"],
    )
