"""What backfilling refuses, and what it survives: estimates, limits and options out of range."""

import re
from typing import Any

import pytest

import schedcore

POLICIES = ["fcfs", "first_fit", "easy", "conservative", "backfill"]
PLANNING = [
    ("easy", {}),
    ("conservative", {}),
    ("conservative", {"mode": "rebuild"}),
    ("backfill", {"protected": 2}),
]


def crowd(n_jobs: int = 4, length: float = 5.0, estimate: float | None = None) -> schedcore.Instance:
    """Jobs that need the whole machine."""
    estimates = None if estimate is None else [estimate] * n_jobs
    jobs = schedcore.Jobs([length] * n_jobs, [[10]] * n_jobs, estimated_processing_time=estimates)
    return schedcore.Instance(jobs, schedcore.Machines([[10]]))


@pytest.mark.parametrize("name", POLICIES)
def test_an_estimate_below_the_processing_time_is_refused_by_name(name: str) -> None:
    jobs = schedcore.Jobs([3.0, 7.0], [[1], [1]], estimated_processing_time=[3.0, 6.5])
    instance = schedcore.Instance(jobs, schedcore.Machines([[10]]))
    message = "estimated_processing_time of job 1 is 6.5, below its processing_time 7"
    with pytest.raises(schedcore.InvalidInstanceError, match=re.escape(message)):
        schedcore.solve(name, instance)


@pytest.mark.parametrize("name", POLICIES)
def test_a_job_that_fits_no_machine_is_refused_by_name(name: str) -> None:
    machines = schedcore.Machines([[4, 8], [8, 4]])
    instance = schedcore.Instance(schedcore.Jobs([1, 1], [[1, 1], [6, 6]]), machines)
    with pytest.raises(schedcore.InfeasibleError, match=r"job 1 demands \(6, 6\)"):
        schedcore.solve(name, instance)


@pytest.mark.parametrize(("name", "options"), PLANNING[1:])
def test_plans_beyond_the_largest_double_are_refused(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(
        schedcore.InvalidInstanceError, match=r"job 1 would start at 1e\+308 and end after 1\.797"
    ):
        schedcore.solve(name, crowd(estimate=1e308), **options)


@pytest.mark.parametrize(("name", "options"), PLANNING)
def test_a_resolution_without_multiples_is_refused(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match="resolution = 5e-324"):
        schedcore.solve(name, crowd(), resolution=5e-324, **options)


def test_plans_beyond_the_largest_double_do_not_end_an_embedded_scheduler_without_a_word() -> None:
    scheduler = schedcore.OnlineScheduler("conservative", schedcore.Machines([[10]]))
    jobs = crowd(estimate=1e308).jobs
    scheduler.submit(jobs, 0.0)
    with pytest.raises(schedcore.InvalidInstanceError, match="and end after"):
        scheduler.advance(0.0)


@pytest.mark.parametrize("name", ["easy", "conservative", "backfill"])
def test_an_interval_wakes_nobody_without_need(name: str) -> None:
    result = schedcore.solve(name, crowd(), interval=1e-9)
    assert result.stats["wakeups"] == 0
    assert result.schedule.start_time.tolist() == [0, 5, 10, 15]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("queue_depth", 0, "queue_depth = 0 must be an integer from 1 to 2**63 - 1"),
        ("queue_depth", 1.5, "queue_depth = 1.5 must be an integer"),
        ("window", -1, "window = -1 must be at least 0"),
        ("window", float("nan"), "window = nan must be a number"),
        ("window", True, "window = True must be a number"),
        ("resolution", 0, "resolution = 0 must be above 0"),
        ("interval", "abc", "interval = 'abc' must be a number above 0"),
        ("interval", float("inf"), "interval = inf must be above 0 and finite"),
        ("selection", "bbb", "unknown selection 'bbb'; did you mean 'bb'"),
        ("selection", "bl(w)", "stands for a number"),
        ("selection", "sjbf(2)", "unknown selection 'sjbf(2)'; did you mean 'sjbf'"),
        ("selection", "bb(w)", "stands for a number"),
        ("selection", "bb(1000)", "the number in 'bb(1000)' is above 999"),
        ("selection", "bb(2)!", "unknown selection 'bb(2)!'"),
        ("selection", "sb(1000)", "the number in 'sb(1000)' is above 999"),
        ("selection", "balance^w", "unknown selection 'balance^w'"),
        ("selection", "balance*fullness^2*balance", "has the factor balance twice"),
        ("selection", "balance^1000*estimate", "the number in 'balance^1000*estimate' is above 999"),
        ("selection", "estimate^100", "the number in 'estimate^100' is above 99"),
        ("selection", "bl(9999999999)", "the number in 'bl(9999999999)' is above 999999999"),
        ("record", "no", "record = 'no' must be True or False"),
        ("record", 5, "record = 5 must be True or False"),
        ("reservation_depth", None, "easy protects a number of jobs"),
        ("reservation_depth", 0, "reservation_depth = 0 must be an integer from 1 to 2**63 - 1"),
    ],
)
def test_options_out_of_range_are_refused(option: str, value: object, message: str) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=re.escape(message)):
        schedcore.solve("easy", crowd(), **{option: value})


@pytest.mark.parametrize("options", [{"selection": "bb"}, {"interval": 5}, {"compression": "none"}])
def test_rebuilding_refuses_what_it_does_not_do(options: dict[str, Any]) -> None:
    with pytest.raises(schedcore.UnsupportedError, match="mode='rebuild'"):
        schedcore.solve("conservative", crowd(), mode="rebuild", **options)


def test_a_job_that_outlives_the_clock_leaves_room_beside_the_head_that_waits_for_it() -> None:
    scheduler = schedcore.OnlineScheduler("easy", schedcore.Machines([[4]]))
    scheduler.submit(schedcore.Jobs([1.5e308], [[3]]), 0.0)
    scheduler.advance(0.0)
    scheduler.submit(schedcore.Jobs([1e300] * 3, [[4], [1], [1]]), 1.5e308)
    assert scheduler.advance(1.5e308).starts == [(2, 0, 1.5e308)]
    assert scheduler.n_overruns == 1


def test_two_numbers_of_protected_jobs_are_refused() -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match="two names of one number"):
        schedcore.solve("backfill", crowd(), protected=2, reservation_depth=3)


@pytest.mark.parametrize("name", POLICIES)
def test_an_embedded_scheduler_keeps_no_records(name: str) -> None:
    with pytest.raises(schedcore.UnsupportedError, match="record"):
        schedcore.OnlineScheduler(name, schedcore.Machines([[10]]), record=True)


def test_what_a_scheduler_keeps_does_not_grow_with_the_jobs_that_have_gone() -> None:
    def size_after(n_jobs: int) -> int:
        scheduler = schedcore.OnlineScheduler("easy", schedcore.Machines([[10]]), interval=1e12)
        one = schedcore.Jobs([1.0], [[1]], estimated_processing_time=[1e6])
        for now in range(n_jobs):
            (job,) = scheduler.submit(one, now)
            scheduler.advance(now)
            scheduler.complete([job], now)
            scheduler.advance(now)
        return len(scheduler._core.snapshot())

    assert size_after(2000) <= 1.2 * size_after(200)


@pytest.mark.parametrize(("name", "options"), [("conservative", {}), ("conservative", {"mode": "rebuild"})])
def test_a_crowd_that_has_gone_takes_as_little_room_as_under_easy(name: str, options: dict[str, Any]) -> None:
    def size_after_a_crowd(name: str, options: dict[str, Any]) -> int:
        scheduler = schedcore.OnlineScheduler(name, schedcore.Machines([[100]] * 30), **options)
        n_jobs = 300
        demand = [[60 + job % 40] for job in range(n_jobs)]
        scheduler.submit(schedcore.Jobs([1.0 + job / 7 for job in range(n_jobs)], demand), 0.0)
        now, running = 0.0, list(scheduler.advance(0.0).starts)
        while running:
            now += 1.0
            scheduler.complete([start.id for start in running], now)
            running = list(scheduler.advance(now).starts)
        assert scheduler.n_running == scheduler.n_waiting == 0
        return len(scheduler._core.snapshot())

    assert size_after_a_crowd(name, options) <= 3 * size_after_a_crowd("easy", {})


def test_jobs_that_hold_no_reservation_take_no_room_on_every_machine() -> None:
    def size_with_a_crowd(name: str, options: dict[str, Any]) -> int:
        scheduler = schedcore.OnlineScheduler(name, schedcore.Machines([[100]] * 200), **options)
        scheduler.submit(schedcore.Jobs([1000.0] * 200, [[100]] * 200), 0.0)
        scheduler.submit(schedcore.Jobs([1.0 + job for job in range(2000)], [[60]] * 2000), 0.0)
        scheduler.advance(0.0)
        return len(scheduler._core.snapshot())

    few_protected = size_with_a_crowd("backfill", {"protected": 10})
    assert few_protected <= 2 * size_with_a_crowd("easy", {})
    assert size_with_a_crowd("conservative", {"queue_depth": 10}) <= few_protected
