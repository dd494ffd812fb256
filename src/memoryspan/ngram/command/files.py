"""Files that the command line names are looked at before any work is done."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.command.streams import STANDARD, spoken

STANDARD_INPUT, STANDARD_OUTPUT = 0, 1


def check_inputs(inputs: Mapping[str, str]) -> None:
    """Make sure that files are there to be read.

    Args:
        inputs: names by the option that names them.

    Raises:
        MemoryspanError: one is missing, a folder, or protected; or two are standard input.
    """
    standard = [option for option, name in inputs.items() if name == STANDARD]
    if len(standard) > 1:
        raise MemoryspanError(
            f"{' and '.join(standard)} cannot all be standard input; name files for the others."
        )
    for option, name in inputs.items():
        check_name(option, name)
        if name != STANDARD:
            _check_readable(option, name)


def check_name(option: str, name: str) -> None:
    """An empty name is no file.

    Raises:
        MemoryspanError: it is empty.
    """
    if not name:
        raise MemoryspanError(f"{option} '' names no file; give its name.")


def _check_readable(option: str, name: str) -> None:
    """Open a file, but not a pipe: who writes it would notice."""
    try:
        if stat.S_ISFIFO(Path(name).stat().st_mode):
            return
        with Path(name).open("rb"):
            pass
    except OSError as error:
        raise MemoryspanError(
            f"Cannot read {option} {name}: {error.strerror or error}. Check the name of the file."
        ) from error


def check_output(option: str, name: str, inputs: Mapping[str, str]) -> None:
    """Make sure that a file can be written and is none of the inputs.

    Raises:
        MemoryspanError: its folder is missing or protected, or it is a folder or an input.
    """
    check_name(option, name)
    if name != STANDARD:
        _check_writable(option, name)
        _check_is_no_input(f"{option} {name}", Path(name), inputs)


def check_standard_output(inputs: Mapping[str, str]) -> None:
    """Make sure that standard output is none of the inputs.

    Raises:
        MemoryspanError: it is.
    """
    _check_is_no_input("Standard output", STANDARD_OUTPUT, inputs)


def _check_is_no_input(written: str, output: Path | int, inputs: Mapping[str, str]) -> None:
    """The same file may have several names; devices may be read and written."""
    for option, name in inputs.items():
        try:
            source = _status(STANDARD_INPUT if name == STANDARD else Path(name))
            same = os.path.samestat(source, _status(output))
        except OSError:  # it is not there yet
            continue
        if same and stat.S_ISREG(source.st_mode):
            raise MemoryspanError(
                f"{written} is the same file as {option} {spoken(name)}, which would be lost. "
                "Write to another file."
            )


def _status(file: Path | int) -> os.stat_result:
    return os.fstat(file) if isinstance(file, int) else file.stat()


def _check_writable(option: str, name: str) -> None:
    if Path(name).is_dir():
        raise MemoryspanError(
            f"Cannot write {option} {name}: it is a folder. Name a file, for example one in it."
        )
    device = Path(name).exists() and not Path(name).is_file()
    folder = Path(os.path.realpath(name)).parent
    if not device and not folder.is_dir():
        raise MemoryspanError(
            f"Cannot write {option} {name}: there is no folder {folder}. "
            "Make it, or write to another one."
        )
    if not os.access(name if device else folder, os.W_OK):
        raise MemoryspanError(
            f"Cannot write {option} {name}: no permission to write "
            f"{'to it' if device else f'in {folder}'}. Write to another file."
        )
