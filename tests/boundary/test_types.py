"""The sources are typed, and type checkers know the options of every algorithm.

That is names, types, words and who gives them by name alone.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "python" / "schedcore"
# A line that is wrong ends with what mypy has to say of it.
SNIPPET = """
import schedcore
from schedcore.algorithms.online.mris import MrisParameters

instance = schedcore.Instance(schedcore.Jobs([1.0], [[1]]), schedcore.Machines([[1]]))
schedcore.mris(instance, "svf", knapsack="greedy", patience=2, replan="always", progress=lambda done, total: None)
schedcore.mris(instance, patiense=2.0)  # Unexpected keyword argument "patiense" for "mris"; did you mean "patience"?
schedcore.mris(instance, patience="long")  # incompatible type "str"; expected "float"
schedcore.mris(instance, knapsack="gready")  # expected "Literal['cadp', 'greedy', 'greedy_union', 'exact']"
schedcore.mris(schedcore.Jobs([1.0], [[1]]))  # incompatible type "Jobs"; expected "Instance"
schedcore.ca_pq(instance, last_release_time=3.0)  # Unexpected keyword argument "last_release_time"
schedcore.easy(instance, "bb", 3, record=True)
schedcore.easy(instance, "bb", 3, 1.0, 1.0, 1.0, 2, True)  # Too many positional arguments for "easy"
result: str = schedcore.pq(instance)  # Incompatible types in assignment
MrisParameters().patience = 3.0  # Property "patience" defined in "MrisParameters" is read-only
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """What mypy says of the sources and the snippet together: read one after another, the sources are read twice."""
    folder = tmp_path_factory.mktemp("mypy")
    (folder / "snippet.py").write_text(SNIPPET)
    return subprocess.run(
        [sys.executable, "-m", "mypy", str(SOURCES), str(folder / "snippet.py")], cwd=ROOT,
        env={**os.environ, "MYPY_CACHE_DIR": str(folder / "cache")}, capture_output=True, text=True, check=False,
        timeout=600,
    )  # fmt: skip


@pytest.mark.slow
def test_mypy_strict_finds_nothing(checked: subprocess.CompletedProcess[str]) -> None:
    told = checked.stdout + checked.stderr
    *said, summary = checked.stdout.splitlines()
    assert [line for line in said if "snippet.py:" not in line] == [], told
    n_checked = int(re.fullmatch(r"Found \d+ errors in 1 file \(checked (\d+) source files\)", summary)[1])  # type: ignore[index]
    modules = {path.with_suffix("") for path in SOURCES.rglob("*.py*") if path.suffix in (".py", ".pyi")}
    assert n_checked == 1 + len(modules), told
    assert checked.stderr == ""


@pytest.mark.slow
def test_wrong_options_are_refused_by_mypy(checked: subprocess.CompletedProcess[str]) -> None:
    done = checked
    said = [line for line in done.stdout.splitlines() if " error: " in line]
    for number, line in enumerate(SNIPPET.splitlines(), start=1):
        here = [message for message in said if f"snippet.py:{number}: " in message]
        expected = line.partition("  # ")[2]
        assert expected in (here[0] if here else ""), done.stdout + done.stderr
        assert bool(here) == bool(expected), done.stdout
