"""The validator's report names the first violation: job, machine, instant, resource, by how much."""

import threading

import numpy as np
import pytest

from schedcore import Instance, InvalidInstanceError, Jobs, Machines, SchedcoreError, Schedule, validate

# Worked example 14.1 of the MRIS specification: PQ-WSJF starts the jobs at 0, 4, 5, 5.
INSTANCE = Instance(
    Jobs([4, 1, 2, 1], [[10, 2], [5, 5], [4, 6], [6, 1]], [0, 1, 1, 2], [1, 3, 2, 1]),
    Machines.identical(1, [10, 10], ["cpu", "memory"]),
)


def schedule(*start_time: float, machine: int = 0) -> Schedule:
    return Schedule(start_time, [machine] * len(start_time))


def test_a_feasible_schedule_is_reported_as_such() -> None:
    report = validate(INSTANCE, schedule(0, 4, 5, 5), raise_on_error=True)
    assert report.ok
    assert report
    assert report.message == "the schedule is feasible"
    assert (report.kind, report.job, report.machine, report.instant) == (None, None, None, None)


def test_a_capacity_violation_is_named() -> None:
    report = validate(INSTANCE, schedule(0, 4, 4, 5))  # memory at 4: 5 + 6
    assert not report
    assert (report.kind, report.job, report.machine, report.instant) == ("capacity_exceeded", 2, 0, 4.0)
    assert (report.resource, report.excess) == (1, 1)
    assert (
        report.message
        == "job 2 starts at 4.0 on machine 0: memory (resource 1) rises to 11, 1 above capacity 10"
    )


def test_an_early_start_is_named() -> None:
    report = validate(INSTANCE, schedule(5, 0.5, 9, 9))
    assert (report.kind, report.job, report.instant, report.excess) == ("start_before_release", 1, 0.5, 0.5)
    assert report.message == "job 1 starts at 0.5 on machine 0: that is 0.5 before its release time 1.0"


def test_an_unknown_machine_is_named() -> None:
    report = validate(INSTANCE, schedule(0, 4, 5, 5, machine=1))
    assert (report.kind, report.job, report.machine, report.excess) == ("unknown_machine", 0, 1, None)
    assert "machines are numbered from 0 to 0" in report.message


def test_a_start_that_is_no_number_is_named() -> None:
    report = validate(INSTANCE, schedule(0, 0, float("nan"), 0))
    assert (report.kind, report.job) == ("start_not_finite", 2)
    assert "nan" in report.message


def test_a_job_that_ends_as_it_starts_is_named() -> None:
    report = validate(INSTANCE, schedule(0, 1e17, 5, 7))
    assert (report.kind, report.job, report.instant) == ("no_progress", 1, 1e17)
    assert "it ends as it starts, 1.0 later is the same float64" in report.message


def test_identifiers_that_are_no_indices_are_shown_beside_them() -> None:
    instance = Instance(INSTANCE.jobs.replace(id=[40, 41, 42, 43]), INSTANCE.machines)
    assert validate(instance, schedule(0, 4, 4, 5)).message.startswith("job 2 (id 42) starts at 4.0")


def test_the_error_says_what_the_report_says() -> None:
    with pytest.raises(InvalidInstanceError, match=r"job 2 starts at 4\.0 on machine 0: memory") as caught:
        validate(INSTANCE, schedule(0, 4, 4, 5), raise_on_error=True)
    assert isinstance(caught.value, SchedcoreError)


def test_a_schedule_of_another_instance_is_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="the schedule has 3 jobs, the instance 4"):
        validate(INSTANCE, schedule(0, 4, 5))


def test_no_jobs_are_feasible() -> None:
    assert validate(Instance(Jobs([], []), Machines([[1]])), Schedule([], [])).ok


def test_amounts_near_the_bound_are_compared_exactly() -> None:
    bound = 2**53
    jobs = Jobs([1, 1], [[bound - 1], [1]])
    assert validate(Instance(jobs, Machines([[bound]])), schedule(0, 0)).ok
    report = validate(Instance(jobs, Machines([[bound - 1]])), schedule(0, 0))
    assert (report.job, report.excess) == (1, 1)


def test_several_threads_validate_one_instance() -> None:
    n = 20_000
    rng = np.random.default_rng(0)
    instance = Instance(
        Jobs(rng.integers(1, 9, n), rng.integers(0, 3, (n, 3))), Machines.identical(4, [n] * 3)
    )
    plan = Schedule(rng.integers(0, n, n), rng.integers(0, 4, n))
    reports: list[bool] = []
    threads = [threading.Thread(target=lambda: reports.append(validate(instance, plan).ok)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reports == [True] * 4
