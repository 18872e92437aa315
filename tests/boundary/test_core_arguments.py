"""Whatever a function of the compiled modules is given, it answers or raises: it never reads outside an array.

``SCHEDCORE_FUZZ_CALLS=5000`` makes the heavy check of it; run that with a sanitized extension, too.
"""

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boundary.core_calls import CALLS, ROOMS
from schedcore import InvalidInstanceError, SchedcoreError, UnsupportedError, _core, kernels

TESTS = Path(__file__).parent.parent
N_CALLS = int(os.environ.get("SCHEDCORE_FUZZ_CALLS", "0"))
SEED = int(os.environ.get("SCHEDCORE_FUZZ_SEED", "1"))
FEW = 20

#: What every Python object has, what pybind11 adds, and enumerations.
_OF_EVERY_OBJECT = {
    *dir(object),
    "__module__",
    "__dict__",
    "__weakref__",
    "__hash__",
    "__getstate__",
    "__doc__",
}


def reachable() -> set[str]:
    """Names of everything that can be called, as in `CALLS`."""
    names: set[str] = set()
    for prefix, module in (*(("", room) for room in ROOMS), ("kernels.", kernels)):
        for name, value in vars(module).items():
            if name.startswith("_") or inspect.ismodule(value) or name == "KnapsackMethod":
                continue
            if not callable(value) or getattr(value, "__module__", "").startswith("schedcore.errors"):
                continue
            if not inspect.isclass(value):
                names.add(prefix + name)
            elif "__init__" in vars(value):
                names.add(prefix + name)
                names |= {f"{name}.{member}" for member in vars(value) if member not in _OF_EVERY_OBJECT}
    return names - {"Policy", "PolicyEvent", "PolicyTurn"}  # these are made by the engine alone


def test_everything_in_the_compiled_modules_has_a_valid_call() -> None:
    private = {f"{name.split('.')[0]}._pybind11_conduit_v1_" for name in CALLS}
    inherited = {name for name in reachable() if name.split(".")[-1].startswith("_pybind11")}
    missing = reachable() - set(CALLS) - private - inherited
    assert not missing, f"no valid call in core_calls.py: {sorted(missing)}"


@pytest.mark.parametrize("name", CALLS)
def test_every_valid_call_is_accepted(name: str) -> None:
    for make in CALLS[name]:
        function, arguments = make()
        function(**arguments)


def failures(names: list[str], n_calls: int) -> list[str]:
    """Functions in a process of their own each; the last call of those that did not come to the end."""
    found = []
    for name in names:
        command: list[Any] = [sys.executable, "-W", "ignore", "-m", "boundary.core_fuzz", name, SEED, n_calls]
        try:
            done = subprocess.run(
                [str(part) for part in command],
                cwd=TESTS,
                capture_output=True,
                text=True,
                timeout=60 + n_calls,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            output = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
            found.append(f"no end of {output.splitlines()[-1:]}")
            continue
        lines = done.stdout.splitlines()
        if done.returncode != 0 or lines[-1:] != ["done"]:
            found.append(f"exit {done.returncode} after {lines[-1:]}: {done.stderr[-2000:]}")
    return found


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_wrong_arguments_end_in_an_answer_or_a_clear_error_in_a_few_calls() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "boundary.core_fuzz", "all", str(SEED), str(FEW)],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1:]) == (0, ["done"]), f"after {lines[-1:]}: {done.stderr[-2000:]}"


@pytest.mark.slow
@pytest.mark.skipif(not N_CALLS, reason="SCHEDCORE_FUZZ_CALLS says how many calls of each function")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_end_in_an_answer_or_a_clear_error(name: str) -> None:
    assert not failures([name], N_CALLS)


@pytest.mark.parametrize("solver", ["greedy", "flow"])
def test_solvers_that_share_cores_alone_refuse_memory(solver: str) -> None:
    function, arguments = CALLS["run_slots"][0]()
    with pytest.raises(UnsupportedError, match="with memory use joblevel"):
        function(**arguments | {"solver": solver})


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("feitelson_jobs", {"size_weight": np.zeros(3)}),
        ("feitelson_jobs", {"size_weight": np.full(3, 1.7e308)}),
        ("feitelson_jobs", {"repetition_weight": np.zeros(2)}),
        ("k_resource_demands", {"n_resources": 2**63 - 1}),
        ("estimated_times", {"factor": 0.5}),
        ("improve_assignment", {"target": -(2**63)}),
        ("FractionSchedule.slow_motion", {"lam": 5e-324}),
    ],
)
def test_values_that_a_kernel_cannot_reckon_with_are_refused(name: str, change: dict[str, Any]) -> None:
    function, arguments = CALLS[name][0]()
    with pytest.raises((SchedcoreError, ValueError), match=next(iter(change))):
        function(**arguments | change)


def test_a_plan_cannot_begin_where_the_clock_loses_every_duration() -> None:
    function, arguments = CALLS["place_plan"][0]()
    with pytest.raises(InvalidInstanceError, match=r"would start at 1e\+308"):
        function(**arguments | {"begin": 1e308})


def test_a_pool_of_the_largest_integer_is_shared_out() -> None:
    limit = np.array([2, 1, 2**63 - 4])
    cores, cut = _core.preemptive.slot_rates(np.array([1.0, 2.0, 3.0]), limit, 2**63 - 1)
    assert cores.tolist() == [2, 1, 2**63 - 4]
    assert cut == -1
