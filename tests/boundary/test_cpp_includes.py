"""Every source of the core includes what it uses: it compiles by itself, and its header does where it comes first.

The C++ tests of the suite and the extension join sources before they compile them, which hides what is missing.
``SCHEDCORE_EACH_SOURCE=1`` adds the largest rooms, which take two thirds of the time.
"""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "src" / "cpp"
ROOMS = sorted({source.relative_to(CORE).parts[0] for source in CORE.rglob("*.cpp")})
LARGEST = {"engine", "gangs", "online"}


def test_there_are_rooms() -> None:
    assert "engine" in ROOMS


def test_each_test_includes_googletest_which_is_compiled_before_it() -> None:
    tests = sorted((ROOT / "tests" / "cpp").rglob("*_test.cpp"))
    assert tests
    assert [test.name for test in tests if "#include <gtest/gtest.h>\n" not in test.read_text()] == []


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_each_source_compiles_by_itself(room: str) -> None:
    if room in LARGEST and "SCHEDCORE_EACH_SOURCE" not in os.environ:
        pytest.skip("one of the largest rooms: set SCHEDCORE_EACH_SOURCE=1")
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    sources = sorted((CORE / room).rglob("*.cpp"))
    done = subprocess.run(
        [*compiler, "-std=c++20", "-fsyntax-only", "-I", CORE / "include", *sources],
        capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
