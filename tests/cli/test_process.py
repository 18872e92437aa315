"""``schedcore`` as a process of its own: version, streams, terminals, signals and missing extras."""

import csv
import io
import os
import re
import signal
import subprocess
import sys

import pytest

import schedcore
from cli.processes import run_program, run_schedcore, run_schedcore_without, shown_on_a_terminal

SLEEPING_POLICY = """
import signal, sys, time
from schedcore import registry
from schedcore.__main__ import main

def sleeping(inst, *, progress=None):
    print("started", file=sys.stderr, flush=True)
    time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
registry.register(registry.Algorithm("sleeping", "", "test", "", sleeping, (), "awct"))
sys.argv = ["schedcore", "compare", "azure_like:n_jobs=10", "-p", "sleeping"]
main()
"""


def test_the_version_is_printed_on_stdout() -> None:
    done = run_schedcore("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"schedcore {schedcore.__version__}\n", "")


def test_without_a_command_the_help_is_shown() -> None:
    done = run_schedcore()
    assert done.returncode == 2
    assert "compare" in done.stdout + done.stderr


@pytest.mark.parametrize("words", [("no_such_command",), ("compare", "--no-such-option"), ("run",)])
def test_wrong_use_ends_with_2(words: tuple[str, ...]) -> None:
    done = run_schedcore(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr


@pytest.mark.parametrize(
    ("workload", "policy", "told"),
    [
        ("azure_like:n_jobs=30", "pq", "offered load 0.0"),
        ("colocation_grid:cls=3,n_types=3,n_tasks=20,n_machines=3", "colocate", "20 tasks"),  # with a linear program
        ("parallel_task_standin:n_jobs=5,n_machines=3,load=none", "synchpack3", "offered load -"),
    ],
)  # fmt: skip
def test_stdout_is_nothing_but_the_result(workload: str, policy: str, told: str) -> None:
    done = run_schedcore("compare", workload, "-p", policy, "--format", "csv")
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["policy"] == policy
    assert done.stderr.startswith(workload.partition(":")[0])
    assert told in done.stderr


def test_no_escape_codes_off_the_terminal() -> None:
    done = run_schedcore("compare", "azure_like:n_jobs=30", "-p", "pq")
    assert "\x1b" not in done.stdout + done.stderr


def test_verbose_logs_to_stderr_and_silence_is_the_default() -> None:
    words = ("compare", "uniform:n_jobs=50,n_machines=1,n_resources=1,capacity=2,max_processing_time=9,"
             "max_weight=1,max_release_time=9,max_demand=2", "-p", "pq")  # fmt: skip
    assert "WARNING schedcore" not in run_schedcore(*words).stderr
    loud = run_schedcore("-v", *words)
    assert "WARNING schedcore" in loud.stderr
    assert "WARNING" not in loud.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a POSIX facility")
@pytest.mark.parametrize("no_color", [False, True])
def test_a_progress_bar_shows_on_a_terminal_without_touching_stdout(no_color: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color"} | ({"NO_COLOR": "1"} if no_color else {})
    words = ("compare", "azure_like:n_jobs=300", "-p", "pq", "-f", "csv")
    shown, printed = shown_on_a_terminal(*words, environment=environment, stdout=subprocess.PIPE)
    assert b"300/300" in shown
    assert (b"\x1b[38;5;" in shown or b"\x1b[32m" in shown) is not no_color
    (row,) = csv.DictReader(io.StringIO(printed))
    assert row["policy"] == "pq"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a POSIX facility")
def test_a_narrow_terminal_cuts_nothing_off() -> None:
    policies = ("-p", "pq", "-p", "mris:opportunistic=true", "-p", "ca_pq:heuristic=erf")
    shown, _ = shown_on_a_terminal(
        "compare", "azure_like:n_jobs=300", *policies,
        environment={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    lines = shown.decode().splitlines()
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines) <= 80
    assert "…" not in shown.decode()
    for word in ("pq", "mris:", "opportunistic=", "heuristic=", "valid"):
        assert any(word in line for line in lines)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to another process is a POSIX facility")
def test_ctrl_c_ends_with_130_and_one_sentence() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPING_POLICY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        while "started" not in (line := process.stderr.readline()):
            assert line, "it ended before it started"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=5)
    assert process.returncode == 130
    assert said == "schedcore: interrupted\n"


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_a_missing_extra_is_named_by_the_command(package: str) -> None:
    done = run_schedcore_without(package)
    assert done.returncode == 2
    assert "schedcore[cli]" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("package", "extra", "words"),
    [
        ("matplotlib", "plot", ["compare", "azure_like:n_jobs=5", "-p", "pq", "--plot", "never_made"]),
        ("pyarrow", "traces", ["run", "pq", "azure_like:n_jobs=5", "-o", "never_made.csv"]),
    ],
)
def test_a_missing_package_of_a_command_is_named_with_its_extra(
    package: str, extra: str, words: list[str]
) -> None:
    done = run_schedcore_without(package, *words)
    assert done.returncode == 2
    assert f"schedcore[{extra}]" in done.stderr
    assert "Traceback" not in done.stderr


def test_importing_the_library_imports_no_extra() -> None:
    done = run_program(
        "import sys, schedcore, schedcore.metrics, schedcore.plotting\n"
        "loaded = {'typer', 'rich', 'matplotlib', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(', '.join(loaded) or 0)"
    )
    assert done.returncode == 0, done.stderr
