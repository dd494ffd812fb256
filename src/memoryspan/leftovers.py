"""Hidden files of writers: their names, their locks, and what becomes of those of dead writers."""

import fcntl
import os
import re
import secrets
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

TOKEN_BYTES = 8
LONGEST_NAME = 180  # bytes; file systems allow 255, and the hidden name has some more


def hidden_name(target: Path, *, old: bool = False) -> Path:
    """A name beside a file or folder that nobody else has.

    Args:
        target: what will be replaced.
        old: whether it is what was there before that gets the name, not what will be there.
    """
    begin, end = _around_token(target, old)
    return target.with_name(f"{begin}{secrets.token_hex(TOKEN_BYTES)}{end}")


def _around_token(target: Path, old: bool) -> tuple[str, str]:
    """How hidden names of a target begin and end."""
    name = os.fsencode(target.name)
    kept = target.name if len(name) <= LONGEST_NAME else sha256(name).hexdigest()
    suffix = target.suffix if len(name) <= LONGEST_NAME else target.suffix[:8]
    return f".{kept}.", f".{'old' if old else 'new'}-memoryspan{suffix}"


def locked(path: Path) -> int | None:
    """The descriptor of a file or folder, locked until it is closed; None if it is gone.

    A file system without locks gives the descriptor alone.
    """
    try:
        descriptor = _opened(path)
    except FileNotFoundError:
        return None
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        if os.path.samestat(path.stat(), os.fstat(descriptor)):
            return descriptor
    except FileNotFoundError:  # taken for a leftover before it was locked
        pass
    os.close(descriptor)
    return None


def release(descriptor: int) -> None:
    """Lift the lock, for child processes that have the descriptor, too, and close it."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def remove_leftovers(target: Path) -> None:
    """Remove what writers of a file or folder left that did not live to do it themselves.

    If one died while it exchanged two folders, the old one is put back first.
    """
    for old in _hidden(target, old=True):
        _remove_if_dead(old, restored_as=target)
    for new in _hidden(target, old=False):
        _remove_if_dead(new)


def _hidden(target: Path, *, old: bool) -> list[Path]:
    """All that has a hidden name of a target."""
    begin, end = _around_token(target, old)
    token = f"[0-9a-f]{{{2 * TOKEN_BYTES}}}"
    pattern = re.compile(re.escape(begin) + token + re.escape(end))
    with suppress(OSError), os.scandir(target.parent) as entries:
        return [Path(entry.path) for entry in entries if pattern.fullmatch(entry.name)]
    return []


def _remove_if_dead(path: Path, restored_as: Path | None = None) -> None:
    """Remove a file or folder if nobody holds its lock; without locks nobody can know."""
    with suppress(OSError):
        descriptor = _opened(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if restored_as and not restored_as.exists():
                path.rename(restored_as)
            elif path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        finally:
            release(descriptor)


def _opened(path: Path) -> int:
    """A descriptor of a file or folder, but of no link and no pipe that would wait."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, flags | os.O_RDWR)
    except IsADirectoryError:
        return os.open(path, flags | os.O_RDONLY)
