"""What is shipped: the sdist holds all that the tree is built from, and the wheel holds the whole package.

Nothing is compiled here by default. A wheel from the sdist is one from the tree, because the sdist holds every source
of the tree, byte by byte, and CMake finds in it what it finds in the tree. What CMake adds to a wheel is looked up in
the package that the tests run with, unless its installation is an editable one. ``SCHEDCORE_WHEELS=1`` also compiles
both wheels, with little optimisation and with debug assertions.
"""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import schedcore
from boundary.cpp_tools import run_tool

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "src" / "cpp" / "include"
PYTHON_FILES = {
    path.relative_to(ROOT / "python").as_posix()
    for kind in ("py", "pyi", "js", "jinja", "toml", "typed")
    for path in (ROOT / "python").rglob(f"*.{kind}")
}
COMPILED_IN_LITTLE_TIME = (
    "-Ccmake.define.CMAKE_CXX_FLAGS_RELEASE=-Og",
    "-Ccmake.define.SCHEDCORE_WARNINGS_AS_ERRORS=ON",
    "-Cbuild.tool-args=-j2",
)

pytestmark = pytest.mark.slow

compiles_wheels = pytest.mark.skipif(
    "SCHEDCORE_WHEELS" not in os.environ, reason="set SCHEDCORE_WHEELS=1 to compile the wheels"
)


def run(*words: str | Path, folder: Path) -> str:
    scripts = sysconfig.get_path("scripts")
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", *(str(word) for word in words)], cwd=folder, env={**os.environ, "PATH": path},
        capture_output=True, text=True, check=False, timeout=3600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run("build", "--sdist", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    (archive,) = folder.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def from_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the sdist is unpacked to."""
    folder = tmp_path_factory.mktemp("from_sdist")
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # absent from the first releases of Python 3.11
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)
    (source,) = folder.iterdir()
    return source


def built_wheel(source: Path, folder: Path, *settings: str) -> Path:
    run("build", "--wheel", "--no-isolation", *settings, "--outdir", folder, source, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def python_wheel(from_sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel from the sdist without what CMake adds."""
    return built_wheel(from_sdist, tmp_path_factory.mktemp("python_wheel"), "-Cwheel.cmake=false")


def files_of(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_sdist_holds_the_sources_and_nothing_built(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        files = {PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix() for name in archive.getnames()}
    assert {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "PKG-INFO"} <= files
    sources = [
        path.relative_to(ROOT).as_posix()
        for folder in ("src", "python", "tests/cpp")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert len(sources) > 1000
    assert not sorted(set(sources) - files)
    allowed = {"src", "python", "tests", "bench", "docs", "examples"}
    assert {name.split("/")[0] for name in files if "/" in name} <= allowed
    unwanted = re.compile(r"\.(so|o|a|pyc|sqlite|gz|parquet|png)$|__pycache__|(^|/)build/")
    drawings = {f"docs/images/{path.name}" for path in (ROOT / "docs" / "images").iterdir()}
    assert not [name for name in files - drawings if unwanted.search(name)]
    assert sdist.stat().st_size < 3_000_000


def test_the_files_of_the_sdist_are_those_of_the_tree(from_sdist: Path) -> None:
    files = [path for path in from_sdist.rglob("*") if path.is_file() and path.name != "PKG-INFO"]
    assert len(files) > 1000
    for path in files:
        assert path.read_bytes() == (ROOT / path.relative_to(from_sdist)).read_bytes(), path


def compile_commands(source: Path, build: Path) -> dict[str, str]:
    """What CMake would compile, every source alone: the command of each, by its path from `source` on."""
    pybind11 = pytest.importorskip("pybind11", reason="configuring the bindings needs it")
    cython_cmake = pytest.importorskip("cython_cmake", reason="configuring the kernels needs it")
    done = run_tool(
        "cmake", "-G", "Ninja", "-S", source, "-B", build, "-DSCHEDCORE_UNITY_BUILD=OFF",
        f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
        f"-DCMAKE_MODULE_PATH={Path(cython_cmake.__file__).parent / 'cmake'}",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    commands = json.loads((build / "compile_commands.json").read_text())
    return {
        os.path.relpath(command["file"], source): command["command"]
        for command in commands
        if Path(command["file"]).is_relative_to(source)
    }


def commit_in(commands: dict[str, str]) -> str:
    (commit,) = [
        found[1] for command in commands.values() if (found := re.search(r'SCHEDCORE_COMMIT=\\"(.*?)\\"', command))
    ]  # fmt: skip
    return commit


@pytest.mark.skipif(
    not shutil.which("ninja", path=sysconfig.get_path("scripts")), reason="ninja is not installed"
)
def test_cmake_finds_the_sources_of_the_tree_in_the_sdist_and_no_commit(
    from_sdist: Path, tmp_path: Path
) -> None:
    in_sdist = compile_commands(from_sdist, tmp_path / "sdist")
    in_tree = compile_commands(ROOT, tmp_path / "tree")
    assert len(in_sdist) > 200
    assert in_sdist.keys() == in_tree.keys()
    assert commit_in(in_sdist) == ""
    assert commit_in(in_tree).removesuffix("+changes") == head_of_the_tree()


def head_of_the_tree() -> str:
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return ""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def test_a_wheel_from_the_sdist_holds_the_python_files_of_the_tree_and_the_licence(
    python_wheel: Path,
) -> None:
    files = files_of(python_wheel)
    assert {name for name in files if name.startswith("schedcore/")} == PYTHON_FILES
    check_metadata(files)


def check_metadata(files: set[str]) -> None:
    folder = f"schedcore-{schedcore.__version__}.dist-info"
    assert f"{folder}/licenses/LICENSE" in files
    assert {PurePosixPath(name).parts[0] for name in files} == {"schedcore", folder}


def check_package(files: set[str]) -> None:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    headers = {f"schedcore/include/{path.relative_to(HEADERS).as_posix()}" for path in HEADERS.rglob("*.h*")}
    found_by_cmake = ("config", "config-version", "targets", "targets-release")
    named = {
        *(f"schedcore/{name}{suffix}" for name in ("_core", "kernels")),
        *(f"schedcore/{name}" for name in ("__init__.pxd", "kernels.pxd")),
        *(f"schedcore/cmake/schedcore-{name}.cmake" for name in found_by_cmake),
        "schedcore/lib/libschedcore_cpp.a",
    }
    assert {name for name in files if name.startswith("schedcore/")} == PYTHON_FILES | headers | named


def test_what_is_installed_are_modules_stubs_declarations_headers_and_library() -> None:
    distribution = importlib.metadata.distribution("schedcore")
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        pytest.skip("an editable installation holds no modules")
    files = {path.as_posix() for path in distribution.files or ()}
    check_package({name for name in files if "__pycache__" not in name})


def test_twine_accepts_the_metadata(sdist: Path, python_wheel: Path) -> None:
    said = run("twine", "--no-color", "check", "--strict", sdist, python_wheel, folder=sdist.parent)
    assert said.count("PASSED") == 2


def test_version_of_the_package_and_of_the_metadata_agree() -> None:
    assert (
        schedcore.__version__
        == schedcore.build_config()["version"]
        == importlib.metadata.version("schedcore")
    )


@pytest.fixture(scope="module")
def wheels(from_sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the wheel from the tree and the one from the sdist.

    They are compiled in one place, one after the other, so that what they share is compiled once. The second one still
    fails where the sdist lacks a file.
    """
    source = tmp_path_factory.mktemp("wheels") / "source"
    unneeded = shutil.ignore_patterns(
        "build", "dist", ".venv*", ".*_cache", ".hypothesis", "__pycache__", ".git"
    )
    shutil.copytree(ROOT, source, ignore=unneeded)
    if (ROOT / ".git").exists():
        (source / ".git").symlink_to(ROOT / ".git")
    settings = (f"-Cbuild-dir={tmp_path_factory.mktemp('build')}", *COMPILED_IN_LITTLE_TIME)
    from_tree = built_wheel(source, tmp_path_factory.mktemp("from_tree"), *settings)
    shutil.rmtree(source)
    shutil.copytree(from_sdist, source)  # which keeps the times of the files
    return from_tree, built_wheel(source, tmp_path_factory.mktemp("wheel_from_sdist"), *settings)


@compiles_wheels
def test_a_wheel_from_the_sdist_holds_the_files_of_one_from_the_tree(wheels: tuple[Path, Path]) -> None:
    from_tree, from_sdist = wheels
    assert from_sdist.name == from_tree.name
    assert files_of(from_sdist) == files_of(from_tree)
    check_package(files_of(from_sdist))
    check_metadata(files_of(from_sdist))


# Prints the commit of the package in the working folder, also where the finder of an editable install comes first.
COMMIT = """
import importlib.machinery as machinery, os, sys
sys.meta_path[:] = [machinery.BuiltinImporter, machinery.FrozenImporter, machinery.PathFinder]
sys.path.insert(0, os.getcwd())
import schedcore
assert schedcore.__file__.startswith(os.getcwd()), schedcore.__file__
print(schedcore.build_config()["commit"])
"""


def commit_of(wheel: Path, folder: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    done = subprocess.run(
        [sys.executable, "-c", COMMIT], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@compiles_wheels
def test_a_wheel_knows_the_commit_of_the_checkout_and_one_from_the_sdist_none(
    wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    from_tree, from_sdist = wheels
    assert commit_of(from_sdist, tmp_path / "from_sdist") == ""
    assert commit_of(from_tree, tmp_path / "from_tree").removesuffix("+changes") == head_of_the_tree()
