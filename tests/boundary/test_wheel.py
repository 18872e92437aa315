"""What is shipped: a wheel built from the sdist holds the same files as one built from the tree. And the C++ tests.

Both wheels are built without isolation, with little optimisation and with debug assertions: it is their contents that
count here. They are built in one place, one after the other, so that what they share is compiled once, and the C++
tests are built along with them. The second build still fails where the sdist lacks a file, and the files that it has
are those of the tree, byte by byte.
"""

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
from boundary.cpp_tools import run_tool, what_cpp_tests_lack

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "src" / "cpp" / "include"
# Without any optimisation the C++ tests take minutes. With -O1 they run in two thirds of the time, but the core takes a
# third longer to compile, which costs more.
QUICKLY = (
    "-Ccmake.define.CMAKE_CXX_FLAGS_RELEASE=-Og",
    "-Ccmake.define.SCHEDCORE_WARNINGS_AS_ERRORS=ON",
    "-Cbuild.tool-args=-j2",
)

pytestmark = pytest.mark.slow


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
def build_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("build") / "build"


@pytest.fixture(scope="module")
def wheels(sdist: Path, build_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the wheel from the tree and the one from the sdist."""
    source = tmp_path_factory.mktemp("wheels") / "source"
    unneeded = shutil.ignore_patterns(
        "build", "dist", ".venv*", ".*_cache", ".hypothesis", "__pycache__", ".git"
    )
    shutil.copytree(ROOT, source, ignore=unneeded)
    if (ROOT / ".git").exists():
        (source / ".git").symlink_to(ROOT / ".git")
    from_tree = built_wheel(source, build_folder, tmp_path_factory.mktemp("from_tree"))
    shutil.rmtree(source)
    extracted(sdist, source.with_name("sdist")).rename(source)
    return from_tree, built_wheel(source, build_folder, tmp_path_factory.mktemp("from_sdist"))


def extracted(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # absent from the first releases of Python 3.11
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)
    (source,) = folder.iterdir()
    return source


def built_wheel(source: Path, build_folder: Path, folder: Path) -> Path:
    where = f"-Cbuild-dir={build_folder}"
    tests = f"-Ccmake.define.SCHEDCORE_BUILD_TESTS={'OFF' if what_cpp_tests_lack() else 'ON'}"
    words = ("--no-isolation", where, tests, *QUICKLY, "--outdir", folder, source)
    run("build", "--wheel", *words, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.usefixtures("wheels")
def test_cpp_tests_pass(build_folder: Path) -> None:
    if lacking := what_cpp_tests_lack():
        pytest.skip(lacking)
    done = run_tool(
        "ctest", "--test-dir", build_folder, "--output-on-failure", "--no-tests=error", "--parallel", "2"
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def wheel_from_tree(wheels: tuple[Path, Path]) -> Path:
    return wheels[0]


@pytest.fixture
def wheel_from_sdist(wheels: tuple[Path, Path]) -> Path:
    return wheels[1]


def files_of(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_a_wheel_from_the_sdist_holds_the_files_of_one_from_the_tree(
    wheel_from_sdist: Path, wheel_from_tree: Path
) -> None:
    assert wheel_from_sdist.name == wheel_from_tree.name
    assert files_of(wheel_from_sdist) == files_of(wheel_from_tree)


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


def test_a_wheel_knows_the_commit_of_the_checkout_and_one_from_the_sdist_none(
    wheel_from_sdist: Path, wheel_from_tree: Path, tmp_path: Path
) -> None:
    assert commit_of(wheel_from_sdist, tmp_path / "from_sdist") == ""
    head = ""
    if (ROOT / ".git").exists() and shutil.which("git"):
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        head = done.stdout.strip() if done.returncode == 0 else ""
    assert commit_of(wheel_from_tree, tmp_path / "from_tree").removesuffix("+changes") == head


def test_the_wheel_holds_modules_stubs_declarations_headers_and_licence(wheel_from_sdist: Path) -> None:
    files = files_of(wheel_from_sdist)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    sources = ROOT / "python"
    modules = {
        path.relative_to(sources).as_posix()
        for kind in ("py", "pyi", "js", "jinja")
        for path in sources.rglob(f"*.{kind}")
    }
    headers = {f"schedcore/include/{path.relative_to(HEADERS).as_posix()}" for path in HEADERS.rglob("*.h*")}
    found_by_cmake = ("config", "config-version", "targets", "targets-release")
    named = {
        *(f"schedcore/{name}{suffix}" for name in ("_core", "kernels")),
        *(f"schedcore/{name}" for name in ("py.typed", "__init__.pxd", "kernels.pxd")),
        *(f"schedcore/cmake/schedcore-{name}.cmake" for name in found_by_cmake),
        "schedcore/lib/libschedcore_cpp.a",
        *(f"schedcore/experiments/catalogue/{name}.toml" for name in schedcore.experiments.names()),
    }
    package = {name for name in files if name.startswith("schedcore/")}
    assert package == modules | headers | named
    folder = f"schedcore-{schedcore.__version__}.dist-info"
    assert f"{folder}/licenses/LICENSE" in files
    assert {PurePosixPath(name).parts[0] for name in files} == {"schedcore", folder}


def test_the_sdist_holds_the_sources_and_nothing_built(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        files = {PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix() for name in archive.getnames()}
    assert {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "PKG-INFO"} <= files
    assert {"src/cpp/CMakeLists.txt", "src/schedcore/kernels.pyx", "tests/cpp/CMakeLists.txt"} <= files
    allowed = {"src", "python", "tests", "bench", "docs", "examples"}
    assert {name.split("/")[0] for name in files if "/" in name} <= allowed
    unwanted = re.compile(r"\.(so|o|a|pyc|sqlite|gz|parquet|png)$|__pycache__|(^|/)build/")
    drawings = {f"docs/images/{path.name}" for path in (ROOT / "docs" / "images").iterdir()}
    assert not [name for name in files - drawings if unwanted.search(name)]
    assert sdist.stat().st_size < 3_000_000


def test_the_files_of_the_sdist_are_those_of_the_tree(sdist: Path, tmp_path: Path) -> None:
    source = extracted(sdist, tmp_path)
    files = [path for path in source.rglob("*") if path.is_file() and path.name != "PKG-INFO"]
    assert len(files) > 1000
    for path in files:
        assert path.read_bytes() == (ROOT / path.relative_to(source)).read_bytes(), path


def test_twine_accepts_the_metadata(sdist: Path, wheel_from_sdist: Path, wheel_from_tree: Path) -> None:
    said = run(
        "twine",
        "--no-color",
        "check",
        "--strict",
        sdist,
        wheel_from_sdist,
        wheel_from_tree,
        folder=sdist.parent,
    )
    assert said.count("PASSED") == 3


def test_version_of_the_package_and_of_the_metadata_agree() -> None:
    from importlib.metadata import version

    assert schedcore.__version__ == schedcore.build_config()["version"] == version("schedcore")
