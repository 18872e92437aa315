"""The C++ tests under sanitizers, on request; without them they are built and run with the wheels.

``SCHEDCORE_SANITIZERS=1`` runs the presets ``asan`` (addresses, undefined behaviour) and ``tsan`` (data races), which
compile file by file and take most of an hour.
"""

import os
from pathlib import Path

import pytest

from boundary.cpp_tools import run_tool, what_cpp_tests_lack


@pytest.mark.slow
@pytest.mark.skipif(
    "SCHEDCORE_SANITIZERS" not in os.environ, reason="set SCHEDCORE_SANITIZERS=1 to run the sanitizers"
)
@pytest.mark.parametrize("preset", ["asan", "tsan"])
def test_cpp_tests_pass(preset: str, tmp_path: Path) -> None:
    if lacking := what_cpp_tests_lack():
        pytest.skip(lacking)
    build = tmp_path / preset
    for step in (
        ("cmake", "--preset", preset, "-B", build),
        ("cmake", "--build", build, "--parallel", "2"),
        ("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--parallel", "2"),
    ):
        done = run_tool(*step)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["dev", "quick"])
def test_the_core_is_configured_without_python(preset: str, tmp_path: Path) -> None:
    if lacking := what_cpp_tests_lack():
        pytest.skip(lacking)
    done = run_tool("cmake", "--preset", preset, "-B", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Python" not in (tmp_path / "build.ninja").read_text()
