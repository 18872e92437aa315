"""What compiles and runs the C++ tests, and what of it is missing."""

import functools
import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path

__all__ = ["run_tool", "what_cpp_tests_lack"]

_ROOT = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {
    **os.environ,
    "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")]),
}
_GTEST_PROBE = """\
cmake_minimum_required(VERSION 3.25...4.0)
project(probe LANGUAGES CXX)
find_package(GTest REQUIRED)
"""


def run_tool(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run CMake and its kin at the root of the tree."""
    return subprocess.run(
        [str(word) for word in command], cwd=_ROOT, env=_ENVIRONMENT,
        capture_output=True, text=True, check=False, timeout=7200,
    )  # fmt: skip


@functools.cache
def what_cpp_tests_lack() -> str:
    """Return which tool is missing, or ""; finding GoogleTest is the business of CMake, so CMake is asked."""
    for tool in ("cmake", "ctest", "ninja"):
        try:
            answer = run_tool(tool, "--version")
        except FileNotFoundError:
            return f"{tool} is not installed"
        if answer.returncode != 0:
            return f"{tool} does not run: {answer.stderr}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "CMakeLists.txt").write_text(_GTEST_PROBE)
        if run_tool("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build").returncode != 0:
            return "GoogleTest is not installed (Debian: libgtest-dev)"
    return ""
