"""What a caller can do while a kernel runs: interrupt it, watch it, stop it, and run others beside it."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import registry
from schedcore.experiments.running.peak_memory import PeakMemory
from schedcore.workloads import azure_like, slotted_standin

# Says when the kernel is under way and, on the clock that all processes share, when the interrupt came out of it.
INTERRUPTED_PROGRAM = """
import signal
import time
import schedcore
from schedcore.workloads import azure_like

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
started = False

def progress(done, total):
    global started
    if not started:
        started = True
        print("started", flush=True)

instance = azure_like(seed=1, n_jobs={n_jobs}, n_machines={n_machines})
try:
    schedcore.solve({name!r}, instance, progress=progress, **{options!r})
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
else:
    print("finished", time.monotonic(), flush=True)
"""


@cache
def workload(n_jobs: int) -> schedcore.Instance:
    return azure_like(seed=1, n_jobs=n_jobs, n_machines=20)


@pytest.mark.parametrize(
    ("name", "n_jobs", "n_machines", "options"),
    [
        pytest.param("pq", 1_600_000, 200, {}, id="pq"),
        pytest.param("tetris", 800_000, 100, {}, id="tetris"),
        pytest.param("mris", 512_000, 40, {"placement": "list"}, id="mris-list"),
        pytest.param(
            "mris", 512_000, 40, {"knapsack": "exact", "opportunistic": True}, id="mris-opportunistic"
        ),
        pytest.param("ocorp", 20_000, 4, {}, id="ocorp"),  # millions of slots
    ],
)
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interrupt_ends_a_running_solve_within_a_second(
    name: str, n_jobs: int, n_machines: int, options: dict[str, Any]
) -> None:
    program = INTERRUPTED_PROGRAM.format(name=name, n_jobs=n_jobs, n_machines=n_machines, options=options)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(0.3)  # well inside the kernel
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        how, when = process.stdout.readline().split()
        assert process.wait(timeout=60) == 0
    assert how == "interrupted"
    assert float(when) - sent < 1.0


def test_progress_grows_to_at_most_all_jobs_and_changes_no_decision() -> None:
    instance = workload(256_000)
    calls: list[tuple[int, int]] = []
    watched = schedcore.solve("pq", instance, progress=lambda *call: calls.append(call))
    assert calls
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert done[0] >= 0
    assert done[-1] <= instance.n_jobs
    assert {call[1] for call in calls} == {instance.n_jobs}
    assert watched.schedule == schedcore.solve("pq", instance).schedule


class StoppedByCaller(Exception):
    pass


def stop(done: int, total: int) -> None:
    raise StoppedByCaller


@pytest.mark.parametrize(("name", "options"), [("pq", {}), ("mris", {"placement": "list"})])
def test_an_exception_of_the_progress_callback_ends_the_run_and_reaches_the_caller(
    name: str, options: dict[str, Any]
) -> None:
    with pytest.raises(StoppedByCaller):
        schedcore.solve(name, workload(256_000), progress=stop, **options)


def test_runs_that_were_stopped_leave_no_memory_behind() -> None:
    instance = workload(256_000)

    def peak_of_stopped_runs(n_runs: int) -> int:
        with PeakMemory() as memory:
            for _ in range(n_runs):
                with pytest.raises(StoppedByCaller):
                    schedcore.solve("pq", instance, progress=stop)
        if not memory.is_of_block:
            pytest.skip("this system does not reset the high-water mark")
        return memory.bytes

    warm = peak_of_stopped_runs(3)
    # One run holds more than 256,000 jobs of 100 bytes, 25 MB; leaking a dozen of them would show.
    assert peak_of_stopped_runs(12) - warm < 12 * 6_000_000


def test_other_python_threads_go_on_while_a_kernel_runs() -> None:
    instance = workload(256_000)
    finished = threading.Event()
    beats: list[float] = []

    def beat() -> None:
        while not finished.is_set():
            beats.append(time.monotonic())
            time.sleep(0.001)

    counter = threading.Thread(target=beat, daemon=True)
    counter.start()
    begin = time.monotonic()
    schedcore.solve("pq", instance)
    end = time.monotonic()
    finished.set()
    counter.join()
    # With the GIL held the gap would be the whole run.
    inside = [begin, *(beat for beat in beats if begin < beat < end), end]
    assert max(np.diff(inside)) < (end - begin) / 2


@pytest.mark.parametrize(
    "algorithm", registry.algorithms(schedcore.Instance), ids=lambda algorithm: algorithm.name
)
def test_threads_that_solve_the_same_instance_get_the_result_of_one(algorithm: registry.Algorithm) -> None:
    n_threads = 4
    # It searches anew at every event: a run takes half a second for 1,000 jobs, and minutes for 3,000.
    n_jobs = 1_000 if algorithm.name == "plan_annealing" else 3_000
    drawn = (
        slotted_standin(n_jobs, seed=2)
        if algorithm.slotted
        else azure_like(seed=2, n_jobs=n_jobs, n_machines=4)
    )
    release_time = 0 if algorithm.needs_zero_releases else drawn.jobs.release_time

    def fresh() -> schedcore.Instance:
        return schedcore.Instance(drawn.jobs.replace(release_time=release_time), drawn.machines)

    alone = schedcore.solve(algorithm.name, fresh())
    shared = fresh()  # nothing of it is computed yet: hashes and bounds are raced for, too
    together = threading.Barrier(n_threads)

    def run(_: int) -> tuple[schedcore.Result, float, str]:
        together.wait()
        result = schedcore.solve(algorithm.name, shared)
        return result, result.ratio(), shared.content_hash()

    with ThreadPoolExecutor(n_threads) as pool:
        for result, ratio, content_hash in pool.map(run, range(n_threads)):
            assert result.schedule == alone.schedule
            assert (result.value, ratio) == (alone.value, alone.ratio())
            assert content_hash == shared.content_hash()
