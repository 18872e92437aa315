"""Planning passes over whole machines that can be followed by hand."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError
from schedcore.engine.cycle_plan import (
    MEMORY_KINDS,
    OUTCOMES,
    SELECTIONS,
    CycleMachines,
    CyclePlan,
    CycleRequests,
    CycleReservations,
    CycleRuns,
    CycleSettings,
    MachineSets,
    plan_cycle,
)

WHOLE = {
    "limit": 100, "min_machines": 1, "max_machines": 1, "n_tasks": 1, "processors_per_task": 4, "tasks_per_machine": 0,
    "least_processors": 0, "memory_kind": 0, "memory": 0, "is_exclusive": False, "partition": -1, "eligible": -1,
    "required": -1, "reservation": -1, "n_copies": 1, "array": -1, "may_wait": True, "selection": 0,
}  # fmt: skip


def requests(*rows: dict[str, Any]) -> CycleRequests:
    """Jobs that want 4 processors of one machine for 100 s, but for what is said."""
    told = [{**WHOLE, **row} for row in rows]
    flags = ("is_exclusive", "may_wait")
    return CycleRequests(
        **{
            name: np.array([row[name] for row in told], dtype=bool if name in flags else np.int64)
            for name in WHOLE
        }
    )


def runs(*rows: tuple[int, dict[int, int]]) -> CycleRuns:
    """Runs as (end, {machine: processors}); none holds memory."""
    held = [place for _, places in rows for place in places.items()]
    ends = np.array([end for end, _ in rows], dtype=np.int64)
    return CycleRuns(
        ends,
        ends,
        np.cumsum([0, *(len(places) for _, places in rows)], dtype=np.int64),
        np.array([machine for machine, _ in held], dtype=np.int64),
        np.array([processors for _, processors in held], dtype=np.int64),
        np.zeros(len(held), dtype=np.int64),
    )


def plan(
    processors: list[int],
    running: CycleRuns,
    waiting: CycleRequests,
    *,
    sets: list[list[int]] | None = None,
    reservations: tuple[tuple[int, int, int], ...] = (),
    **settings: int,
) -> CyclePlan:
    """A pass at 0 over machines with 100 MB each; reservations as (start, end, set)."""
    n = len(processors)
    machines = CycleMachines(
        np.array(processors, dtype=np.int64),
        np.full(n, 100, dtype=np.int64),
        np.ones(n, dtype=np.int64),
        np.ones(n, dtype=np.bool_),
    )
    columns = np.array(reservations, dtype=np.int64).reshape(-1, 3).T.copy()
    no = np.zeros(len(reservations), dtype=np.bool_)
    return plan_cycle(
        machines,
        running,
        waiting,
        CycleSettings(**{"now": 0, "resolution": 1, **settings}),
        sets=MachineSets.of(sets or []),
        reservations=CycleReservations(*columns, no, no, no),
    )


def starts(planned: CyclePlan) -> list[tuple[int, list[int]]]:
    ends = planned.machines.offset.tolist()
    return [
        (start, planned.machines.machine[first:last].tolist())
        for start, first, last in zip(planned.start.tolist(), ends[:-1], ends[1:], strict=True)
    ]


def outcomes(planned: CyclePlan) -> list[str]:
    return [OUTCOMES[outcome] for outcome in planned.outcome.tolist()]


TWO = {"min_machines": 2, "max_machines": 2, "n_tasks": 2}


@pytest.mark.parametrize(("limit", "start"), [(599, 0), (600, 1600)])
def test_a_plan_that_begins_where_a_job_would_end_is_in_the_way(limit: int, start: int) -> None:
    # Machine 1 is held until 600, so the first job has both machines from 600 to 1600.
    planned = plan([4, 4], runs((600, {1: 4})), requests({**TWO, "limit": 1000}, {"limit": limit}))
    assert starts(planned) == [(600, [0, 1]), (start, [0])]


@pytest.mark.parametrize(("second", "start"), [(125, 125), (150, 150), (151, 100)])
def test_ends_are_looked_at_in_groups(second: int, start: int) -> None:
    # The first group begins with 100, rounded up to 120, and is 30 s wide: ends up to 150 belong to it, and the job
    # that fits at 100 starts at the last of them.
    planned = plan([4, 4], runs((100, {0: 4}), (second, {1: 4})), requests({}))
    assert starts(planned) == [(start, [0])]


@pytest.mark.parametrize(("growth", "start"), [(0, 175), (10, 165)])
def test_groups_double_or_widen_by_a_step(growth: int, start: int) -> None:
    # After the group up to 150 come those up to 180, or the first of 160, 170, ... that reaches the next end.  The
    # second group of doubled ones ends with 175; of the others, with 165.
    ends = runs((100, {0: 1}), (165, {0: 3}), (175, {1: 4}))
    planned = plan([4, 4], ends, requests({}), growth=growth)
    assert starts(planned) == [(start, [0])]


def test_the_smallest_run_of_neighbours_that_suffices_is_taken() -> None:
    busy = runs((10**5, {2: 4}))
    waiting = requests(TWO, {**TWO, "min_machines": 3, "max_machines": 3, "n_tasks": 3})
    assert starts(plan([4] * 6, busy, waiting)) == [(0, [0, 1]), (0, [3, 4, 5])]


def test_more_that_does_not_suffice_goes_before_less_that_does() -> None:
    # 0 and 1 have the 8 processors; 3 alone has 16, but two machines are wanted.  It is compared later, and has more.
    planned = plan([4, 4, 4, 16], runs((10**5, {2: 4})), requests(TWO))
    assert starts(planned) == [(0, [0, 3])]


@pytest.mark.parametrize(
    ("selection", "machine"), [("consecutive", 2), ("first", 0), ("last", 3), ("spread", 1)]
)
def test_machines_are_chosen_by_the_order_that_is_asked_for(selection: str, machine: int) -> None:
    # Free are 8 of 16, 6 of 8, 2 of 8 and 4 of 8 processors; the job wants 2 of one machine.
    running = runs((10**5, {0: 8, 1: 2, 2: 6, 3: 4}))
    waiting = requests({"processors_per_task": 2, "selection": SELECTIONS.index(selection)})
    assert starts(plan([16, 8, 8, 8], running, waiting)) == [(0, [machine])]


@pytest.mark.parametrize(("selection", "machines"), [("consecutive", [0, 1]), ("busy", [1, 2])])
def test_machines_in_use_now_are_preferred_if_that_is_asked_for(selection: str, machines: list[int]) -> None:
    waiting = requests({**TWO, "selection": SELECTIONS.index(selection)})
    assert starts(plan([4, 4, 4], runs((50, {1: 4, 2: 4})), waiting)) == [(50, machines)]


def test_a_job_that_starts_now_shares_its_machine_with_those_behind_it() -> None:
    half = {"processors_per_task": 2}
    assert starts(plan([4], runs(), requests(half, half, {}))) == [(0, [0]), (0, [0]), (100, [0])]


def test_a_planned_job_has_its_machines_for_itself() -> None:
    half = {"processors_per_task": 2}
    planned = plan([4], runs((50, {0: 4})), requests(half, half))
    assert starts(planned) == [(50, [0]), (150, [0])]


def test_the_last_task_of_an_array_is_the_one_that_counts() -> None:
    planned = plan([4], runs((50, {0: 4})), requests({"n_copies": 3, "array": 7}, {"array": 7}))
    assert starts(planned) == [(250, [0]), (350, [0])]


def test_nothing_is_planned_for_an_array_of_which_a_task_finds_nothing() -> None:
    planned = plan(
        [4], runs((50, {0: 4})), requests({"n_copies": 3, "array": 7}, {"array": 7}, {}), window=200
    )
    assert outcomes(planned) == ["window", "array", "window"]
    assert starts(planned)[0] == (-1, [])


def test_a_reservation_keeps_its_machines_and_a_job_starts_a_second_after_it() -> None:
    one = {"partition": 0}
    planned = plan([4, 4], runs(), requests(one, {}), sets=[[0]], reservations=((50, 500, 0),))
    assert starts(planned) == [(501, [0]), (0, [1])]


def test_what_never_fits_is_said_and_does_not_count() -> None:
    planned = plan([4], runs(), requests({"processors_per_task": 5, "least_processors": 5}, {}), depth=1)
    assert outcomes(planned) == ["never fits", "planned"]
    assert planned.n_tried == 1


def test_plans_hold_machines_between_multiples_of_the_resolution() -> None:
    # From 50 to 150 is [0, 120) in minutes, and shown is 50; what follows begins at 120.
    planned = plan([4], runs((50, {0: 4})), requests({}, {}), resolution=60)
    assert starts(planned) == [(50, [0]), (120, [0])]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": 0}, r"limit\[0\] = 0 must be from 1"),
        ({"n_tasks": -1}, r"n_tasks\[0\] = -1 must be from 1"),
        ({"partition": 1}, r"partition\[0\] = 1 must be from -1 to 0"),
        ({"reservation": 0}, r"reservation\[0\] = 0 must be from -1 to -1"),
        ({"memory_kind": len(MEMORY_KINDS)}, r"memory_kind\[0\] = 4"),
        ({"memory": -5}, r"memory\[0\] = -5"),
    ],
)
def test_requests_that_make_no_sense_are_refused(change: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        plan([4], runs(), requests(change), sets=[[0]])


def test_runs_that_make_no_sense_are_refused() -> None:
    good = runs((50, {0: 4}), (60, {0: 4}))
    for change, message in (
        ({"machine": np.array([0, 1])}, r"machine\[1\] = 1 must be from 0 to 0"),
        ({"processors": np.array([4, -1])}, r"processors\[1\] = -1"),
        ({"offset": np.array([0, 2, 2])}, "run 0 has machine 0 twice"),
        ({"offset": np.array([0, 2, 1])}, r"offset\[2\] = 1"),
        ({"likely_end": np.array([50, 59])}, r"likely_end\[1\] = 59 must be from 60"),
        ({"memory": np.array([1])}, "memory has 1 entries instead of 2"),
    ):
        with pytest.raises(InvalidInstanceError, match=message):
            plan([4], dataclasses.replace(good, **change), requests({}))
