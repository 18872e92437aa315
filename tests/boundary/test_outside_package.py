"""Others can cimport the kernels of the installed schedcore, include its headers, and link its library."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import schedcore

PYPROJECT = """\
[build-system]
requires = ["scikit-build-core>=1.0", "cython>=3.1", "cython-cmake>=0.3"]
build-backend = "scikit_build_core.build"
[project]
name = "outside"
version = "0.1"
"""

CMAKE = """\
cmake_minimum_required(VERSION 3.25...4.0)
project(outside LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(Cython MODULE REQUIRED VERSION 3.1)
include(UseCython)
cython_transpile(outside.pyx LANGUAGE CXX OUTPUT_VARIABLE source CYTHON_ARGS {cython_includes})
python_add_library(outside MODULE "${{source}}" WITH_SOABI)
target_include_directories(outside PRIVATE "{include}")
install(TARGETS outside LIBRARY DESTINATION .)
"""

SOURCE = """\
# cython: language_level=3
from libc.stdint cimport int64_t
from schedcore.kernels cimport EXACT, first_fitting, fits, knapsack

cdef extern from "schedcore/index/fit.hpp" namespace "schedcore" nogil:
    bint header_fits "schedcore::fits"(const int64_t*, const int64_t*, size_t) noexcept

# the names that documentation gave these headers before there were folders
cdef extern from "schedcore/fit.hpp":
    pass
cdef extern from "schedcore/knapsack.hpp":
    pass
cdef extern from "schedcore/online_scheduler.hpp":
    pass


def best_pair():
    cdef int64_t[3] weight = [6, 5, 4]
    cdef int64_t[3] size = [50, 45, 31]
    cdef int64_t[3] chosen
    cdef int64_t count
    with nogil:
        count = knapsack(weight, size, 3, 80, EXACT, 1, 10, 1 << 20, chosen)
    return [chosen[i] for i in range(count)]


def refused():
    cdef int64_t[40] weight
    cdef int64_t[40] size
    cdef int64_t[40] chosen
    for i in range(40):
        size[i] = 1000003 * (i + 7)
        weight[i] = size[i] + i
    return knapsack(weight, size, 40, 20000000, EXACT, 1, 10, 1, chosen)


def fit_by_cimport_and_by_header():
    cdef int64_t[2] demand = [1, 2]
    cdef int64_t[2] available = [1, 1]
    cdef int64_t[4] rows = [1, 2, 1, 1]
    return (bool(fits(demand, available, 2)), bool(header_fits(demand, available, 2)),
            first_fitting(rows, 2, 2, available))
"""

PROGRAM = """\
import outside
assert outside.best_pair() == [1, 2], outside.best_pair()
assert outside.refused() == -1, outside.refused()
assert outside.fit_by_cimport_and_by_header() == (False, False, 1), outside.fit_by_cimport_and_by_header()
print("ok")
"""


def run(*command: str, **environment: str) -> str:
    scripts = sysconfig.get_path("scripts")
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PATH": path, **environment}, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_outside_package_cimports_the_kernels_and_includes_the_headers(tmp_path: Path) -> None:
    for module in ("pip", "scikit_build_core", "cython_cmake", "Cython"):
        pytest.importorskip(module, reason="building the outside package without isolation needs it")
    include = Path(schedcore.get_include())
    assert (include / "schedcore" / "packing" / "knapsack.hpp").is_file()

    project = tmp_path / "project"
    project.mkdir()
    folders = [Path(entry).parent.as_posix() for entry in schedcore.__path__]
    (project / "pyproject.toml").write_text(PYPROJECT)
    (project / "CMakeLists.txt").write_text(
        CMAKE.format(
            include=include.as_posix(), cython_includes=" ".join(f'-I "{folder}"' for folder in folders)
        )
    )
    (project / "outside.pyx").write_text(SOURCE)

    target = tmp_path / "target"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    run(*pip, "--no-build-isolation", "--no-index", "--target", str(target), str(project))

    python_path = os.pathsep.join([str(target), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    assert run(sys.executable, "-c", PROGRAM, PYTHONPATH=python_path).strip() == "ok"


@pytest.mark.slow
def test_a_program_of_others_finds_headers_and_library(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "policy_in_cpp"
    project = tmp_path / "project"
    shutil.copytree(example, project)
    # A shared library of everything shows that the machine code may be at any address.
    (project / "nothing.cpp").touch()
    with (project / "CMakeLists.txt").open("a") as lists:
        lists.write(
            "add_library(shared SHARED nothing.cpp)\n"
            "target_link_libraries(shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,schedcore::cpp>)\n"
        )
    build = tmp_path / "build"
    run("cmake", "-S", str(project), "-B", str(build), f"-DCMAKE_PREFIX_PATH={schedcore.get_cmake_dir()}")
    run("cmake", "--build", str(build))
    assert run(str(build / "limited_queue")).splitlines() == [
        "0: job 2 on machine 0",
        "0: job 3 on machine 1",
        "2: job 4 on machine 0",
        "the last job starts at 9",
    ]
