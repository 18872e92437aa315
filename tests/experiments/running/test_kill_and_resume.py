"""Killed at any moment and resumed, a folder holds every finished cell exactly once and nothing half-written."""

import concurrent.futures
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import schedcore
from experiments.small_experiments import (
    check_folder,
    difficult_policies,
    of_policies,
    small,
    stable_rows,
)
from schedcore import experiments
from schedcore.experiments import Experiment
from schedcore.experiments.results import folder as results_folder
from schedcore.experiments.running import dispatch

TESTS = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds; the machine may be busy

Rows = dict[str, list[str]]

started: list[subprocess.Popen[str]] = []

# Runs or resumes in a process of its own; `moment` is where that process kills itself: "fsync 3" is before the third
# call, "replace 2 after" behind the second one.
PROGRAM = """
import os, signal, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from schedcore import experiments
from schedcore.experiments.running import dispatch
from experiments.running.test_kill_and_resume import many_cells

def killing(name, n, after):
    inner, calls = getattr(os, name), 0
    def outer(*arguments):
        nonlocal calls
        calls += 1
        if calls == n and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        inner(*arguments)
        if calls == n:
            os.kill(os.getpid(), signal.SIGKILL)
    setattr(os, name, outer)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    operation, folder, workers, moment = sys.argv[1:]
    # A cell that is held must not hold back the rows of others in its slice.
    dispatch._SLICE_SECONDS, dispatch._WRITE_SECONDS = 0.0 if "HELD_WHILE" in os.environ else 0.05, 0.0
    experiment = many_cells(Path(folder))
    if moment:
        name, n, *after = moment.split()
        killing(name, int(n), bool(after))
    options = {"workers": int(workers)} if workers else {"executor": ThreadPoolExecutor(2)}
    output = Path(folder, "out")
    if operation == "run":
        experiments.run(experiment, output, **options)
    else:
        experiments.resume(output, **options)
"""


def many_cells(folder: Path) -> Experiment:
    """Some sixty cells of about 20 ms: good, failing and invalid ones."""
    policies = {f"slow-{draw}": f"slowly:draw={draw}" for draw in range(4)}
    return of_policies(folder, {**policies, "raises": "raises", "invalid": "at_time_zero"}, job_sets=10)


def begin(
    folder: Path, operation: str, *, workers: int | None = None, moment: str = ""
) -> subprocess.Popen[str]:
    """Start `PROGRAM` in a session of its own, by which its processes are known."""
    (folder / "program.py").write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, "program.py", operation, str(folder), "" if workers is None else str(workers), moment],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONFAULTHANDLER": "1"},
        start_new_session=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    started.append(process)
    return process


def session_members(session: int) -> list[int]:
    """The processes of a session that still run."""
    members = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, its_session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:  # it has just ended
                continue
            if int(its_session) == session and state not in "ZX":
                members.append(int(entry.name))
    return members


def wait_until_gone(session: int) -> None:
    limit = time.monotonic() + PATIENCE
    while members := session_members(session):
        assert time.monotonic() < limit, f"processes {members} survive"
        time.sleep(0.02)


def wait_for_rows(process: subprocess.Popen[str], output: Path, n_rows: int) -> None:
    """Wait until there are so many rows on the disk, or all."""
    limit = time.monotonic() + PATIENCE
    seen = None
    while process.poll() is None:
        files = {*output.rglob("*")} if (output / "experiment.json").exists() else None
        if files != seen:
            seen = files  # before they are read
            if len(experiments.open_results(output).rows) >= n_rows:
                return
        if time.monotonic() > limit:
            pytest.fail(
                f"no {n_rows} rows after {PATIENCE} s; the processes are at\n{where_all_are(process)}"
            )
        time.sleep(0.005)


def where_all_are(process: subprocess.Popen[str]) -> str:
    """End a program with all its processes; return the tracebacks of their threads."""
    for member in session_members(process.pid):
        os.kill(member, signal.SIGABRT)
    return process.communicate(timeout=PATIENCE)[1]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the policies lie, for all tests here: tracebacks in the rows name the file."""
    with difficult_policies(tmp_path_factory.mktemp("home")) as folder:
        yield folder


@pytest.fixture(scope="module")
def complete(home: Path) -> Rows:
    """The rows of a run that nothing interrupts."""
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        rows = stable_rows(experiments.run(many_cells(home), home / "complete", executor=executor))
    assert len(rows["cell"]) == 60
    return rows


@pytest.fixture
def output(home: Path) -> Iterator[Path]:
    """A new results folder; what a failed test leaves running is ended."""
    folder = home / "out"
    if folder.exists():
        folder.rename(home / f"earlier-{time.monotonic_ns()}")
    yield folder
    while started:
        with started.pop() as process:
            for member in session_members(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member, signal.SIGKILL)


@pytest.fixture
def hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file without which no cell of "slow-3" ends: the run is not over before the test, however slow that is."""
    monkeypatch.setenv("HELD_WHILE", str(tmp_path / "hold"))
    (tmp_path / "hold").touch()
    return tmp_path / "hold"


@pytest.mark.slow
def test_workers_and_rows_after_kills_at_random_moments(home: Path, output: Path, complete: Rows) -> None:
    draw = random.Random(7)
    n_rows = 0
    for n_more in (0, 1, 6, 12, 12):
        process = begin(home, "resume" if (output / "experiment.json").exists() else "run", workers=2)
        wait_for_rows(process, output, n_rows + n_more)
        time.sleep(draw.uniform(0.0, 0.06))
        process.kill()
        process.communicate()
        wait_until_gone(process.pid)
        n_rows = check_folder(output, complete)
    process = begin(home, "resume", workers=2)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert check_folder(output, complete) == 60
    assert stable_rows(experiments.open_results(output)) == complete


@pytest.mark.slow
def test_kills_while_rows_are_being_written(home: Path, output: Path, complete: Rows) -> None:
    """One folder through kills before, in and behind the writing of a file, again and again."""
    n_rows = 0
    moments = (
        "fsync 1", "replace 1",  # experiment.json is being written
        "replace 1 after", "fsync 3", "replace 2", "replace 3", "replace 3 after", "fsync 6", "replace 4",
        "replace 5 after", "fsync 7 after",
    )  # fmt: skip
    for moment in moments:
        begun = (output / "experiment.json").exists()
        assert begun == (moment not in moments[:3])
        process = begin(home, "resume" if begun else "run", moment=moment)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL, said
        if (output / "experiment.json").exists():
            now = check_folder(output, complete)
            assert now >= n_rows - complete["status"].count("'failed'")  # those are tried again
            n_rows = now
        else:
            assert list(output.glob(".unfinished-*"))
    assert 0 < n_rows < 60
    process = begin(home, "resume")
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert not list(output.rglob(".unfinished-*"))
    assert stable_rows(experiments.open_results(output)) == complete


@pytest.mark.parametrize("times", [1, 2])
def test_after_ctrl_c_no_worker_is_left_and_the_run_goes_on(
    home: Path, output: Path, complete: Rows, hold: Path, times: int
) -> None:
    """As a terminal does it: to all processes of the group, workers too."""
    process = begin(home, "run", workers=2)
    wait_for_rows(process, output, 3)
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    wait_until_gone(process.pid)
    assert check_folder(output, complete) < 60
    hold.unlink()
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        assert stable_rows(experiments.resume(output, executor=executor)) == complete


@pytest.mark.usefixtures("hold")
def test_a_terminated_run_leaves_no_worker(home: Path, output: Path, complete: Rows) -> None:
    process = begin(home, "run", workers=2)
    wait_for_rows(process, output, 3)
    process.terminate()
    process.communicate(timeout=PATIENCE)
    wait_until_gone(process.pid)
    assert check_folder(output, complete) < 60


def test_a_second_writer_is_refused_and_told_who_writes(
    home: Path, output: Path, complete: Rows, hold: Path
) -> None:
    process = begin(home, "run", workers=1)
    try:
        wait_for_rows(process, output, 1)
        with pytest.raises(
            schedcore.InvalidInstanceError, match=rf"is being written by process {process.pid} on "
        ):
            experiments.resume(output)
        with pytest.raises(schedcore.InvalidInstanceError, match="holds results of 'policies' already"):
            experiments.run(many_cells(home), output)
        hold.unlink()
        # Neither has touched what the first one is writing.
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        assert stable_rows(experiments.open_results(output)) == complete
    finally:
        process.kill()
        process.communicate()


def test_a_grown_description_does_not_replace_that_of_a_folder_being_written(
    home: Path, output: Path
) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        experiments.run(of_policies(home, {"pq": "pq"}, job_sets=1), output, executor=executor)
        before = (output / "experiment.json").read_bytes()
        grown = of_policies(home, {"pq": "pq"}, job_sets=2)
        with (
            results_folder.ResultsFolder.open(output).writing(),
            pytest.raises(schedcore.InvalidInstanceError, match="is being written by"),
        ):
            experiments.resume(output, grown, executor=executor)
        assert (output / "experiment.json").read_bytes() == before
        assert experiments.resume(output, grown, executor=executor).n_missing == 0


def test_a_new_folder_that_another_run_is_beginning_is_refused(home: Path, output: Path) -> None:
    (output / "rows").mkdir(parents=True)
    with (
        results_folder._locked(output),
        pytest.raises(schedcore.InvalidInstanceError, match="is being written by"),
    ):
        experiments.run(many_cells(home), output)
    assert not (output / "experiment.json").exists()


def test_leftovers_of_a_killed_run_are_taken_away(home: Path, output: Path) -> None:
    (output / "rows").mkdir(parents=True)
    (output / "lock").write_text("process 1 on another host")
    (output / ".unfinished-17-experiment.json").write_text("{")
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        experiment = of_policies(home, {"pq": "pq"})
        results = experiments.run(experiment, output, executor=executor)
        assert (results.n_missing, results.failures) == (0, [])
        (output / "rows" / ".unfinished-17-part-000002.parquet").write_bytes(b"PAR1")
        assert len(experiments.open_results(output).rows) == 3
        experiments.resume(output, executor=executor)
    assert not list(output.rglob(".unfinished-*"))


def test_resuming_some_figures_keeps_the_failures_of_the_others(home: Path, output: Path) -> None:
    described = of_policies(home, {"pq": "pq", "raises": "raises"})
    experiment = Experiment(
        name="two",
        workloads=described.workloads,
        policies=described.policies,
        sweeps={
            "all": described.sweeps["all"],
            "one": experiments.Sweep(["azure"], ["pq"], {"n_jobs": [30]}),
        },
        figures={"one": experiments.Figure("one", x="n_jobs")},
        modules=described.modules,
        folder=home,
    )
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        assert len(experiments.run(experiment, output, executor=executor).failures) == 1
        assert len(experiments.resume(output, figures=["one"], executor=executor).failures) == 1


@pytest.mark.parametrize("operation", ["fsync", "replace"])
@pytest.mark.parametrize("n", [3, 6])
def test_a_full_disk_stops_the_run_and_loses_nothing_that_was_written(
    home: Path, output: Path, complete: Rows, operation: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner, calls = getattr(os, operation), 0

    def failing(*arguments: object) -> None:
        nonlocal calls
        calls += 1
        if calls >= n:
            raise OSError(28, "No space left on device")
        inner(*arguments)

    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        with monkeypatch.context() as patch:
            patch.setattr(results_folder.os, operation, failing)
            patch.setattr(dispatch, "_WRITE_SECONDS", 0.0)
            patch.setattr(dispatch, "_SLICE_SECONDS", 0.0)
            with pytest.raises(OSError, match="No space left"):
                experiments.run(many_cells(home), output, executor=executor)
        check_folder(output, complete)
        assert stable_rows(experiments.resume(output, executor=executor)) == complete


def test_a_progress_callback_that_raises_loses_no_finished_cell(home: Path, output: Path) -> None:
    def refuse(progress: experiments.Progress) -> None:
        if progress.done >= 4:
            raise RuntimeError("seen enough")

    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        with pytest.raises(RuntimeError, match="seen enough"):
            experiments.run(small(job_sets=1), output, executor=executor, progress=refuse)
        assert len(experiments.open_results(output).rows) >= 4
        assert experiments.resume(output, executor=executor).n_missing == 0
