"""Changed snapshots are refused, or load into a state that keeps its invariants; never a crash.

The program runs in a process of its own, so that a crash is a failure here. ``SCHEDCORE_MUTATIONS`` is how many changes
of every policy are tried, both ways; the sanitized extension takes the same program (CONTRIBUTING.md).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("mutated_snapshots.py")
COUNT = int(os.environ.get("SCHEDCORE_MUTATIONS", "150"))


@pytest.mark.parametrize("checksum", [False, True], ids=["as-they-are", "with-the-checksum-made-right"])
def test_changed_snapshots_do_no_harm(checksum: bool, tmp_path: Path) -> None:
    last = tmp_path / "last.bin"
    command = [sys.executable, str(PROGRAM), "--count", str(COUNT), "--last", str(last)]
    done = subprocess.run(
        command + ["--checksum"] * checksum, capture_output=True, text=True, check=False, timeout=36000
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}, last bytes in {last}"
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) >= 23
    for row in rows:
        assert row["changed"] == COUNT == row["refused"] + row["accepted"], row
        assert row["refused"] > COUNT / 4, row
    assert any(row["accepted"] for row in rows) == checksum
