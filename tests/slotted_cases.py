"""Instances of the slotted preemptive family: written down job by job, drawn at random, and those of the papers' tests.

What the strategies like to draw: equal jobs and equal machines, jobs as wide as a server, as all servers and as
anything between, memories that fill a server exactly or are 0, estimates on both sides of the truth, one job, none,
and gaps without any job. Every job can run: it needs no more cores than there are, and no more memory (in truth and as
estimated) than the first server in packing order has. Where jobs are to be served whole, some server holds each.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

import schedcore
from reference.slotted_instance import packing_order

#: Policies of the family that know no processing times.
NON_CLAIRVOYANT = ["las", "gittins", "drf", "proportional_fairness"]

#: Those of them that share all resources among all jobs.
FAIR = ["drf", "proportional_fairness"]

Amounts = int | Sequence[int]
Row = tuple[int, Amounts, int]  # release time, demand, processing time
Piece = tuple[int, int, int, int, int]  # start, job, machine, end, cores
MapReduceRow = tuple[
    int, tuple[int, int, int], tuple[int, int, int]
]  # release, (tasks, cores, time) of both phases


def slotted(
    rows: Sequence[Row], capacity: Sequence[Amounts], believed: Sequence[Amounts] | None = None
) -> schedcore.Instance:
    """Jobs (release time, demand, processing time) on machines; a lone number is an amount of cores."""
    machines = _matrix(capacity)
    width = {"n_rows": len(rows), "n_columns": machines.shape[1]}
    estimates = {} if believed is None else {"estimated_demand": _matrix(believed, **width)}
    return schedcore.Instance(
        schedcore.Jobs(
            processing_time=[p for _, _, p in rows],
            demand=_matrix([demand for _, demand, _ in rows], **width),
            release_time=[a for a, _, _ in rows] or 0,
            **estimates,
        ),
        schedcore.Machines(machines),
    )


def _matrix(rows: Sequence[Amounts], n_rows: int | None = None, n_columns: int | None = None) -> Any:
    array = np.array([[row] if isinstance(row, int) else list(row) for row in rows], dtype=np.int64)
    return array if n_rows is None else array.reshape(n_rows, n_columns or 1)


def map_reduce(rows: Sequence[MapReduceRow], cores: Sequence[int]) -> schedcore.MapReduceInstance:
    """Jobs (release time, map phase, reduce phase) on machines with these cores."""
    names = ("map_tasks", "map_cores", "map_time", "reduce_tasks", "reduce_cores", "reduce_time")
    table = np.array([[*mapping, *reducing] for _, mapping, reducing in rows], dtype=np.int64)
    columns = dict(zip(names, table.reshape(len(rows), 6).T, strict=True))
    return schedcore.MapReduceInstance(
        release_time=np.array([a for a, _, _ in rows], dtype=np.int64),
        **columns,
        machines=schedcore.Machines([[c] for c in cores]),
    )


def pieces(result: Any) -> list[Piece]:
    """The pieces of a result, in the order of its schedule."""
    s = result.schedule
    columns = (s.start_time, s.job, s.machine, s.end_time, s.amount)
    return list(zip(*(column.astype(np.int64).tolist() for column in columns), strict=True))


def completions(result: Any) -> list[int | None]:
    """The last slot of every job, None for what is unfinished."""
    return [int(c) if np.isfinite(c) else None for c in result.completion_time]


def believing_the_truth(instance: schedcore.Instance) -> schedcore.Instance:
    """The same instance with estimates that are exact."""
    return schedcore.Instance(instance.jobs.replace(estimated_demand=instance.jobs.demand), instance.machines)


#: Spec of the two-core server with three jobs: (release time, cores, processing time).
THREE_JOBS_ON_TWO_CORES = slotted([(0, 2, 2), (0, 1, 3), (1, 1, 1)], [2])

#: One wide job of 4 slots, one thin job of 10: where SVF does not minimise the fractional flow time.
WIDE_AND_THIN = slotted([(0, 2, 4), (0, 1, 10)], [2])


_memory_of_a_server = st.integers(2, 8) | st.just(0)


@lru_cache(maxsize=1_000)  # to make one takes longer than to draw from it
def _memory_up_to(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound) | st.sampled_from([bound, (bound + 1) // 2])


@st.composite
def slotted_instances(
    draw: st.DrawFn,
    *,
    min_jobs: int = 0,
    max_jobs: int = 5,
    max_machines: int = 3,
    resources: Sequence[int] = (1,),
    estimates: bool = False,
    longest: int = 6,
    latest: int = 6,
    gaps: bool = True,
    most_cores: int = 6,
    whole: bool = False,
) -> schedcore.Instance:
    """Instances with one of these numbers of resources; `estimates` makes the scheduler believe other demands.

    Every job of `whole` ones, in truth and as estimated, fits a server, though not always the first.
    """
    n_resources = draw(st.sampled_from(list(resources)))
    n_jobs = draw(st.integers(min_jobs, max_jobs))
    n_machines = draw(st.integers(1, max_machines))
    most = draw(st.sampled_from([1, 2, most_cores]))
    cores = draw(st.lists(st.integers(1, most), min_size=n_machines, max_size=n_machines))
    if draw(st.booleans()):
        cores = [cores[0]] * n_machines
    memories = [[draw(_memory_of_a_server) for _ in range(n_resources - 1)] for _ in range(n_machines)]
    first = packing_order(cores)[0]
    times = st.sampled_from([1, longest]) | st.integers(1, longest)
    releases = st.sampled_from([0, latest]) | st.integers(0, latest)
    if gaps:
        releases |= st.integers(0, 20 * latest)

    def vector() -> list[int]:
        server = draw(st.integers(0, n_machines - 1)) if whole else first
        memory = [draw(_memory_up_to(m)) for m in memories[server]]
        return [draw(_core_counts([cores[server]] if whole else cores)), *memory]

    demand = [vector() for _ in range(n_jobs)]
    believed = None
    if estimates:
        believed = [vector() if draw(st.booleans()) else row for row in demand]
    rows = [(draw(releases), row, draw(times)) for row in demand]
    if draw(st.booleans()):
        rows.sort(key=lambda row: row[0])
    capacity = [[c, *memory] for c, memory in zip(cores, memories, strict=True)]
    return slotted(rows, capacity, believed)


@st.composite
def weighted(draw: st.DrawFn, instances: st.SearchStrategy[schedcore.Instance]) -> schedcore.Instance:
    """The same instances with weights: equal ones, small whole ones, 0 among them, and others."""
    instance = draw(instances)
    weights = st.sampled_from([1.0, 1.0, 2.0, 3.0, 0.0]) | st.floats(0.01, 100)
    drawn = draw(st.lists(weights, min_size=instance.n_jobs, max_size=instance.n_jobs))
    return instance.replace(weight=drawn) if draw(st.booleans()) else instance


def _core_counts(cores: list[int]) -> st.SearchStrategy[int]:
    total, widest = sum(cores), max(cores)
    return (
        st.integers(1, min(2, total))
        | st.integers(1, widest)
        | st.sampled_from([widest, total, total - total // 3])
    )


def long_instances(**limits: Any) -> st.SearchStrategy[schedcore.Instance]:
    """Few jobs of up to 400 slots: long stretches in which nothing need change."""
    small = {"max_jobs": 3, "max_machines": 2, "longest": 400, "latest": 300, "gaps": False, "most_cores": 4}
    return slotted_instances(**{**small, **limits})


def tiny_instances(**limits: Any) -> st.SearchStrategy[schedcore.Instance]:
    """Few and short enough for the exact optimum, one dimension."""
    small = {"max_jobs": 3, "max_machines": 2, "longest": 3, "latest": 2, "gaps": False, "most_cores": 2}
    return slotted_instances(**{**small, **limits})


LAMBDAS: list[Any] = ["big", "zero", ("mu", 10.0), ("mu", 0.3), ("const", 3.5)]
FEW_SLOTS = 80  # for runs that may never end


@st.composite
def dual_options(draw: st.DrawFn, **fixed: Any) -> dict[str, Any]:
    """Options of OCORP; strict runs, which may never end, get a limit."""
    options: dict[str, Any] = {
        "k": draw(st.sampled_from([1, 2, 2, 3, 5])),
        "gamma": draw(st.sampled_from([None, None, 8.0, 1.0, 40.5])),
        "mu": draw(st.sampled_from(["sim", "sim", 1.0, 0.3])),
        "lambda0": draw(st.sampled_from(LAMBDAS)),
        "work_conserving": draw(st.sampled_from([True, True, False])),
        "packing": draw(st.sampled_from(["ffd", "sticky"])),
        "max_slots": draw(st.none() | st.none() | st.integers(1, 12)),
        **fixed,
    }
    if not options["work_conserving"] and options["max_slots"] is None:
        options["max_slots"] = FEW_SLOTS
    return options


@st.composite
def baseline_options(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "k": draw(st.sampled_from([1, 2, 3])),
        "packing": draw(st.sampled_from(["ffd", "sticky"])),
        "max_slots": draw(st.none() | st.none() | st.integers(1, 12)),
        "mem_mode": draw(st.sampled_from(["backfill", "once"])),
    }


@st.composite
def whole_options(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "k": draw(st.sampled_from([1, 2, 3])),
        "service": draw(st.sampled_from(["whole", "whole", "repacked"])),
        "skip": draw(st.booleans()),
        "max_slots": draw(st.none() | st.none() | st.integers(1, 12)),
    }


@st.composite
def map_reduce_instances(
    draw: st.DrawFn,
    *,
    min_jobs: int = 0,
    max_jobs: int = 4,
    max_machines: int = 3,
    longest: int = 4,
    latest: int = 6,
    most_tasks: int = 3,
    most_cores: int = 3,
) -> schedcore.MapReduceInstance:
    """Jobs with and without reduce tasks; tasks may be wider than a machine."""
    n_machines = draw(st.integers(1, max_machines))
    cores = [draw(st.integers(1, most_cores)) for _ in range(n_machines)]

    def phase(least: int) -> tuple[int, int, int]:
        tasks = draw(st.integers(least, most_tasks))
        return tasks, draw(_core_counts(cores)), draw(st.integers(1, longest))

    n_jobs = draw(st.integers(min_jobs, max_jobs))
    releases = st.integers(0, latest) | st.sampled_from([0, 10 * latest])
    return map_reduce([(draw(releases), phase(1), phase(0)) for _ in range(n_jobs)], cores)
