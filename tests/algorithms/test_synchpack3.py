"""SynchPack-3: the order of jobs, what the paper proves of it, and its epochs."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from parallel_task_cases import THREE_PINNED_JOBS, Row, parallel_tasks, pieces, single_tasks
from schedcore.algorithms.parallel_tasks.synchpack3 import synchpack3
from schedcore.bounds.parallel_tasks import OrderSolution

# LP3 is 13 with C = (4, 2, 3).
EXAMPLE = THREE_PINNED_JOBS
# J1 and J2 run first; J0 follows on m0 when J1 is done, on m1 likewise.
IN_ORDER = [
    (1, 0, 0, 0.0, 2.0),
    (1, 1, 1, 0.0, 2.0),
    (2, 0, 0, 0.0, 3.0),
    (0, 0, 0, 2.0, 6.0),
    (0, 1, 1, 2.0, 3.0),
]


def test_completion_times_near_the_largest_double_are_ordered() -> None:
    result = synchpack3(EXAMPLE, lp_solution=[1.5e308, 1e303, 1.2e303])
    assert result.stats["order"].tolist() == [1, 2, 0]


def test_times_that_round_to_the_same_millionth_go_by_index() -> None:
    result = synchpack3(EXAMPLE, lp_solution=[2.0 + 4e-7, 2.0, 1.0])
    assert result.stats["order"].tolist() == [2, 0, 1]
    result = synchpack3(EXAMPLE, lp_solution=[2.0 + 6e-7, 2.0, 1.0])
    assert result.stats["order"].tolist() == [2, 1, 0]


def test_a_task_stops_where_something_before_it_fits_again() -> None:
    # Capacity 10, in order 4 for 1, 8 for 2, 5 for 3: the last runs beside the first, and on when the second is done.
    instance = parallel_tasks([1.0] * 3, [(0, [4], {0: 1}), (1, [8], {0: 2}), (2, [5], {0: 3})], [[10]])
    result = synchpack3(instance, lp_solution=[1.0, 2.0, 3.0])
    assert pieces(result) == [
        (0, 0, 0, 0.0, 1.0),
        (2, 0, 0, 0.0, 1.0),
        (1, 0, 0, 1.0, 3.0),
        (2, 0, 0, 3.0, 5.0),
    ]


@pytest.mark.parametrize("online", [False, True])
def test_without_a_solution_in_time_there_is_no_schedule(
    online: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_: Any, **__: Any) -> OrderSolution:
        return OrderSolution(None, 7.0, "time_limit", {})

    target = import_module(f"schedcore.algorithms.parallel_tasks.synchpack3{'_online' if online else ''}")
    monkeypatch.setattr(target, "solve_order_program", nothing)
    result = synchpack3(EXAMPLE, online=online)
    assert result.schedule is None
    assert result.completion_time is None
    assert result.value == np.inf
    assert result.stats["lp_status"] == "time_limit"
    if online:
        assert result.stats["epochs"][-1]["lower_bound"] == 7.0
    else:
        assert result.lower_bound == 7.0


@st.composite
def instances(draw: st.DrawFn, max_resources: int = 1) -> schedcore.ParallelTaskInstance:
    n_machines, n_resources = draw(st.integers(1, 3)), draw(st.integers(1, max_resources))
    capacity = draw(
        st.lists(
            st.lists(st.integers(4, 10), min_size=n_resources, max_size=n_resources),
            min_size=n_machines,
            max_size=n_machines,
        )
    )
    n_jobs = draw(st.integers(1, 6))
    rows: list[Row] = []
    for job in range(n_jobs):
        for _ in range(draw(st.integers(1, 3))):
            machine = draw(st.integers(0, n_machines - 1))
            demand = [draw(st.integers(1, amount)) for amount in capacity[machine]]
            rows.append((job, demand, {machine: draw(st.integers(1, 8))}))
    weight = [draw(st.sampled_from([1.0, 2.0, 0.1, 5.0])) for _ in range(n_jobs)]
    return parallel_tasks(weight, rows, capacity)


@examples(60)
@given(instances(), st.booleans())
def test_every_job_completes_within_four_times_its_time_in_the_program(
    instance: schedcore.ParallelTaskInstance, all_machines: bool
) -> None:
    result = synchpack3(instance, all_machines=all_machines)
    schedcore.validate(instance, result.schedule, kind="preempt", raise_on_error=True)
    assert result.guarantee == 4
    assert result.lower_bound is not None
    assert result.completion_time is not None
    assert result.lower_bound <= result.value <= 4 * result.lower_bound * (1 + 1e-6)
    planned, order = result.stats["lp_completion"], result.stats["order"]
    assert (result.completion_time <= 4 * planned * (1 + 1e-6)).all()
    # What comes up to a job in the order is at most 2 C_j of the capacity of every machine.
    volume = np.zeros((instance.n_jobs, instance.n_machines))
    np.add.at(
        volume,
        (instance.task_job, instance.placement_machine),
        instance.demand[:, 0] * instance.placement_time,
    )
    up_to = volume[order].cumsum(axis=0)
    capacity = instance.machines.capacity[:, 0]
    assert (up_to <= 2 * capacity * planned[order, np.newaxis] * (1 + 1e-6)).all()


@examples(30)
@given(instances(max_resources=3), st.data())
def test_schedules_of_several_resources_are_valid_online_and_offline(
    instance: schedcore.ParallelTaskInstance, data: st.DataObject
) -> None:
    offline = synchpack3(instance)
    schedcore.validate(instance, offline.schedule, kind="preempt", raise_on_error=True)
    assert offline.guarantee == (4 if instance.n_resources == 1 else None)
    release = [data.draw(st.integers(0, 80)) / 4 for _ in range(instance.n_jobs)]
    arriving = instance.replace(release_time=release)
    online = synchpack3(arriving, online=True, tau0=data.draw(st.sampled_from([None, 1.0, 7.5, 1000.0])))
    schedcore.validate(arriving, online.schedule, kind="preempt", raise_on_error=True)
    assert online.guarantee is None
    assert online.lower_bound is not None
    assert online.lower_bound <= online.value * (1 + 1e-9)


# Capacity 10; J0 6 for 5 from 0, J1 6 for 2 from 1.5, J2 4 for 1 from 100. Epochs of 2.
ARRIVING = parallel_tasks(
    [1.0, 3.0, 1.0],
    [(0, [6], {0: 5}), (1, [6], {0: 2}), (2, [4], {0: 1})],
    [[10]],
    release_time=[0.0, 1.5, 100.0],
)
EPOCHS_OF_TWO: dict[str, Any] = {"online": True, "tau0": 2.0, "gamma": 0.0, "beta": 0.0}


def test_jobs_join_at_the_next_boundary_and_what_remains_is_ordered_anew() -> None:
    # At 2 J1 takes part: 3 of J0 remain, and J1 is shorter and weighs more. At 4 it is done, J0 runs [4, 7) over two
    # epochs. Nothing until 100. LP3 at 2: 10 C_0 >= 18 + 12, C_1 >= 2.
    result = synchpack3(ARRIVING, **EPOCHS_OF_TWO)
    assert pieces(result) == [
        (0, 0, 0, 0.0, 2.0),
        (1, 0, 0, 2.0, 4.0),
        (0, 0, 0, 4.0, 7.0),
        (2, 0, 0, 100.0, 101.0),
    ]
    epochs = result.stats["epochs"]
    assert [(e["start"], e["end"], e["order"].tolist()) for e in epochs] == [
        (0, 2, [0]),
        (2, 4, [1, 0]),
        (4, 6, [0]),
        (6, 8, [0]),
        (100, 102, [2]),
    ]
    assert [e["lower_bound"] for e in epochs] == pytest.approx([5, 9, 3, 1, 1], rel=1e-6)
    assert result.stats["lp_status"] == "optimal"
    assert result.options["tau0"] == 2.0


def test_given_solutions_order_the_active_jobs_of_each_epoch() -> None:
    # J0 first until 4, then J1 for 2, then the 1 that is left of J0, and J2 when it comes.
    nan = np.nan
    entries = [[1.0, nan, nan], [1.0, 2.0, nan], [2.0, 1.0, nan], [1.0, 0.0, 0.0], [nan, nan, 3.0]]
    result = synchpack3(ARRIVING, lp_solution=entries, **EPOCHS_OF_TWO)
    assert pieces(result) == [
        (0, 0, 0, 0.0, 4.0),
        (1, 0, 0, 4.0, 6.0),
        (0, 0, 0, 6.0, 7.0),
        (2, 0, 0, 100.0, 101.0),
    ]
    assert result.lower_bound is None
    assert result.stats["lp_status"] == "given"
    assert [e["lower_bound"] for e in result.stats["epochs"]] == [None] * 5


@pytest.mark.parametrize("n_entries", [0, 4, 6])
def test_given_solutions_must_be_one_for_each_active_epoch(n_entries: int) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=f"lp_solution has {n_entries} entries"):
        synchpack3(ARRIVING, lp_solution=[[1.0, 2.0, 3.0]] * n_entries, **EPOCHS_OF_TWO)


def test_a_given_solution_must_know_the_active_jobs() -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=r"lp_solution\[1\]\[1\] = nan"):
        synchpack3(ARRIVING, lp_solution=[[1.0, np.nan, np.nan]] * 5, **EPOCHS_OF_TWO)
    with pytest.raises(schedcore.InvalidInstanceError, match=r"lp_solution\[0\] has shape \(2,\)"):
        synchpack3(ARRIVING, lp_solution=[[1.0, 2.0]] * 5, **EPOCHS_OF_TWO)


def test_a_single_long_epoch_is_the_offline_schedule() -> None:
    result = synchpack3(EXAMPLE, online=True, tau0=1000.0, gamma=0.0)
    assert pieces(result) == IN_ORDER
    assert len(result.stats["epochs"]) == 1
    assert result.stats["epochs"][0]["lower_bound"] == pytest.approx(13, rel=1e-6)


def test_a_distant_arrival_costs_no_epoch() -> None:
    instance = single_tasks([(1.0, 0.0, 0, [1], 1), (1.0, 1e12, 0, [1], 1)], [[1]])
    result = synchpack3(instance, online=True, tau0=1.0)
    assert pieces(result) == [(0, 0, 0, 0.0, 1.0), (1, 0, 0, 1e12, 1e12 + 1)]


def test_epochs_too_late_for_exact_times_are_refused() -> None:
    instance = single_tasks([(1.0, 0.0, 0, [1], 5), (1.0, 1.0, 0, [1], 5)], [[1]])
    with pytest.raises(schedcore.UnsupportedError, match=r"2\*\*53"):
        synchpack3(instance, online=True, tau0=2.0**60, gamma=0.0)
