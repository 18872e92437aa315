"""The processes that run cells: what they leave behind, what if one dies, and whose processes are not touched."""

import concurrent.futures
import multiprocessing
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from pickle import PicklingError

import pytest

from experiments.small_experiments import difficult_policies, of_policies
from schedcore import experiments
from schedcore.errors import SchedcoreError
from schedcore.experiments.running import local_processes
from schedcore.experiments.running.local_processes import LocalProcesses, NoWorkerStartsError, WorkerDiedError

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
    with LocalProcesses(1) as local:
        handler = local.submit(signal.getsignal, signal.SIGINT).result(PATIENCE)
        blocked = local.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result(PATIENCE)
    assert handler == signal.SIG_IGN
    assert blocked == set()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()  # in the parent


def test_a_cell_that_kills_its_worker_is_a_failed_row_and_the_others_finish(home: Path, output: Path) -> None:
    cause = home / "cause"
    cause.touch()
    policies = {
        "pq": "pq", "kills": f"kills_its_process:file={cause}", "raises": f"raises_while:file={cause}", "mris": "mris",
    }  # fmt: skip
    results = experiments.run(of_policies(home, policies, job_sets=2), output, workers=2)
    errors = {row["policy"]: row["error"] for row in results.failures}
    assert len(results.rows) == 8
    assert len(results.failures) == 4
    assert set(errors) == {"kills_its_process", "raises_while"}
    assert "its worker process died, perhaps for lack of memory" in errors["kills_its_process"]
    assert errors["raises_while"] == "OSError: the file is still there"
    again = experiments.resume(output, workers=2)
    assert len(again.failures) == 4
    cause.unlink()
    good = experiments.resume(output, workers=2)
    assert (good.n_missing, good.failures) == (0, [])
    assert len({row["cell"] for row in good.rows}) == len(good.rows) == 8
    assert not list((output / "rows").glob("failed-*"))


def test_the_death_of_a_worker_is_its_own() -> None:
    with LocalProcesses(2) as local:
        lives, dies = local.submit(time.sleep, 2), local.submit(os._exit, 3)
        with pytest.raises(WorkerDiedError, match="it ended with exit code 3"):
            dies.result(PATIENCE)
        assert local.submit(int).result(PATIENCE) == 0
        assert lives.result(PATIENCE) is None
    assert multiprocessing.active_children() == []


def test_workers_that_die_all_the_time_are_replaced() -> None:
    with LocalProcesses(2) as local:
        futures = [local.submit(*task) for _ in range(4) for task in ((os._exit, 1), (int,))]
        concurrent.futures.wait(futures, PATIENCE)
        assert [type(future.exception(0)) for future in futures] == [WorkerDiedError, type(None)] * 4
    assert multiprocessing.active_children() == []


def test_a_worker_that_is_killed_while_it_answers_has_died(monkeypatch: pytest.MonkeyPatch) -> None:
    receive = local_processes._Worker._receive
    with LocalProcesses(1) as local:
        assert local.submit(int).result(PATIENCE) == 0

        def kill_and_receive(self: local_processes._Worker) -> bytes:
            assert self._pipe.poll(PATIENCE)  # it has begun to write more than a pipe holds
            self.process.kill()
            self.process.join()
            return receive(self)

        with monkeypatch.context() as patch:
            patch.setattr(local_processes._Worker, "_receive", kill_and_receive)
            with pytest.raises(WorkerDiedError, match="signal 9 ended it"):
                local.submit(bytes, 2**26).result(PATIENCE)
        assert local.submit(int).result(PATIENCE) == 0


@pytest.mark.parametrize("by", ["os.fork()", "ctypes.CDLL(None).fork()"])
def test_a_death_is_noticed_though_what_the_worker_has_started_goes_on(by: str, tmp_path: Path) -> None:
    stays = tmp_path / "stays"
    stays.touch()
    program = f"""
import ctypes, os, time
if {by}:
    os._exit(1)
while os.path.exists({str(stays)!r}):
    time.sleep(0.01)
os._exit(0)
"""
    with LocalProcesses(1) as local:
        dies = local.submit(exec, program)
        try:
            with pytest.raises(WorkerDiedError, match="it ended with exit code 1"):
                dies.result(PATIENCE)
            assert local.submit(int).result(PATIENCE) == 0
        finally:
            stays.unlink()


def test_what_a_worker_starts_does_not_hold_its_pipe(tmp_path: Path) -> None:
    stays = tmp_path / "stays"
    stays.touch()
    wait = f"while [ -e {shlex.quote(str(stays))} ]; do sleep 0.05; done"
    descriptors = f"subprocess.Popen({wait!r}, shell=True, close_fds=False)"
    with LocalProcesses(1) as local:
        try:
            local.submit(exec, f"import subprocess; {descriptors}").result(PATIENCE)
            ended = local._workers[0]._pipe
            local._workers[0].process.kill()
            assert ended.poll(PATIENCE)
            with pytest.raises(EOFError):
                ended.recv_bytes()
        finally:
            stays.unlink()


def test_an_idle_worker_that_has_died_costs_no_task() -> None:
    with LocalProcesses(1) as local:
        assert local.submit(int).result(PATIENCE) == 0
        local._workers[0].process.kill()
        local._workers[0].process.join()
        assert local.submit(int).result(PATIENCE) == 0


def test_at_the_end_workers_that_can_end_are_not_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_processes, "_GOODBYE_SECONDS", 3.0)
    ended = tmp_path / "ended"
    leave = "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()"
    touch = f"import pathlib; pathlib.Path({str(ended)!r}).touch()"
    at_exit = f"import multiprocessing.util as util; util.Finalize(None, exec, [{touch!r}], exitpriority=1)"
    with LocalProcesses(2) as local:
        # Both take long enough to run beside each other.
        tasks = [local.submit(exec, f"{do}; import time; time.sleep(2)") for do in (leave, at_exit)]
        concurrent.futures.wait(tasks, PATIENCE)
    assert ended.exists()


def test_what_kept_the_first_worker_from_starting_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    start = local_processes._WorkerProcess.start

    def start_and_kill(self: local_processes._WorkerProcess) -> None:
        start(self)
        self.kill()

    def no_more(self: local_processes._WorkerProcess) -> None:
        raise BlockingIOError("no more processes")

    for instead, told in (
        (start_and_kill, "could start: signal 9 ended it"),
        (no_more, "could not be started: no more"),
    ):
        with monkeypatch.context() as patch, LocalProcesses(1) as local:
            patch.setattr(local_processes._WorkerProcess, "start", instead)
            with pytest.raises(NoWorkerStartsError, match=told):
                local.submit(int).result(PATIENCE)


def test_what_cannot_be_sent_is_an_error_of_the_task() -> None:
    with LocalProcesses(1) as local:
        with pytest.raises((TypeError, AttributeError, PicklingError), match="pickle"):
            local.submit(lambda: None).result(PATIENCE)
        with pytest.raises(TypeError, match="cannot pickle"):
            local.submit(eval, "__import__('threading').Lock()").result(PATIENCE)
        with pytest.raises(SchedcoreError, match="an error of the worker cannot be sent: ValueError"):
            local.submit(exec, "raise ValueError(open('/dev/null'))").result(PATIENCE)
        with pytest.raises(ZeroDivisionError):
            local.submit(eval, "1/0").result(PATIENCE)
        assert local.submit(int).result(PATIENCE) == 0


def test_an_error_ends_what_still_runs() -> None:
    with pytest.raises(RuntimeError, match="no more"), LocalProcesses(2) as local:  # noqa: PT012
        futures = [local.submit(time.sleep, 1000) for _ in range(3)]
        raise RuntimeError("no more")
    assert [future.cancelled() or type(future.exception()) for future in futures] == [
        WorkerDiedError, WorkerDiedError, True,
    ]  # fmt: skip
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
