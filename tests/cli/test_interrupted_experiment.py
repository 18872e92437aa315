"""``schedcore experiment run`` and Ctrl-C: one line, exit code 130, and all that was done is kept."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cli.small_description import describe
from schedcore import experiments

INTERRUPTIBLE = """
import signal, sys
from schedcore.__main__ import main
from schedcore.experiments.running import dispatch as runner

if __name__ == "__main__":
    runner._SLICE_SECONDS = 0.0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
    main()
"""

SLOW_TO_START = """
import pathlib, signal, sys, time

if __name__ == "__main__":
    from schedcore.__main__ import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
else:  # a worker imports the main module
    pathlib.Path("starting").touch()
    time.sleep(2)
"""


def interrupted(program: str, description: Path, sign: Path) -> tuple[int, str, str]:
    """Run an experiment, press Ctrl-C once a file is there, and return how it ended and what it said."""
    Path("program.py").write_text(program)
    with subprocess.Popen(
        [sys.executable, "program.py", "experiment", "run", description, "-o", "out", "-w", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        limit = time.monotonic() + 120
        while not sign.exists() and time.monotonic() < limit:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        try:
            shown, said = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, shown, said


def test_ctrl_c_ends_with_130_and_resume_goes_on(cli: Callable[..., Any], place: Path) -> None:
    description = describe(place, slow="slowly:seconds=5")
    ended = interrupted(INTERRUPTIBLE, description, place / "out" / "rows" / "part-000001.parquet")
    assert ended == (130, "", "schedcore: interrupted\n")
    left = experiments.open_results("out")
    assert 0 < len(left.rows) < 12
    assert not left.failures
    missing = cli("experiment", "table", "out")
    assert missing.exit_code == 0


def test_ctrl_c_while_workers_start_says_so_once(place: Path) -> None:
    ended = interrupted(SLOW_TO_START, describe(place), place / "starting")
    assert ended == (130, "", "schedcore: interrupted\n")
