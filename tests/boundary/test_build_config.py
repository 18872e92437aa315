"""A build records the commit of the checkout that it was made from, and nothing where there is none.

The CMake function that finds it runs as a script here, over checkouts made for the purpose.
"""

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import pytest

import schedcore

ROOT = Path(__file__).resolve().parents[2]
SEARCH_PATH = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
CMAKE = shutil.which("cmake", path=SEARCH_PATH)
GIT = shutil.which("git")

needs_cmake = pytest.mark.skipif(CMAKE is None, reason="cmake is not installed")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    assert GIT is not None
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        [GIT, *author, *words], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def found_commit(folder: Path, *definitions: str, **environment: str) -> str:
    """What the build would record for `folder`."""
    assert CMAKE is not None
    with tempfile.TemporaryDirectory() as elsewhere:
        script = Path(elsewhere, "script.cmake")
        script.write_text(
            f'include("{(ROOT / "src" / "schedcore" / "source_commit.cmake").as_posix()}")\n'
            f'source_commit(commit "{folder.as_posix()}")\n'
            'execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${commit}")\n'
        )
        done = subprocess.run(
            [CMAKE, *definitions, "-P", script], env={**os.environ, **environment},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "check out"
    (folder / "inner").mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "tracked").write_text("as committed")
    git(folder, "add", "tracked")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def test_the_commit_is_a_full_hash_or_empty() -> None:
    assert re.fullmatch(r"(([0-9a-f]{40}|[0-9a-f]{64})(\+changes)?)?", schedcore.build_config()["commit"])


@needs_cmake
@needs_git
def test_changes_of_tracked_files_are_told_and_others_are_not(checkout: Path) -> None:
    head = git(checkout, "rev-parse", "HEAD")
    assert found_commit(checkout) == head
    (checkout / "untracked").write_text("new")
    (checkout / "tracked").touch()
    assert found_commit(checkout) == head
    (checkout / "tracked").write_text("changed")
    assert found_commit(checkout) == f"{head}+changes"
    git(checkout, "add", "tracked")
    assert found_commit(checkout) == f"{head}+changes"


@needs_cmake
@needs_git
def test_a_folder_inside_another_checkout_has_no_commit(checkout: Path) -> None:
    assert found_commit(checkout / "inner") == ""


@needs_cmake
@needs_git
def test_a_hook_of_another_checkout_does_not_mislead(checkout: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert found_commit(plain, GIT_DIR=str(checkout / ".git"), GIT_WORK_TREE=str(checkout)) == ""


@needs_cmake
@needs_git
def test_a_checkout_of_another_owner_or_without_commits_has_no_commit(checkout: Path, tmp_path: Path) -> None:
    # The first variable is git's own, for its tests; the others keep a configured safe.directory out.
    other_owner = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "GIT_CONFIG_NOSYSTEM": "1"}
    assert found_commit(checkout, **other_owner, GIT_CONFIG_GLOBAL=os.devnull) == ""
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q")
    assert found_commit(fresh) == ""


@needs_cmake
def test_without_git_there_is_no_commit(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert found_commit(plain) == ""
    assert found_commit(ROOT, "-DCMAKE_DISABLE_FIND_PACKAGE_Git=ON") == ""
    assert found_commit(ROOT, "-DGIT_EXECUTABLE=/nowhere/git") == ""
