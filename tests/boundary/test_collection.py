"""Tests have the same names in every process: workers that share them, and a name noted down, rely on it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = ["-p", "no:cacheprovider", "-p", "no:benchmark"]  # what would write into the tree
# To make assertions tell what they compare would take most of the time; here nobody asserts.
COLLECT = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--assert=plain", *WITHOUT, "tests"]


def names_of_tests(hash_seed: int) -> list[str]:
    done = subprocess.run(
        COLLECT, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return [line for line in done.stdout.splitlines() if "::" in line]


def is_of_all_tests(config: pytest.Config) -> bool:
    """Whether this process has collected everything, and left nothing out."""
    left_out = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "stepwise")
    return config.args == config.getini("testpaths") and not any(
        config.getoption(name, None) for name in left_out
    )


@pytest.mark.slow
def test_names_depend_neither_on_the_time_nor_on_the_order_of_sets(request: pytest.FixtureRequest) -> None:
    # The second collection begins after the first has ended: seconds later, and with another order of sets.
    if is_of_all_tests(request.config):
        first = [item.nodeid for item in request.session.items]
        second = names_of_tests(2 if os.environ.get("PYTHONHASHSEED") == "1" else 1)
    else:
        first, second = names_of_tests(1), names_of_tests(2)
    assert len(first) > 1000
    assert first == second


def test_files_that_are_to_come_first_are_there(pytestconfig: pytest.Config) -> None:
    plugins = pytestconfig.pluginmanager.get_plugins()
    (names,) = [plugin.LONG_FILES for plugin in plugins if hasattr(plugin, "LONG_FILES")]
    assert [name for name in names if not (ROOT / "tests" / name).is_file()] == []


def test_all_files_with_a_real_slurm_are_for_the_same_worker(pytestconfig: pytest.Config) -> None:
    plugins = pytestconfig.pluginmanager.get_plugins()
    (names,) = [plugin.WITH_SLURM for plugin in plugins if hasattr(plugin, "WITH_SLURM")]
    tests = ROOT / "tests"
    imports = re.compile(r"^from slurm\.real_slurm import", re.MULTILINE)
    files = [path for path in tests.rglob("test_*.py") if imports.search(path.read_text())]
    found = {path.relative_to(tests).as_posix() for path in files}
    assert {*names} == found
