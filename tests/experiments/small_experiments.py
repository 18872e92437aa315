"""Experiments that take a second, policies that misbehave, and what two runs of one experiment have in common."""

import contextlib
import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from schedcore import registry
from schedcore.experiments import VOLATILE, Experiment, Results, Sweep, Workload, open_results

MODULE = "difficult_policies"

SOURCE = '''
"""Policies that do what a cell of an experiment must survive."""

import os, signal, sys, threading, time
import numpy as np
import schedcore
from schedcore import registry


def raises(inst, *, progress=None):
    raise ValueError("no job pleases me")


def raises_oddly(inst, *, progress=None, how="long"):
    if how == "exit":
        sys.exit("enough")
    if how == "long":
        raise RuntimeError("word " * 200_000)
    if how == "undecodable":
        raise FileNotFoundError(os.fsdecode(b"traces/caf\\xe9.csv"))
    if how == "no_exception":
        raise BaseException("below all exceptions")
    if how == "unspeakable":
        raise Unspeakable
    if how == "keyboard":
        raise KeyboardInterrupt
    return None


class Unspeakable(Exception):
    def __init__(self, *needed):
        super().__init__(*needed)

    def __str__(self):
        raise RuntimeError("no text")


def raises_while(inst, *, progress=None, file=""):
    if os.path.exists(file):
        raise OSError("the file is still there")
    return schedcore.pq(inst)


def at_time_zero(inst, *, progress=None):
    schedule = schedcore.Schedule(np.zeros(inst.n_jobs), np.zeros(inst.n_jobs, dtype=np.int64))
    return schedcore.Result(schedule, "awct", 1.0)


def kills_its_process(inst, *, progress=None, file=""):
    if not file or os.path.exists(file):
        os.kill(os.getpid(), signal.SIGKILL)
    return schedcore.pq(inst)


def slowly(inst, *, progress=None, seconds=0.02, draw=0):
    time.sleep(seconds)
    while draw == 3 and os.path.exists(os.environ.get("HELD_WHILE", "")):
        time.sleep(0.01)
    return schedcore.pq(inst)


def leaves_a_thread(inst, *, progress=None):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return schedcore.pq(inst)


def talks(inst, *, progress=None):
    print("to whom it may concern", flush=True)
    return schedcore.pq(inst)


def draws(inst, *, progress=None, seed=0):
    """The value tells which seed it got."""
    result = schedcore.pq(inst)
    return schedcore.Result(result.schedule, "awct", float(seed))


def _register(run, *options):
    own = tuple(registry.Option(name, default, name) for name, default in options)
    registry.register(registry.Algorithm(run.__name__, run.__name__, "test", "", run, own, "awct"))


_register(raises)
_register(raises_oddly, ("how", "long"))
_register(raises_while, ("file", ""))
_register(at_time_zero)
_register(kills_its_process, ("file", ""))
_register(slowly, ("seconds", 0.02), ("draw", 0))
_register(leaves_a_thread)
_register(talks)
_register(draws, ("seed", 0))
'''

UNIFORM = {
    "n_jobs": 50, "n_machines": 2, "n_resources": 2, "capacity": 9, "max_processing_time": 20, "max_weight": 5,
    "max_release_time": 60, "max_demand": 5,
}  # fmt: skip


@contextlib.contextmanager
def difficult_policies(folder: Path) -> Iterator[Path]:
    """A folder with the module `MODULE`; in the end this process forgets what an experiment imported from it."""
    (folder / f"{MODULE}.py").write_text(SOURCE)
    importlib.invalidate_caches()
    outside = dict(registry._algorithms), list(sys.path), sys.modules.pop(MODULE, None)
    for name, algorithm in outside[0].items():
        if algorithm.run.__module__ == MODULE:
            del registry._algorithms[name]
    sys.path[:] = [path for path in sys.path if not Path(path, f"{MODULE}.py").exists()]
    try:
        yield folder
    finally:
        registry._algorithms.clear()
        registry._algorithms.update(outside[0])
        sys.path[:] = outside[1]
        sys.modules.pop(MODULE, None)
        if outside[2] is not None:
            sys.modules[MODULE] = outside[2]


@pytest.fixture(name="policies")
def policies_fixture(tmp_path: Path) -> Iterator[Path]:
    """`difficult_policies` in the temporary folder of a test."""
    with difficult_policies(tmp_path) as folder:
        yield folder


def small(job_sets: int = 3) -> Experiment:
    """Generators of all kinds, several policies and sizes, with cells that two sweeps share."""
    return Experiment(
        name="small",
        workloads={
            "azure": Workload("azure_like", {"n_machines": 2}),
            "thinned": Workload("azure_like", {"n_jobs": 400, "seed": 1, "factor": 4, "total_resources": 6}),
            "uniform": Workload("uniform", UNIFORM),
            "patience": Workload("patience", {"n_jobs": 40}),
        },
        policies={"pq": "pq", "mris": "mris:knapsack=greedy", "tetris": "tetris", "bf": "bf_exec"},
        sweeps={
            "sizes": Sweep(["azure"], ["pq", "mris", "tetris"], {"n_jobs": [30, 80, 400]}),
            "delays": Sweep(["azure"], ["pq", "mris"], {"n_jobs": [80]}, keep=["delay_quantiles", "schedule"]),
            "others": Sweep(["thinned", "uniform", "patience"], ["pq", "bf"]),
        },
        job_sets=tuple(range(1, job_sets + 1)),
    )  # fmt: skip


def troubled(folder: Path, **policies: str) -> Experiment:
    """Cells that fail and cells with invalid schedules among good ones, in a folder of `difficult_policies`."""
    return of_policies(
        folder,
        {
            "pq": "pq",
            "raises": "raises",
            "invalid": "at_time_zero",
            "exits": "raises_oddly:how=exit",
            "draws": "draws",
            **policies,
        },
    )


def of_policies(folder: Path, policies: Mapping[str, str], job_sets: int = 3) -> Experiment:
    """Some policies, those of `difficult_policies` too, on thirty jobs."""
    return Experiment(
        name="policies",
        workloads={"azure": Workload("azure_like", {"n_jobs": 30, "n_machines": 2})},
        policies=policies,
        sweeps={"all": Sweep(["azure"], list(policies))},
        job_sets=tuple(range(1, job_sets + 1)),
        modules=[MODULE],
        folder=folder,
    )


def stable_rows(results: Results) -> dict[str, list[str]]:
    """Every column that does not tell when, where and how fast, sorted by cell; exact, NaN equal to NaN."""
    table = results.to_arrow().drop_columns(list(VOLATILE))
    return {name: [repr(value) for value in table[name].to_pylist()] for name in table.column_names}


def check_folder(folder: Path, complete: Mapping[str, list[str]]) -> int:
    """A folder after a kill: whole files, each cell once, no row unlike that of a `complete` run; count the rows."""
    results = open_results(folder)
    assert {path.name for path in folder.iterdir()} <= {"experiment.json", "rows", "lock"} | _unfinished(
        folder
    )
    for path in (folder / "rows").iterdir():
        assert path.name.startswith(("part-", "failed-", ".unfinished-"))
    rows = stable_rows(results)
    assert len(set(rows["cell"])) == len(rows["cell"])
    place = {cell: index for index, cell in enumerate(complete["cell"])}
    assert set(rows["cell"]) <= set(place)
    for name, values in rows.items():
        assert values == [complete[name][place[cell]] for cell in rows["cell"]]
    return len(rows["cell"])


def _unfinished(folder: Path) -> set[Any]:
    return {path.name for path in folder.glob(".unfinished-*")}
