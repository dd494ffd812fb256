"""Files and folders are replaced as a whole, whatever happens."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memoryspan.atomic import atomically_written, atomically_written_folder, replaced
from memoryspan.errors import MemoryspanError

WRITER = """
import sys, time
from pathlib import Path
from memoryspan.atomic import {function}
with {function}(Path(sys.argv[1])) as new:
    print(flush=True)
    time.sleep(60)
"""


def write(path: Path, text: str = "new") -> None:
    with replaced(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def killed_writer(path: Path, function: str = "replaced") -> None:
    """A process that is killed while it writes."""
    command = [sys.executable, "-c", WRITER.format(function=function), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)


def stop_while_writing(path: Path, problem: type[BaseException]) -> None:
    with replaced(path) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise problem


def stop_while_filling(folder: Path, problem: type[BaseException]) -> None:
    with atomically_written_folder(folder) as new:
        (new / "half").touch()
        raise problem


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_file_is_the_old_one_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old", encoding="utf-8")
    with replaced(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".txt"
        temporary.write_text("new", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8") == "new"
    assert names(tmp_path) == ["file.txt"]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_all_as_it_was(tmp_path: Path, problem: type[BaseException]) -> None:
    path, folder = tmp_path / "file", tmp_path / "folder"
    write(path, "old")
    with atomically_written_folder(folder) as new:
        (new / "a").touch()
    for _ in range(2):
        with pytest.raises(problem):
            stop_while_writing(path, problem)
        with pytest.raises(problem):
            stop_while_filling(folder, problem)
    assert path.read_text(encoding="utf-8") == "old"
    assert names(folder) == ["a"]
    assert names(tmp_path) == ["file", "folder"]


def test_what_the_system_refuses_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(MemoryspanError, match=r"Cannot write .*file: No space"), replaced(path):
        raise OSError(28, "No space left on device")
    with pytest.raises(MemoryspanError, match=r"Cannot write .*: there is no folder .*none. Make"):
        write(tmp_path / "none" / "file")
    with pytest.raises(MemoryspanError, match=r"Cannot write .*: Is a directory"):
        write(tmp_path)
    path.touch()
    with pytest.raises(MemoryspanError, match="there is no folder"):
        write(path / "below")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    write(loop)  # realpath takes it for what it is: no file
    assert names(tmp_path) == ["file", "loop"]


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o444, 0o755])
def test_permissions_are_kept(tmp_path: Path, kept: int) -> None:
    path, folder = tmp_path / "file", tmp_path / "folder"
    path.touch()
    path.chmod(kept)
    folder.mkdir()
    folder.chmod(kept | 0o700)
    with replaced(path) as temporary:
        assert mode(temporary) == 0o600  # nobody else looks into what may be private
    assert mode(path) == kept
    with atomically_written_folder(folder):
        pass
    assert mode(folder) == kept | 0o700


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o027, 0o077])
def test_a_new_file_has_what_the_umask_leaves(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write(tmp_path / "file")
        with atomically_written(tmp_path / "written") as file:
            file.write(b"x")
    finally:
        os.umask(before)
    assert mode(tmp_path / "file") == mode(tmp_path / "written") == 0o666 & ~mask


def test_links_are_followed_and_devices_written_to(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere/file")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "elsewhere") == ["file"]
    with atomically_written(Path(os.devnull)) as file:
        file.write(b"x")
    assert not Path(os.devnull).is_file()


def test_names_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for name in ("x" * 251 + ".txt", "長" * 85, "." + "x" * 254):
        write(tmp_path / name)
        killed_writer(tmp_path / name)
        assert len(names(tmp_path)) == 2
        write(tmp_path / name)
        assert names(tmp_path) == [name]
        (tmp_path / name).unlink()


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa.gz"
    killed_writer(path)
    (leftover,) = names(tmp_path)
    others = [
        leftover.replace("model", "xmodel"),
        leftover.replace("model", "modem"),
        leftover.replace("memoryspan", "other"),
        leftover.removesuffix(".gz"),
        f"{leftover}.gz",
        ".model.arpa.gz.swp",
        ".model.arpa.gz.123.tmp",
    ]
    for name in others:
        (tmp_path / name).touch()
    write(tmp_path / "another")
    assert (tmp_path / leftover).exists()
    write(path)
    assert names(tmp_path) == sorted([*others, "another", path.name])


def test_a_link_with_such_a_name_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.touch()
    link = tmp_path / f".file.{'0' * 16}.new-memoryspan"
    link.symlink_to(precious)
    write(tmp_path / "file")
    assert names(tmp_path) == sorted([link.name, "file", "precious"])


def test_what_a_living_writer_works_on_is_left_alone(tmp_path: Path) -> None:
    path, folder = tmp_path / "file", tmp_path / "folder"
    with replaced(path) as first:
        first.write_text("first", encoding="utf-8")
        write(path, "second")
        assert path.read_text(encoding="utf-8") == "second"
    assert path.read_text(encoding="utf-8") == "first"
    with atomically_written_folder(folder) as first:
        with atomically_written_folder(folder) as second:
            (second / "b").touch()
        (first / "a").touch()
    assert names(folder) == ["a"]
    assert names(tmp_path) == ["file", "folder"]


def test_folders_of_killed_writers(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with atomically_written_folder(folder) as new:
        (new / "old").touch()
    killed_writer(folder, "atomically_written_folder")
    assert len(names(tmp_path)) == 2
    # as if it had been killed between the two renames
    folder.rename(tmp_path / f".model.{'0' * 16}.old-memoryspan")
    with pytest.raises(ValueError, match="stop"), atomically_written_folder(folder):
        raise ValueError("stop")
    assert names(tmp_path) == ["model"]
    assert names(folder) == ["old"]
    with atomically_written_folder(folder) as new:
        (new / "new").touch()
    assert names(folder) == ["new"]
    assert names(tmp_path) == ["model"]
