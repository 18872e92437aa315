"""A linear program that takes long can be interrupted, and is solved once for everybody who asks."""

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from typing import Any

import pytest

import schedcore
from schedcore.bounds.content_cache import ContentCache
from schedcore.bounds.parallel_tasks import (
    interval_program,
    order_program,
    relaxation,
    relaxation_bound,
    solve_interval_program,
    solve_order_program,
)
from schedcore.workloads import parallel_task_standin

LONG_PROGRAM = """
import signal
import time
import schedcore
from schedcore.workloads import parallel_task_standin

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
instance = parallel_task_standin(1000, 200, 1, placement="local_remote", load=None)
print("started", flush=True)
try:
    schedcore.solve("synchpack2", instance)
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interrupt_ends_a_long_program() -> None:
    with subprocess.Popen([sys.executable, "-c", LONG_PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(6)  # beyond the building of the program, into the solver, which takes half a minute
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("placement", ["single", "local_remote"])
def test_a_default_program_is_solved_once_for_an_algorithm_and_the_bound_of_another(
    placement: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = parallel_task_standin(8, 3, 20261122, placement=placement, load=None)
    # Nothing is known yet, whatever this process has solved before.
    monkeypatch.setattr(interval_program, "_SOLVED", ContentCache())
    monkeypatch.setattr(order_program, "_SOLVED", ContentCache())
    monkeypatch.setattr(relaxation, "_CACHES", {name: ContentCache() for name in relaxation._CACHES})
    solver = import_module("schedcore.bounds.linear_solver")
    runs = []
    run = solver._run
    monkeypatch.setattr(solver, "_run", lambda *args, **options: (runs.append(1), run(*args, **options))[1])
    own = schedcore.solve("synchpack3" if placement == "single" else "synchpack2", instance)
    n_runs = len(runs)
    assert n_runs > 0
    assert relaxation_bound(instance) >= (own.lower_bound or 0)
    assert len(runs) == n_runs
    again = schedcore.solve(own.algorithm, instance)
    assert len(runs) == n_runs
    assert again == own


def test_what_is_remembered_of_a_program_cannot_be_changed() -> None:
    instance = parallel_task_standin(5, 2, 20261122, load=None)
    order, interval = solve_order_program(instance), solve_interval_program(instance, doubling=True)
    order.details["value"] = interval.details["value"] = None
    assert solve_order_program(instance).details["value"] is not None
    assert solve_interval_program(instance, doubling=True).details["value"] is not None
    assert order.completion is not None
    assert interval.fractions is not None
    for column in (order.completion, interval.fractions.units):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
