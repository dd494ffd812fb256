"""A finished or half-finished run whose files are damaged is named, or trained again."""

import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.neural.checkpoints import CheckpointFolder


@pytest.mark.parametrize("content", [b"", b"junk", bytes(range(64)), b"PK\x03\x04" + b"x" * 40])
def test_damaged_checkpoint_is_named(tmp_path, content):
    (tmp_path / "checkpoint.pt").write_bytes(content)
    with pytest.raises(MemoryspanError, match=r"checkpoint\.pt"):
        CheckpointFolder(tmp_path, "f").checkpoint()


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe"])
def test_damaged_result_is_named(tmp_path, content):
    (tmp_path / "result.json").write_bytes(content)
    with pytest.raises(MemoryspanError, match=r"result\.json"):
        CheckpointFolder(tmp_path, "f").result()
