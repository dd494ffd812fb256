import subprocess
import sys

from memoryspan.ngram.compilation import compiled


def test_works_where_no_cache_can_be_written() -> None:
    """numba finds no place for the cache of a function without a source file."""
    scope: dict[str, object] = {}
    exec(compile("def double(x):\n    return 2 * x\n", "<nowhere>", "exec"), scope)
    assert compiled(scope["double"])(21) == 42  # type: ignore[type-var,operator]


def test_parameters_import_light() -> None:
    code = (
        "import sys, memoryspan.ngram.parameters;"
        "print(sorted({'numba', 'numpy', 'pandas', 'torch'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    import memoryspan.ngram as room

    assert all(getattr(room, name).__name__ == name for name in room.__all__)
