"""The sources are typed, linted and formatted as ``pyproject.toml`` says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env={**os.environ, **environment},
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_mypy_strict_finds_nothing(tmp_path: Path) -> None:
    run("mypy", MYPY_CACHE_DIR=str(tmp_path))


@pytest.mark.parametrize("check", [("check",), ("format", "--check")], ids=["lint", "format"])
def test_ruff_finds_nothing(check: tuple[str, ...]) -> None:
    run("ruff", *check, "--no-cache")
