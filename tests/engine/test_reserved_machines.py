"""Plans as Slurm makes them: reservations that hold all of their machines, and jobs that go on neighbours."""

from typing import Any

import pytest

from schedcore import Instance, Jobs, Machines, OnlineScheduler, UnsupportedError, solve

LIKE_SLURM = {"mode": "rebuild", "reservations": "machines", "allocation": "consecutive"}


def starts(jobs: Jobs, machines: Machines, **options: Any) -> list[float]:
    return solve(
        "conservative", Instance(jobs, machines), mode="rebuild", **options
    ).schedule.start_time.tolist()


def places(n_tasks: int, *, busy: list[int], weight: list[int] | None = None, allocation: str) -> list[int]:
    """The machines of a job of so many tasks on a row of machines with one core each."""
    machines = Machines([[1]] * 8, resource_names=["cores"], weight=weight)
    scheduler = OnlineScheduler("conservative", machines, mode="rebuild", allocation=allocation)
    scheduler.fail_machines(busy, 0)
    scheduler.submit(Jobs([5], [[1]], n_tasks=[n_tasks], id=[0]), 0)
    return sorted(scheduler.advance(0).starts.allocation.machine.tolist())


def test_a_reservation_shares_its_machine_or_holds_all_of_it() -> None:
    # The second job waits for all cores until 10, and leaves one of them from then on.
    jobs = Jobs([10, 5, 12], [[2], [3], [1]])
    machines = Machines([[4]], resource_names=["cores"])
    assert starts(jobs, machines) == [0, 10, 0]
    # Once it runs, others share the machine with it.
    assert starts(jobs, machines, reservations="machines") == [0, 10, 10]


def test_running_jobs_share_machines_that_are_reserved_behind_them() -> None:
    # The last one is over when the reservation begins.
    jobs = Jobs([10, 5, 10], [[2], [3], [1]])
    machines = Machines([[4]], resource_names=["cores"])
    assert starts(jobs, machines, reservations="machines") == [0, 10, 0]


def test_plans_are_told_as_they_are() -> None:
    scheduler = OnlineScheduler("conservative", Machines([[4]], resource_names=["cores"]), **LIKE_SLURM)
    scheduler.submit(Jobs([10, 5, 12], [[2], [3], [1]], id=[7, 8, 9]), 0)
    decision = scheduler.advance(0)
    assert decision.starts.id.tolist() == [7]
    planned = decision.plan
    assert dict(zip(planned.id.tolist(), planned.start_time.tolist(), strict=True)) == {8: 10, 9: 15}
    why = {each.id: each for each in scheduler.explain([8, 9])}
    assert (why[8].reason, why[8].time) == ("resources", 10)
    assert (why[9].reason, list(why[9].jobs)) == ("reserved", [8])
    # Once the first one runs, the other one starts beside it.
    assert scheduler.estimate_start([8, 9]).tolist() == [10, 10]


@pytest.mark.parametrize(
    ("n_tasks", "first", "consecutive"),
    [
        (1, [0], [3]),  # the smallest run
        (2, [0, 1], [0, 1]),
        (3, [0, 1, 3], [5, 6, 7]),
        (4, [0, 1, 3, 5], [3, 5, 6, 7]),  # the largest, and then the smallest that suffices
        (5, [0, 1, 3, 5, 6], [0, 1, 5, 6, 7]),
        (6, [0, 1, 3, 5, 6, 7], [0, 1, 3, 5, 6, 7]),
    ],
)
def test_a_job_goes_on_the_smallest_run_that_suffices(
    n_tasks: int, first: list[int], consecutive: list[int]
) -> None:
    busy = [2, 4]
    assert places(n_tasks, busy=busy, allocation="first") == first
    assert places(n_tasks, busy=busy, allocation="consecutive") == consecutive


def test_what_a_job_waits_for_is_told_of_the_machines_of_its_plan() -> None:
    scheduler = OnlineScheduler("conservative", Machines([[1]] * 7, resource_names=["cores"]), **LIKE_SLURM)
    running = Jobs([30, 30, 10, 10, 10, 10], [[1]] * 6, id=range(6))
    scheduler.adopt(running, [1, 3, 0, 4, 5, 6], [0] * 6, 0)
    scheduler.submit(Jobs([5], [[1]], n_tasks=[3], id=[9]), 0)
    planned = scheduler.advance(0).plan.allocation
    assert sorted(planned.machine.tolist()) == [4, 5, 6]
    (why,) = scheduler.explain([9])
    assert (why.reason, why.time, why.machines, why.shortage) == ("resources", 10, (4, 5, 6), (3,))


def test_machines_of_lower_weight_come_first_and_others_break_a_run() -> None:
    weight = [1, 1, 1, 1, 0, 0, 5, 5]
    assert places(2, busy=[], weight=weight, allocation="consecutive") == [4, 5]
    assert places(3, busy=[], weight=weight, allocation="consecutive") == [0, 4, 5]
    assert places(3, busy=[4], weight=weight, allocation="consecutive") == [0, 1, 5]
    assert places(7, busy=[], weight=weight, allocation="consecutive") == [0, 1, 2, 3, 4, 5, 6]


def test_machines_that_join_are_neighbours_of_those_before_them() -> None:
    machines = Machines([[1]] * 3, resource_names=["cores"], weight=[0, 1, 0])
    scheduler = OnlineScheduler("conservative", machines, **LIKE_SLURM)
    scheduler.add_machines(Machines([[1]] * 2, resource_names=["cores"], weight=[0, 1]), 0)
    scheduler.submit(Jobs([5], [[1]], n_tasks=[2], id=[0]), 0)
    assert sorted(scheduler.advance(0).starts.allocation.machine.tolist()) == [2, 3]


@pytest.mark.parametrize(
    "options", [{"reservations": "machines"}, {"allocation": "consecutive", "compression": "none"}]
)
def test_plans_that_are_kept_have_neither(options: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError, match="exists for mode='rebuild' only, not 'compress'"):
        OnlineScheduler("conservative", Machines([[1]]), **options)
