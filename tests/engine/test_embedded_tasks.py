"""Policies of parallel tasks decide alike embedded and in simulation, and what is not for them is refused by name."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.task_driver import TaskDriver
from parallel_task_cases import drawn_tasks, parallel_tasks
from properties.parallel_task_instances import parallel_task_instances
from schedcore import InfeasibleError, InvalidInstanceError, OnlineScheduler, UnsupportedError

POLICIES = [
    ("jsq_mw", {}),
    ("tetris_np", {}),
    ("tetris_np", {"scale": 0.5, "remote": "ten_percent"}),
]
MACHINES = schedcore.Machines([[4], [4]])
policies = pytest.mark.parametrize(("name", "options"), POLICIES)


def two_tasks(**changes: Any) -> schedcore.ParallelTaskInstance:
    """One job: a task for machine 1 alone, and one for both, local on machine 0."""
    rows = [(0, [3], {1: 2}), (0, [2], {0: 5, 1: 7})]
    arguments: dict[str, Any] = {"local": [[1], [0]], "remote_penalty": 1.5, **changes}
    return parallel_tasks([1.0], rows, [[4], [4]], **arguments)


def test_ids_decide_among_tasks_of_one_instant_that_come_in_two_calls() -> None:
    # Machine 0 is full until 7; task 10 was decided on before task 3 came, at the same instant.
    scheduler = OnlineScheduler("jsq_mw", schedcore.Machines([[4]]), remote_penalty=1.0)
    scheduler.submit(schedcore.Jobs([7.0], [[4]]), 0.0, ids=[0])
    scheduler.advance(0.0)
    for each in (10, 3):
        scheduler.submit(parallel_tasks([1.0], [(0, [3], {0: 1})], [[4]]), 5.0, ids=[each])
        assert len(scheduler.advance(5.0).starts) == 0
    scheduler.complete([0], 7.0)
    assert scheduler.advance(7.0).starts.id.tolist() == [3]


def saved_and_loaded(scheduler: OnlineScheduler) -> OnlineScheduler:
    data = scheduler.save()
    loaded = OnlineScheduler.load(data)
    assert loaded.save() == data
    return pickle.loads(pickle.dumps(loaded.copy()))


@policies
@given(data=st.data())
def test_embedded_and_simulated_tasks_start_alike(
    name: str, options: dict[str, Any], data: st.DataObject
) -> None:
    drawn = parallel_task_instances(max_jobs=5, max_resources=3, releases=("zero", "whole", "quarters"))
    instance = data.draw(drawn)
    expected = schedcore.solve(name, instance, **options).schedule
    scheduler = OnlineScheduler(name, instance.machines, **options, remote_penalty=instance.remote_penalty)
    between = data.draw(st.sampled_from([lambda same: same, saved_and_loaded]))
    run = TaskDriver(scheduler, instance, between).run()
    row = instance.task_start[expected.job] + expected.task
    assert [run.start_time[t] for t in row] == expected.start_time.tolist()
    assert [run.machine[t] for t in row] == expected.machine.tolist()
    assert [run.end_time[t] for t in row] == expected.end_time.tolist()


@policies
@pytest.mark.parametrize("seed", range(20))
def test_tasks_may_outlive_their_times(name: str, options: dict[str, Any], seed: int) -> None:
    instance = drawn_tasks(seed, 2, last_release=12)
    random = np.random.default_rng(seed)
    late = random.integers(0, 5, instance.n_tasks).tolist()

    def checked(scheduler: OnlineScheduler) -> OnlineScheduler:
        prototype = schedcore.registry.get(name).embedded(
            instance.machines, {**options, "remote_penalty": 1.0}
        )
        scheduler._core.check_invariants(prototype.prototype, instance.machines.capacity)
        return saved_and_loaded(scheduler)

    def embedded() -> OnlineScheduler:
        return OnlineScheduler(name, instance.machines, **options, remote_penalty=1.0)

    run = TaskDriver(embedded(), instance, checked, late).run()
    again = TaskDriver(embedded(), instance, late=late).run()
    assert (run.start_time, run.machine) == (again.start_time, again.machine)


@policies
def test_plain_jobs_are_tasks_that_may_run_everywhere(name: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(name, MACHINES, **options, remote_penalty=2.0)
    scheduler.submit(schedcore.Jobs([5.0, 3.0, 4.0], [[3], [3], [4]]), 1.0)
    scheduler.submit(two_tasks(remote_penalty=2.0), 1.0)
    scheduler.submit_one(1.0, [1], 1.0)
    started = scheduler.advance(1.0).starts
    # JSQ-MW: jobs 0 and 1 join the queues of machines 0 and 1, job 2 that of 0, task 3 that of 1, and task 4 the remote
    # one, because two wait for its local machine; job 5 joins that of 0. Machine 0 starts 0 and 5, machine 1 starts 1.
    # Tetris: volumes left are 15/4, 9/4, 4, 4 (of tasks 3 and 4) and 1/4, so 5 comes before 1, then 2, then the rest.
    expected = {"jsq_mw": [(0, 0), (1, 1), (5, 0)], "tetris_np": [(1, 0), (2, 1), (5, 0)]}
    assert sorted(zip(started.id.tolist(), started.machine.tolist(), strict=True)) == expected[name]
    assert scheduler.n_waiting + scheduler.n_running == 6
    assert saved_and_loaded(scheduler).advance(2.0).starts.id.tolist() == []


@pytest.mark.parametrize("name", ["pq", "tetris", "bf_exec"])
def test_policies_of_jobs_heed_where_tasks_may_run(name: str) -> None:
    scheduler = OnlineScheduler(name, MACHINES)
    assert scheduler.submit(two_tasks(), 0.0).tolist() == [0, 1]
    starts = scheduler.advance(0.0).starts
    assert dict(zip(starts.id.tolist(), starts.machine.tolist(), strict=True)) == {0: 1, 1: 0}


def test_the_time_of_a_task_is_that_of_its_machine() -> None:
    # On machine 1 task 1 is expected until 7, so the job has volume left that a task alone at 5 has not.
    scheduler = OnlineScheduler("tetris_np", MACHINES, scale=1.0, remote_penalty=1.0)
    job = parallel_tasks([1.0], [(0, [4], {1: 7}), (0, [4], {1: 3})], [[4], [4]])
    scheduler.submit(job, 0.0, ids=[0, 1])
    scheduler.submit(parallel_tasks([1.0], [(0, [4], {1: 9})], [[4], [4]]), 0.0, ids=[2])
    assert scheduler.advance(0.0).starts.id.tolist() == [2]  # volume 9 against 10
    scheduler.complete([2], 9.0)
    assert scheduler.advance(9.0).starts.id.tolist() == [0]


# What is refused


def refused(
    scheduler: OnlineScheduler, tasks: Any, error: type[Exception], message: str, **more: Any
) -> None:
    before = scheduler.save()
    with pytest.raises(error, match=message):
        scheduler.submit(tasks, 0.0, **more)
    assert scheduler.save() == before


@pytest.mark.parametrize("name", ["easy", "fcfs", "conservative", "backfill", "first_fit", "mris"])
def test_other_policies_refuse_tasks(name: str) -> None:
    options = {"gamma0": 1.0} if name == "mris" else {}
    scheduler = OnlineScheduler(name, MACHINES, **options)
    refused(scheduler, two_tasks(), UnsupportedError, f"^'{name}' takes Jobs: it does not heed")


def test_a_callable_heuristic_orders_no_tasks() -> None:
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=lambda jobs: jobs.weight)
    with pytest.raises(UnsupportedError, match="orders Jobs, not tasks"):
        scheduler.submit(two_tasks(), 0.0)


@policies
def test_tasks_that_are_not_for_the_scheduler_are_refused(name: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(name, MACHINES, **options, remote_penalty=1.5)
    other = parallel_tasks([1.0], [(0, [2], {0: 1})], [[4], [5]], remote_penalty=1.5)
    refused(
        scheduler,
        other,
        InvalidInstanceError,
        r"^the tasks are for other machines: capacity\[1, 0\] is 5 there, 4 in the scheduler$",
    )
    fewer = parallel_tasks([1.0], [(0, [2], {0: 1})], [[4]], remote_penalty=1.5)
    refused(scheduler, fewer, InvalidInstanceError, "^the tasks are for 1 machines, the scheduler has 2$")
    named = two_tasks().replace(machines=schedcore.Machines([[4], [4]], ["memory"]))
    refused(
        scheduler,
        named,
        InvalidInstanceError,
        "^the resources of the tasks are memory, those of the scheduler resource_0$",
    )
    refused(
        scheduler,
        two_tasks(remote_penalty=2.0),
        InvalidInstanceError,
        "remote_penalty = 2.0, the scheduler has 1.5",
    )
    refused(scheduler, two_tasks(), InvalidInstanceError, "^1 ids for 2 jobs", ids=[4])
    refused(scheduler, two_tasks(), InvalidInstanceError, "^job 4 was submitted already", ids=[4, 4])
    too_large = parallel_tasks([1.0], [(0, [5], {0: 1})], [[4], [4]], remote_penalty=1.5)
    refused(scheduler, too_large, InfeasibleError, "fits none of its 1 machines")
    scheduler.submit(two_tasks(), 0.0)
    assert len(scheduler.advance(0.0).starts) == 2


@pytest.mark.parametrize("name", ["jsq_mw", "tetris_np"])
@pytest.mark.parametrize("penalty", [0.5, -2, float("nan"), float("inf"), 10**400])
def test_an_embedded_policy_refuses_penalties_below_1(name: str, penalty: Any) -> None:
    with pytest.raises(InvalidInstanceError, match=r"^remote_penalty = \S+.* must be finite and at least 1$"):
        OnlineScheduler(name, MACHINES, remote_penalty=penalty)


@pytest.mark.parametrize("name", ["jsq_mw", "tetris_np"])
@pytest.mark.parametrize("penalty", ["2", b"2", True, np.array(2.0)])
def test_an_embedded_policy_refuses_penalties_that_are_no_numbers(name: str, penalty: Any) -> None:
    with pytest.raises(TypeError, match=r"^remote_penalty must be a number, not "):
        OnlineScheduler(name, MACHINES, remote_penalty=penalty)


@pytest.mark.parametrize("name", ["jsq_mw", "tetris_np"])
def test_a_penalty_may_be_a_fraction(name: str) -> None:
    scheduler = OnlineScheduler(name, MACHINES, remote_penalty=Fraction(4, 3))
    scheduler.submit(two_tasks(remote_penalty=4 / 3), 0.0)
    assert len(saved_and_loaded(scheduler).advance(0.0).starts) == 2


@policies
def test_damaged_bytes_are_refused_or_read(name: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(name, MACHINES, **options, remote_penalty=1.5)
    for instant in (0.0, 0.0, 1.0):
        scheduler.submit(two_tasks(), instant)
    scheduler.advance(0.0)
    prototype = schedcore.registry.get(name).embedded(MACHINES, {**options, "remote_penalty": 1.5}).prototype
    snapshot = scheduler._core.snapshot()
    load = schedcore._core.engine.OnlineScheduler.load
    n_refused = 0
    for at in range(len(snapshot)):
        for value in {0, 1, 255, snapshot[at] ^ 1}:
            changed = snapshot[:at] + bytes([value]) + snapshot[at + 1 :]
            try:
                loaded = load(prototype, MACHINES.capacity, changed)
            except InvalidInstanceError:
                n_refused += 1
            else:
                loaded.check_invariants(prototype, MACHINES.capacity)
                loaded.advance(1e6)
    assert n_refused > len(snapshot)
