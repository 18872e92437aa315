"""Programs as processes of their own: ``schedcore`` with its streams, on a terminal, and without a package."""

import os
import subprocess
import sys
from collections.abc import Mapping


def run_program(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program of Python."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )


def run_schedcore(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line, with changes of the environment."""
    return subprocess.run(
        [sys.executable, "-m", "schedcore", *map(str, words)],
        capture_output=True, text=True, env={**os.environ, **environment}, timeout=120, check=False,
    )  # fmt: skip


def run_schedcore_without(package: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line where a package cannot be imported."""
    return run_program(
        f"import sys; sys.modules[{package!r}] = None; sys.argv = {['schedcore', *words]!r}\n"
        "from schedcore.__main__ import main; main()"
    )


def shown_on_a_terminal(
    *words: object, environment: Mapping[str, str], **streams: int
) -> tuple[bytes, str | None]:
    """Run the command line to its end, which has to be 0; `streams` are those that are not on the terminal.

    Returns what the terminal showed, and what went into a pipe in place of it.
    """
    import pty  # not everywhere

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "schedcore", *map(str, words)],
        text=True, env=environment, **{"stdout": theirs, "stderr": theirs, **streams},
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        printed = None if process.stdout is None else process.stdout.read()
        assert process.wait(timeout=120) == 0
    os.close(ours)
    return shown, printed
