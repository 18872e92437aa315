"""What holds for every schedule of jobs of map and reduce tasks, and where tasks that follow their latencies are."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import schedcore
from reference.slot_rows import pieces_of
from slotted_cases import FEW_SLOTS, map_reduce_instances

MapReduceInstance = schedcore.MapReduceInstance

RUNS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ("srpt", "srvf", "svf", "srf", "fifo")),
    *(("ocorp_mapreduce", {"lambda0": lambda0}) for lambda0 in ("zero", "big", ("mu", 10.0))),
    ("ocorp_mapreduce", {"packing": "sticky", "k": 1}),
    ("ocorp_mapreduce", {"work_conserving": False, "max_slots": FEW_SLOTS}),
]

runs = st.sampled_from(RUNS)


def per_slot(
    instance: MapReduceInstance, schedule: schedcore.PreemptiveSchedule
) -> dict[int, list[tuple[int, int, int, int]]]:
    """Slot -> (job, row of the task among all tasks, machine, cores)."""
    slots: dict[int, list[tuple[int, int, int, int]]] = {}
    for piece in pieces_of(schedule):
        row = int(instance.task_start[piece.job]) + piece.task
        for slot in piece.slots:
            slots.setdefault(slot, []).append((piece.job, row, piece.machine, piece.cores))
    return slots


def task_columns(instance: MapReduceInstance) -> tuple[np.ndarray, np.ndarray]:
    """Cores and core-slots of all tasks."""
    repeats = np.stack([instance.map_tasks, instance.reduce_tasks], axis=1).ravel()
    cores = np.stack([instance.map_cores, instance.reduce_cores], axis=1).ravel()
    time = np.stack([instance.map_time, instance.reduce_time], axis=1).ravel()
    return np.repeat(cores, repeats), np.repeat(cores * time, repeats)


@given(instance=map_reduce_instances(), run=runs)
def test_every_slot_is_feasible_and_all_work_is_done(
    instance: MapReduceInstance, run: tuple[str, dict[str, Any]]
) -> None:
    name, options = run
    result = schedcore.solve(name, instance, **options)
    demand, left = task_columns(instance)
    for pieces in per_slot(instance, result.schedule).values():
        used = np.zeros(instance.n_machines, dtype=int)
        given = np.zeros(instance.n_tasks, dtype=int)
        for _, row, machine, cores in pieces:
            used[machine] += cores
            given[row] += cores
        assert (used <= instance.machines.capacity[:, 0]).all()
        assert (given <= demand).all()
        left = left - given
    assert (left >= 0).all()
    if result.stats["status"] == "finished":
        assert not left.any()
    kind = "complete" if result.stats["status"] == "finished" else "partial"
    assert schedcore.validate(instance, result.schedule, kind=kind)


@given(instance=map_reduce_instances(min_jobs=1), run=runs)
def test_no_reduce_task_runs_before_the_slot_after_the_last_map_work(
    instance: MapReduceInstance, run: tuple[str, dict[str, Any]]
) -> None:
    name, options = run
    result = schedcore.solve(name, instance, **options)
    s = result.schedule
    is_map = s.task < instance.map_tasks[s.job]
    map_end = np.zeros(instance.n_jobs)
    np.maximum.at(map_end, s.job[is_map], s.end_time[is_map])
    assert (s.start_time[~is_map] >= map_end[s.job[~is_map]]).all()
    done = np.isfinite(result.stats["map_completion_time"])
    assert (result.stats["map_completion_time"][done] == map_end[done]).all()
    assert (s.start_time >= instance.release_time[s.job]).all()


@given(instance=map_reduce_instances(), run=runs)
def test_no_job_is_faster_than_its_two_phases(
    instance: MapReduceInstance, run: tuple[str, dict[str, Any]]
) -> None:
    name, options = run
    result = schedcore.solve(name, instance, **options)
    flow = result.completion_time - instance.release_time
    assert (flow >= instance.processing_time).all()
    assert result.lower_bound <= result.value


@given(instance=map_reduce_instances(), run=runs)
def test_cores_idle_only_where_no_active_task_can_use_them(
    instance: MapReduceInstance, run: tuple[str, dict[str, Any]]
) -> None:
    name, options = run
    if not options.get("work_conserving", True):
        return
    result = schedcore.solve(name, instance, **options)
    slots = per_slot(instance, result.schedule)
    demand, left = task_columns(instance)
    total = int(instance.machines.capacity.sum())
    for slot in range(1, result.stats["makespan"] + 1):
        usable = 0
        for job in np.flatnonzero(instance.release_time < slot):
            first, end = instance.task_start[job : job + 2]
            border = first + instance.map_tasks[job]
            active = slice(first, border) if left[first:border].any() else slice(border, end)
            usable += int(np.minimum(demand[active], left[active]).sum())
        given = 0
        for _, row, _, cores in slots.get(slot, []):
            given += cores
            left[row] -= cores
        assert given == min(total, usable)


@given(instance=map_reduce_instances(min_jobs=1, max_machines=3), data=st.data())
def test_the_latency_of_every_slot_is_that_of_an_optimal_assignment_of_cores(
    instance: MapReduceInstance, data: st.DataObject
) -> None:
    """With a row for each core given and a column for each core there is, it is a linear assignment."""
    size = instance.n_tasks * instance.n_machines
    entries = data.draw(st.lists(st.sampled_from([0.0, 1.0, 3.0, 0.25]), min_size=size, max_size=size))
    latency = np.array(entries).reshape(instance.n_tasks, instance.n_machines)
    name = data.draw(st.sampled_from(["ocorp_mapreduce", "srvf"]))
    result = schedcore.solve(name, instance, placement="latency", latency=latency)
    demand, _ = task_columns(instance)
    machine_of_core = np.repeat(np.arange(instance.n_machines), instance.machines.capacity[:, 0])
    for pieces in per_slot(instance, result.schedule).values():
        paid = sum(latency[row, machine] * cores / demand[row] for _, row, machine, cores in pieces)
        rows = np.repeat([row for _, row, _, _ in pieces], [cores for *_, cores in pieces])
        cost = latency[rows][:, machine_of_core] / demand[rows, np.newaxis]
        least = cost[linear_sum_assignment(cost)].sum()
        assert abs(paid - least) <= 1e-9 * (1 + least)


@given(instance=map_reduce_instances(), run=runs)
def test_completion_times_depend_on_the_cores_of_all_machines_together(
    instance: MapReduceInstance, run: tuple[str, dict[str, Any]]
) -> None:
    name, options = run
    one = instance.replace(machines=schedcore.Machines([[instance.machines.capacity.sum()]]))
    spread, together = (schedcore.solve(name, inst, **options) for inst in (instance, one))
    assert spread.completion_time.tolist() == together.completion_time.tolist()


@given(instance=map_reduce_instances(), k=st.sampled_from([1, 2, 3]))
def test_jobs_alone_take_their_time_where_cores_suffice(instance: MapReduceInstance, k: int) -> None:
    """Every task has all it can use, whatever the order; also if the multipliers say that it need not run."""
    volume = int(
        (instance.map_tasks * instance.map_cores).sum()
        + (instance.reduce_tasks * instance.reduce_cores).sum()
    )
    wide = instance.replace(machines=schedcore.Machines([[max(volume, 1)]]))
    for name in ("ocorp_mapreduce", "srpt", "srf"):
        result = schedcore.solve(name, wide, k=k)
        assert (result.completion_time - wide.release_time == wide.processing_time).all()
        assert result.value == result.lower_bound
        assert result.stats["preemptions"] == 0
