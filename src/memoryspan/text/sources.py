"""A user's text on disk: one file, a folder, a .zip (never extracted) or a .gz.

What comes out is a list of documents that are not assigned to splits yet.
"""

import gzip
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from memoryspan.errors import MemoryspanError
from memoryspan.text.parameters import CorpusParameters
from memoryspan.text.readers import decode


@dataclass(frozen=True)
class SourceText:
    """The text of one file.

    Attributes:
        name: what the document is called; unique within its corpus.
        text: its text, lines ended by ``\\n``.
        source: path of the file, within the folder or archive if there is one.
    """

    name: str
    text: str
    source: str


def read_path(path: Path, parameters: CorpusParameters) -> list[SourceText]:
    """All documents at a path, ordered by their path.

    Raises:
        MemoryspanError: nothing there, nothing matches ``include``, a broken archive, or a file
            that is not text in ``encoding``.
    """
    try:
        if path.is_dir():
            files = _folder_files(path, parameters.include)
        elif path.suffix.lower() == ".zip" or zipfile.is_zipfile(path):
            files = zip_members(path, parameters.include)
        elif path.is_file():
            files = [(path.name, _read_file(path))]
        else:
            raise MemoryspanError(f"{path} is neither a file nor a folder.")
    except OSError as error:
        raise MemoryspanError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not files:
        raise MemoryspanError(
            f"No file in {path} matches {', '.join(parameters.include)} (hidden files are "
            "skipped). Name the files that you mean with corpus.include."
        )
    return named_by_stem(
        (name, decode(data, _origin(name, path), parameters.encoding)) for name, data in files
    )


def _origin(name: str, path: Path) -> str:
    return str(path) if name == path.name else f"{name} in {path}"


def named_by_stem(files: Iterable[tuple[str, str]]) -> list[SourceText]:
    """Documents called after their files without folder and suffix, or, where two would be
    called the same, after the whole path.
    """
    files = sorted(files)
    stems = Counter(PurePosixPath(source).stem for source, _ in files)

    def name_of(source: str) -> str:
        stem = PurePosixPath(source).stem
        return stem if stems[stem] == 1 else source

    return [SourceText(name_of(source), text, source) for source, text in files]


def _read_file(path: Path) -> bytes:
    if path.suffix.lower() != ".gz":
        return path.read_bytes()
    try:
        with gzip.open(path) as file:
            return file.read()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MemoryspanError(f"{path} is not a whole gzip file: {error}.") from error


def _folder_files(folder: Path, patterns: Iterable[str]) -> list[tuple[str, bytes]]:
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return [
        (name, _read_file(path))
        for name, path in paths.items()
        if _wanted(name, patterns) and path.is_file()
    ]


def zip_members(path: Path, patterns: Iterable[str]) -> list[tuple[str, bytes]]:
    """Name and bytes of the members of a zip archive that match a pattern.

    Raises:
        MemoryspanError: not a zip archive, a damaged or encrypted one, or one with a member
            whose name points outside the archive.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return list(_members(archive, path, patterns))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error) as error:
        raise MemoryspanError(f"{path} is not a whole zip archive: {error}.") from error


def _members(
    archive: zipfile.ZipFile, path: Path, patterns: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    for name in sorted(set(archive.namelist())):
        member = archive.getinfo(name)
        if _points_outside(name):
            raise MemoryspanError(
                f"{path} has a member called {name!r}, which points outside the archive; "
                "it is not read. Pack the texts again with plain names."
            )
        if member.is_dir() or not _wanted(name, patterns):
            continue
        if member.flag_bits & 0x1:
            raise MemoryspanError(
                f"{path} is encrypted ({name}). Give an archive without password."
            )
        yield name, archive.read(member)


def _points_outside(name: str) -> bool:
    path = PureWindowsPath(name)  # knows /, \\ and drive letters
    return bool(path.anchor) or ".." in path.parts


def _wanted(name: str, patterns: Iterable[str]) -> bool:
    path = PurePosixPath(name.lower())
    hidden = any(part.startswith(".") for part in path.parts)
    return not hidden and any(path.match(pattern.lower()) for pattern in patterns)
