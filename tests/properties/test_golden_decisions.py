"""Decisions stay what they are, bit for bit: of every registered algorithm, with every combination of its options.

`golden_decisions.json` holds, by algorithm and options (those that are not the defaults), digests of what `solve`
returns on each of a few small instances of each kind that the algorithm takes: the schedule, the value, the guarantee
and the statistics, or which error it raises. After them stands, where the algorithm can be embedded, a digest of every
answer of an `OnlineScheduler` to the events of the first instance.

A change that is meant to change decisions records them anew, in one process:

    SCHEDCORE_RENEW_GOLDEN=1 pytest -p no:xdist tests/properties/test_golden_decisions.py

Some algorithms decide with the solution of a linear program, which another version of the solver may find elsewhere
among equal ones. They are skipped unless SCHEDCORE_GOLDEN_PROGRAMS names a file: it is compared where it knows the
algorithm and completed where it does not, so that two states of the code can be compared on one machine.
"""

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from engine.event_driver import drive
from engine.task_driver import TaskDriver
from schedcore import registry, workloads
from schedcore.registry import Algorithm, Option

Options = dict[str, Any]
Recorded = dict[str, dict[str, str]]

RECORDED = Path(__file__).with_name("golden_decisions.json")
RENEW = os.environ.get("SCHEDCORE_RENEW_GOLDEN") == "1"
OF_PROGRAMS = os.environ.get("SCHEDCORE_GOLDEN_PROGRAMS")
DECIDE_WITH_PROGRAMS = {"synchpack1", "synchpack2", "synchpack3", "colocate"}
OF_TINY_INSTANCES = {"mct_exact", "mct_ptas"}
ALONE = {"order", "predictions"}  # of too many values to combine
DIGITS = 10

#: Values of options that have neither choices nor examples, or are in `ALONE`; each is tried beside the defaults of the
#: others.
VALUES: dict[str, list[Any]] = {
    "all_machines": [True],
    "alpha": [0.0, 2.5],
    "beta": [2.0],
    "cooling": [0.5],
    "epsilon": [0.5],
    "exhaustive": [0],
    "gamma": [3.0, 90.0],
    "gamma0": [1.0, 0.75],
    "interval": [7.0],
    "k": [3],
    "lam": [0.25],
    "latency": [],
    "lp_solution": [],
    "machines_per_task": [1],
    "max_passes": [0, 3],
    "max_slots": [20],
    "memory_limit": [10_000],
    "mu": [0.5],
    "node_limit": [5],
    "order": ["sjf", "svf", "wsdf", "saf", "f1", "f2", "f3", "f4", "lxf", "wfp3", "unicef"],
    "origin": [2.5],
    "patience": [1.0, 4.0],
    "predictions": ["last_two"],
    "primary": [1],
    "protected": [2, 4],
    "queue_depth": [4],
    "reservation_depth": [3],
    "resolution": [0.5],
    "scale": [1.0],
    "seed": [1],
    "steps": [3],
    "swaps": [2],
    "tau0": [2.0],
    "time_limit": [],
    "trade": [0.5],
    "v": [0.5],
    "window": [15.0],
    "window_size": [4],
    "work_limit": [200],
}


def crowded(seed: int, n_jobs: int, **changes: int) -> schedcore.Instance:
    """More work than the machines can do as it arrives; some estimates are exact, others too long."""
    bounds = {"n_machines": 3, "n_resources": 2, "capacity": 9, "max_processing_time": 20, "max_demand": 7}
    drawn = workloads.uniform(
        seed, n_jobs, **{"max_weight": 5, "max_release_time": 2 * n_jobs, **bounds, **changes}
    )
    factor = np.array([3.0, 1.0, 1.5, 2.0, 5.0])[np.arange(n_jobs) % 5]
    estimates = np.ceil(drawn.jobs.processing_time * factor)
    return schedcore.Instance(drawn.jobs.replace(estimated_processing_time=estimates), drawn.machines)


def with_unequal_machines(instance: schedcore.Instance) -> schedcore.Instance:
    capacity = instance.machines.capacity.copy()
    capacity[1:] += np.arange(1, len(capacity))[:, np.newaxis]
    return schedcore.Instance(instance.jobs, schedcore.Machines(capacity))


@cache
def instances_of_jobs() -> tuple[schedcore.Instance, ...]:
    return (
        crowded(1, 60),
        crowded(2, 50, n_machines=1, n_resources=3),
        workloads.azure_like(3, 50, 2),
        workloads.lublin_k(4, 50, 2, estimate_factor=3, mean_gap=60),
        with_unequal_machines(crowded(5, 30)),
    )


@cache
def slotted_instances() -> tuple[schedcore.Instance, ...]:
    cores = workloads.slotted_standin(25, 1, window=40)
    memory = workloads.slotted_standin(25, 2, window=40, resources="cores_memory", load=1.2)
    return cores, memory, workloads.misestimate(memory, 0.5, 3)


@cache
def map_reduce_instances() -> tuple[schedcore.MapReduceInstance, ...]:
    return (
        workloads.mapreduce_standin(12, 1, window=40),
        workloads.mapreduce_standin(8, 2, family="bushy", window=60),
    )


@cache
def parallel_task_instances() -> tuple[schedcore.ParallelTaskInstance, ...]:
    draw = workloads.parallel_task_standin
    return (
        draw(6, 3, 1, load=None),
        draw(8, 4, 2, weights="random"),
        draw(5, 3, 3, load=None, placement="local_remote", n_local=2),
        draw(5, 3, 4, placement="local_remote", n_local=2),
    )


@cache
def colocation_instances(*, tiny: bool) -> tuple[schedcore.ColocationInstance, ...]:
    draw = workloads.colocation_grid
    n_tasks, n_machines = (7, 2) if tiny else (40, 6)
    classes = tuple(draw(kind, 3, n_tasks, n_machines, seed=kind) for kind in range(4))
    return (*classes, draw(1, 2, n_tasks, n_machines, seed=7))


def instances(algorithm: Algorithm) -> Iterator[Any]:
    if algorithm.solves(schedcore.Instance):
        of_jobs = slotted_instances() if algorithm.slotted else instances_of_jobs()
        yield from (without_releases(i) for i in of_jobs) if algorithm.needs_zero_releases else of_jobs
    if algorithm.solves(schedcore.MapReduceInstance):
        yield from map_reduce_instances()
    if algorithm.solves(schedcore.ParallelTaskInstance):
        yield from parallel_task_instances()
    if algorithm.solves(schedcore.ColocationInstance):
        yield from colocation_instances(tiny=algorithm.name in OF_TINY_INSTANCES)


def without_releases(instance: schedcore.Instance) -> schedcore.Instance:
    return schedcore.Instance(
        instance.jobs.replace(release_time=np.zeros(instance.n_jobs)), instance.machines
    )


def combinations(algorithm: Algorithm) -> Iterator[Options]:
    """Each of `VALUES` alone, and every combination of the defaults with what `registry_cases.options_of` draws."""
    for option in algorithm.options:
        yield from ({option.name: value} for value in VALUES.get(option.name, ()))
    values = {option.name: values_of(option) for option in algorithm.options}
    for chosen in itertools.product(*values.values()):
        yield {
            option.name: value
            for option, value in zip(algorithm.options, chosen, strict=True)
            if value != option.default or type(value) is not type(option.default)
        }


def values_of(option: Option) -> list[Any]:
    flags = [False, True] if isinstance(option.default, bool) else []
    words = () if option.name in ALONE else option.choices or option.examples
    named = [value for value in words if value not in flags]
    return list(dict.fromkeys([option.default, *flags, *named]))


def with_users(instance: schedcore.Instance) -> schedcore.Instance:
    """Three users, and nobody."""
    users = [("ann", "bob", None, "cem")[job % 4] for job in range(instance.n_jobs)]
    return schedcore.Instance(instance.jobs.replace(user=users), instance.machines)


def suited(options: Options, instance: Any) -> Options:
    """With latencies where tasks are placed by them, without options of memory where there is none."""
    if not isinstance(instance, schedcore.MapReduceInstance):
        return {name: value for name, value in options.items() if name != "placement"}
    options = {name: value for name, value in options.items() if name != "mem_mode"}
    if options.get("placement") == "latency":
        shape = instance.n_tasks, instance.n_machines
        options["latency"] = (np.arange(np.prod(shape), dtype=float) * 7 % 5).reshape(shape)
    return options


def plain(value: Any) -> Any:
    """The same as nested lists, of which the text tells every bit."""
    if isinstance(value, Mapping):
        return [[plain(key), plain(item)] for key, item in value.items()]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no text")


def digest(parts: list[Any]) -> str:
    return hashlib.sha256(repr(plain(parts)).encode()).hexdigest()[:DIGITS]


def columns(schedule: Any) -> list[Any]:
    if isinstance(schedule, schedcore.Schedule):
        return [schedule.start_time, schedule.machine]
    if isinstance(schedule, schedcore.Assignment):
        return [schedule.machine]
    names = ("job", "task", "machine", "start_time", "end_time", "amount")
    return [getattr(schedule, name) for name in names]


def outcome(algorithm: Algorithm, instance: Any, options: Options) -> list[Any]:
    try:
        result = schedcore.solve(algorithm.name, instance, **suited(options, instance))
    except schedcore.SchedcoreError as error:
        return [type(error).__name__]
    # What is ignored is said of the instance, and decides nothing.
    recorded = {name: value for name, value in result.stats.items() if name != "ignored"}
    return [columns(result.schedule), result.value, result.guarantee, recorded]


def embedded_answers(algorithm: Algorithm, instance: Any, options: Options) -> list[Any]:
    """Where every fourth job takes longer than it said, beyond many an estimate."""
    if isinstance(instance, schedcore.ParallelTaskInstance):
        scheduler = schedcore.OnlineScheduler(
            algorithm.name, instance.machines, **options, remote_penalty=instance.remote_penalty
        )
        late = [5 * (task % 4 == 3) for task in range(instance.n_tasks)]
        tasks = TaskDriver(scheduler, instance, late=late).run()
        return [tasks.start_time, tasks.machine]
    duration = instance.jobs.processing_time * np.where(np.arange(instance.n_jobs) % 4, 1.0, 2.5)
    try:
        run = drive(algorithm.name, instance, options, duration=duration.tolist())
    except schedcore.SchedcoreError as error:
        return [type(error).__name__]
    return [[now, list(d.starts), list(d.plan), d.next_wakeup] for now, d in run.decisions]


def decisions(algorithm: Algorithm) -> dict[str, str]:
    """Digests by options."""
    problems = list(instances(algorithm))
    recorded = {}
    for options in combinations(algorithm):
        told = map(with_users, problems) if "predictions" in options else problems
        digests = [digest(outcome(algorithm, problem, options)) for problem in told]
        if algorithm.embeddable:
            digests.append(digest(embedded_answers(algorithm, problems[0], options)))
        key = ",".join(f"{name}={options[name]}" for name in sorted(options))
        recorded[key or "defaults"] = " ".join(digests)
    return recorded


def read(path: Path) -> Recorded:
    return json.loads(path.read_text()) if path.exists() else {}


def record(path: Path, name: str, found: dict[str, str]) -> None:
    path.write_text(json.dumps(dict(sorted({**read(path), name: found}.items())), indent=1) + "\n")


@pytest.mark.parametrize("name", [a.name for a in registry.algorithms()])
def test_decisions_are_those_that_are_recorded(name: str) -> None:
    path = RECORDED
    if name in DECIDE_WITH_PROGRAMS:
        if OF_PROGRAMS is None:
            pytest.skip(
                "decides with a linear program; SCHEDCORE_GOLDEN_PROGRAMS names a file to compare with"
            )
        path = Path(OF_PROGRAMS)
    found = decisions(registry.get(name))
    if RENEW or (path != RECORDED and name not in read(path)):
        record(path, name, found)
    expected = read(path).get(name, {})
    changed = sorted(key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key))
    assert not changed, f"{name}: {len(changed)} of {len(found)} differ from {path.name}: {changed[:8]}"


def test_every_option_is_tried() -> None:
    for algorithm in registry.algorithms():
        for option in algorithm.options:
            assert option.name in VALUES or len(values_of(option)) > 1, f"no value of {option.name} to try"


def test_nothing_is_recorded_of_algorithms_that_are_none() -> None:
    assert set(read(RECORDED)) | DECIDE_WITH_PROGRAMS == {a.name for a in registry.algorithms()}
