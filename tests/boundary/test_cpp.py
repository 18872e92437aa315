"""The C++ tests, with the core that is installed, and on request under sanitizers.

The core was compiled for the package already, and compiling it again would cost as much as all C++ tests.
``SCHEDCORE_SANITIZERS=1`` runs the presets ``asan`` (addresses, undefined behaviour) and ``tsan`` (data races), which
compile file by file, the core, too, and take most of an hour.
"""

import os
from pathlib import Path

import pytest

import schedcore
from boundary.cpp_tools import run_tool, what_cpp_tests_lack


def check_cpp_tests(preset: str, build: Path, *definitions: str) -> None:
    if lacking := what_cpp_tests_lack():
        pytest.skip(lacking)
    for step in (
        ("cmake", "--preset", preset, "-B", build, *definitions),
        ("cmake", "--build", build, "--parallel", "2"),
        ("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--parallel", "2"),
    ):
        done = run_tool(*step)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_cpp_tests_pass(tmp_path: Path) -> None:
    check_cpp_tests(
        "quick",
        tmp_path,
        "-DSCHEDCORE_INSTALLED_CORE=ON",
        f"-DCMAKE_PREFIX_PATH={schedcore.get_cmake_dir()}",
        f"-DSCHEDCORE_SANITIZE={schedcore.build_config()['sanitizers']}",
        "-DCMAKE_CXX_FLAGS=-Og",  # with -O0 they run for as long as they compile, with -O1 they compile longer
    )


@pytest.mark.slow
@pytest.mark.skipif(
    "SCHEDCORE_SANITIZERS" not in os.environ, reason="set SCHEDCORE_SANITIZERS=1 to run the sanitizers"
)
@pytest.mark.parametrize("preset", ["asan", "tsan"])
def test_cpp_tests_pass_under_sanitizers(preset: str, tmp_path: Path) -> None:
    check_cpp_tests(preset, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["dev", "quick"])
def test_the_core_is_configured_without_python(preset: str, tmp_path: Path) -> None:
    if lacking := what_cpp_tests_lack():
        pytest.skip(lacking)
    done = run_tool("cmake", "--preset", preset, "-B", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Python" not in (tmp_path / "build.ninja").read_text()
