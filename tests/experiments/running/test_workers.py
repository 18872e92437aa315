"""The processes that run cells: what they leave behind, what if one dies, and whose processes are not touched."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from experiments.small_experiments import difficult_policies, of_policies
from schedcore import experiments
from schedcore.experiments.running import local_processes

TESTS = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds; the machine may be busy


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Where the policies lie."""
    with difficult_policies(tmp_path) as folder:
        yield folder


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_a_thread_that_a_policy_left_does_not_keep_the_run_from_ending(
    home: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_processes, "_GOODBYE_SECONDS", 0.5)
    results = experiments.run(of_policies(home, {"odd": "leaves_a_thread"}), output, workers=1)
    assert (results.n_missing, results.failures) == (0, [])


def test_a_worker_ignores_ctrl_c_and_what_it_starts_may_hear_of_it() -> None:
    with local_processes.LocalProcesses(1) as local:
        submit = local.executor.submit
        handler = submit(signal.getsignal, signal.SIGINT).result(PATIENCE)
        blocked = submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result(PATIENCE)
    assert handler == signal.SIG_IGN
    assert blocked == set()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()  # in the parent


def test_a_cell_that_kills_its_worker_is_a_failed_row_and_the_others_finish(home: Path, output: Path) -> None:
    cause = home / "cause"
    cause.touch()
    policies = {
        "pq": "pq", "kills": f"kills_its_process:file={cause}", "raises": f"raises_while:file={cause}", "mris": "mris",
    }  # fmt: skip
    results = experiments.run(of_policies(home, policies), output, workers=2)
    errors = {row["policy"]: row["error"] for row in results.failures}
    assert len(results.rows) == 12
    assert len(results.failures) == 6
    assert set(errors) == {"kills_its_process", "raises_while"}
    assert "its worker process died, perhaps for lack of memory" in errors["kills_its_process"]
    assert errors["raises_while"] == "OSError: the file is still there"
    again = experiments.resume(output, workers=2)
    assert len(again.failures) == 6
    cause.unlink()
    good = experiments.resume(output, workers=2)
    assert (good.n_missing, good.failures) == (0, [])
    assert len({row["cell"] for row in good.rows}) == len(good.rows) == 12
    assert not list((output / "rows").glob("failed-*"))


def test_a_worker_that_starts_while_another_dies_does_not_stay_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = local_processes._WorkerProcess.start

    def start_slowly(self: local_processes._WorkerProcess) -> None:
        """The executor knows the process only when this returns."""
        others = multiprocessing.active_children()
        start(self)
        while others and others[0].is_alive():
            time.sleep(0.01)
        time.sleep(0.5 if others else 0)

    monkeypatch.setattr(local_processes._WorkerProcess, "start", start_slowly)
    with local_processes.LocalProcesses(2) as local:
        assert local.executor.submit(int).result(PATIENCE) == 0
        dies = local.executor.submit(os._exit, 1)
        lost = local.executor.submit(int)
        for future in (dies, lost):
            assert isinstance(future.exception(PATIENCE), BrokenProcessPool)
        assert local.renew()
        assert local.executor.submit(int).result(PATIENCE) == 0
    assert multiprocessing.active_children() == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_death_that_the_executor_does_not_notice_is_noticed(
    home: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(local_processes, "_GOODBYE_SECONDS", 0.5)
    monkeypatch.setattr(concurrent.futures.process._ExecutorManagerThread, "terminate_broken", fail)
    results = experiments.run(of_policies(home, {"kills": "kills_its_process"}), output, workers=1)
    assert len(results.failures) == 3
    assert all("its worker process died" in row["error"] for row in results.failures)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("how", ["script", "stdin"])
def test_a_script_without_a_guard_is_told_so_at_once(how: str, tmp_path: Path) -> None:
    script = (
        "from experiments.small_experiments import small\nfrom schedcore import experiments\n"
        "experiments.run(small(), 'out', workers=2)\n"
    )
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, *(["script.py"] if how == "script" else ["-"])], input=script, cwd=tmp_path, text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)}, capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    # The interpreter may say more at its exit: that a worker that was stopped early left semaphores to clean up.
    raised = [line for line in done.stderr.splitlines() if line.startswith("schedcore.errors.")]
    assert 'a script needs `if __name__ == "__main__":`' in raised[-1]
    assert experiments.open_results(tmp_path / "out").rows == []


def test_the_processes_of_the_caller_survive_an_error(home: Path, output: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as others:

        def fail(progress: experiments.Progress) -> None:
            if progress.done:
                raise RuntimeError("no more")
            others.submit(int).result()

        with pytest.raises(RuntimeError, match="no more"):
            experiments.run(of_policies(home, {"pq": "pq"}), output, workers=1, progress=fail)
        assert others.submit(int).result() == 0
