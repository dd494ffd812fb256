"""What several rooms' tests share."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real corpora and reference outputs that are not part of the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no reference data at {SHARED_DATA.name}/ beside the repository")
    return SHARED_DATA
