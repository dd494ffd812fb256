"""Files and folders are replaced as a whole: the one way in which this house writes.

What is new is made beside what it replaces, under a hidden name, and renamed when it is complete.
Whatever happens before that, an error, an interrupt or a kill, the old one is as it was. A process
that was killed cannot clean up behind itself: the next one that writes the same file does it. It
knows a leftover by its name, and that nobody works on it any more by its lock, which the
operating system lifts when a process ends.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from memoryspan.errors import MemoryspanError
from memoryspan.leftovers import hidden_name, locked, release, remove_leftovers

PRIVATE = 0o600
PUBLIC = 0o666  # less the umask


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """The name of an empty file to write, which then takes the place of ``path``.

    It has the suffix of ``path``, and in the end the permissions of the file that it replaces;
    those of a new file are what the umask leaves. A link is followed.

    Raises:
        MemoryspanError: it cannot be written (no folder, no space, no permission).
    """
    target = Path(os.path.realpath(path))
    try:
        remove_leftovers(target)
        before = target.stat() if target.exists() else None
        temporary, lock = _new_file(target, PRIVATE if before else PUBLIC)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        yield temporary
        os.fsync(lock)
        if before:
            _give_permissions(temporary, before)
        temporary.replace(target)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)
        release(lock)


@contextmanager
def atomically_written(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of ``path`` when the block ends without an error.

    See ``replaced``. A device or a pipe cannot be replaced and is written to directly.

    Raises:
        MemoryspanError: the file cannot be written (no folder, no space, no permission).
        BrokenPipeError: nobody reads the pipe any more.
    """
    if path.exists() and not path.is_file():
        try:
            with path.open("wb") as file:
                yield file
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritable(path, error) from error
        return
    with replaced(path) as temporary, temporary.open("wb") as file:
        yield file


@contextmanager
def atomically_written_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill that takes the place of ``folder`` when the block ends without an error.

    A link is followed; folders above it are made where they are missing.

    Raises:
        MemoryspanError: it cannot be written.
    """
    target = Path(os.path.realpath(folder))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(target)
        new, lock = _new_folder(target)
    except OSError as error:
        raise unwritable(folder, error) from error
    try:
        yield new
        _exchange(new, target)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
        release(lock)


def unwritable(path: Path, error: OSError) -> MemoryspanError:
    """The error for a file that could not be written to its end."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        return MemoryspanError(
            f"Cannot write {path}: there is no folder {folder}. Make it, or choose another one."
        )
    return MemoryspanError(
        f"Cannot write {path}: {error.strerror or error}. "
        "Whatever was there before is unchanged; free some space or choose another folder."
    )


def _new_file(target: Path, mode: int) -> tuple[Path, int]:
    """An empty file with a hidden name, and its descriptor, which is locked."""
    while True:
        temporary = hidden_name(target)
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        if (lock := locked(temporary)) is not None:
            return temporary, lock


def _new_folder(target: Path) -> tuple[Path, int]:
    """An empty folder with a hidden name, and its descriptor, which is locked."""
    while True:
        new = hidden_name(target)
        new.mkdir()
        if (lock := locked(new)) is not None:
            return new, lock


def _give_permissions(file: Path, status: os.stat_result) -> None:
    """Owner, group and mode, as far as we may give and the file system has them."""
    with suppress(OSError):
        os.chown(file, status.st_uid, status.st_gid)
    with suppress(OSError):
        file.chmod(stat.S_IMODE(status.st_mode))


def _exchange(new: Path, target: Path) -> None:
    """Put a folder in the place of another, which is removed; or leave that where it was."""
    if not target.exists():
        new.rename(target)
        return
    _give_permissions(new, target.stat())
    old = hidden_name(target, old=True)
    lock = locked(target)
    try:
        target.rename(old)
        try:
            new.rename(target)
        except BaseException:
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        if lock is not None:
            release(lock)
