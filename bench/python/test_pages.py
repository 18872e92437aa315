"""A comparison on a recorded log as a user calls it: a process of its own, the table alone, and with the page.

The time is the wall time of the whole process; the pictures are its larger part where logs are short.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data_folder import data_folder

LOGS = {"KTH": "KTH-SP2-1996-2.1-cln.swf.gz", "RICC": "RICC-2010-2.swf.gz"}
# Conservative backfilling of RICC's 447,786 jobs takes minutes, and is measured elsewhere.
CASES = [
    ("KTH", (), 5),
    ("RICC", ("--machines", "1x28416,78992GB", "-p", "easy", "-p", "fcfs", "-p", "recorded"), 3),
]
LARGEST_PAGE = 4_000_000  # bytes


@pytest.mark.parametrize("form", ["table", "page"])
@pytest.mark.parametrize(("log", "words", "n_rows"), CASES, ids=[f"{log}-{n}_rows" for log, _, n in CASES])
def test_a_log_is_compared(
    benchmark: Any, tmp_path: Path, log: str, words: tuple[str, ...], n_rows: int, form: str
) -> None:
    path, page = data_folder("pwa-swf", LOGS[log]), tmp_path / "page.html"
    written = ("--report", str(page), "--force") if form == "page" else ()
    command = [sys.executable, "-m", "schedcore", "compare", str(path), *words, *written]

    def call() -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout

    told = benchmark.pedantic(call, rounds=3, warmup_rounds=1)
    assert len(re.findall(r"\b(?:valid|recorded)$", told, re.MULTILINE)) == n_rows
    assert page.exists() == (form == "page")
    assert form == "table" or page.stat().st_size < LARGEST_PAGE
