"""The C++ tests, without Python in the build: the preset ``quick``, and the sanitizers on request.

``SCHEDCORE_SANITIZERS=1`` also runs the presets ``asan`` (addresses, undefined behaviour) and ``tsan`` (data races),
which compile file by file and take most of an hour.
"""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **os.environ,
    "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")]),
}
GTEST_PROBE = """\
cmake_minimum_required(VERSION 3.25...4.0)
project(probe LANGUAGES CXX)
find_package(GTest REQUIRED)
"""
sanitizer = pytest.mark.skipif(
    "SCHEDCORE_SANITIZERS" not in os.environ, reason="set SCHEDCORE_SANITIZERS=1 to run the sanitizers"
)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], cwd=ROOT, env=ENVIRONMENT,
        capture_output=True, text=True, check=False, timeout=7200,
    )  # fmt: skip


@pytest.fixture(scope="module")
def _cpp_tools(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where a tool is missing; finding GoogleTest is the business of CMake, so CMake is asked."""
    for tool in ("cmake", "ctest", "ninja"):
        try:
            answer = run(tool, "--version")
        except FileNotFoundError:
            pytest.skip(f"{tool} is not installed")
        if answer.returncode != 0:
            pytest.skip(f"{tool} does not run: {answer.stderr}")
    folder = tmp_path_factory.mktemp("gtest_probe")
    (folder / "CMakeLists.txt").write_text(GTEST_PROBE)
    if run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build").returncode != 0:
        pytest.skip("GoogleTest is not installed (Debian: libgtest-dev)")


@pytest.mark.slow
@pytest.mark.usefixtures("_cpp_tools")
@pytest.mark.parametrize(
    "preset", ["quick", pytest.param("asan", marks=sanitizer), pytest.param("tsan", marks=sanitizer)]
)
def test_cpp_tests_pass(preset: str, tmp_path: Path) -> None:
    build = tmp_path / preset
    for step in (
        ("cmake", "--preset", preset, "-B", build),
        ("cmake", "--build", build, "--parallel", "2"),
        ("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--parallel", "2"),
    ):
        done = run(*step)
        assert done.returncode == 0, done.stdout + done.stderr
