"""The compiled validator gives the verdict of its reference implementation, on feasible and on broken schedules."""

import math

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from example_shares import examples
from reference.validator import first_violation
from schedcore import Instance, Jobs, Machines, Schedule, validate
from strategies import instances

SIZES = {"max_jobs": 8, "max_machines": 3, "max_resources": 4}


def assert_same_verdict(instance: Instance, schedule: Schedule) -> None:
    report = validate(instance, schedule)
    expected = first_violation(instance, schedule)
    event("feasible" if expected is None else expected.kind)
    assert report.ok == (expected is None)
    if expected is None:
        return
    assert (report.kind, report.job, report.machine) == (expected.kind, expected.job, expected.machine)
    assert report.instant == expected.instant or math.isnan(expected.instant)
    assert (report.resource, report.excess) == (expected.resource, expected.excess)
    assert report.message


@st.composite
def arbitrary_schedules(draw: st.DrawFn, instance: Instance) -> Schedule:
    """Starts around the release times and the completions, with a few that are nonsense."""
    jobs = instance.jobs
    starts: list[float] = []
    machines = []
    for j in range(instance.n_jobs):
        ends = [s + float(p) for s, p in zip(starts, jobs.processing_time, strict=False)]
        sensible = st.sampled_from([float(jobs.release_time[j]), *starts, *ends])
        shift = draw(st.sampled_from([0.0] * 10 + [1.0, -1.0]))
        starts.append(draw(sensible) + shift)
        machines.append(draw(st.integers(0, instance.n_machines - 1)))
    if starts and draw(st.integers(0, 9)) == 0:
        victim = draw(st.integers(0, len(starts) - 1))
        starts[victim] = draw(st.sampled_from([math.nan, math.inf, -math.inf, 1e17, -1.0]))
    if starts and draw(st.integers(0, 9)) == 0:
        machines[draw(st.integers(0, len(starts) - 1))] = draw(
            st.sampled_from([-1, instance.n_machines, 2**62])
        )
    return Schedule(np.array(starts, dtype=np.float64), np.array(machines, dtype=np.int64))


def one_after_the_other(instance: Instance) -> Schedule:
    """A feasible schedule: each job waits for all before it, and runs on the first machine that holds it."""
    starts: list[float] = []
    free = 0.0
    for release, length in zip(instance.jobs.release_time, instance.jobs.processing_time, strict=True):
        starts.append(max(free, float(release)))
        free = starts[-1] + float(length)
    holds = (instance.jobs.demand[:, np.newaxis, :] <= instance.machines.capacity).all(axis=2)
    return Schedule(np.array(starts, dtype=np.float64), holds.argmax(axis=1).astype(np.int64))


@examples(64)
@given(st.data(), instances(**SIZES, identical_machines=False, allow_no_demand=True))
def test_verdict_equals_the_reference_on_integer_times(data: st.DataObject, instance: Instance) -> None:
    assert_same_verdict(instance, data.draw(arbitrary_schedules(instance)))


@examples(64)
@given(st.data(), instances(**SIZES, integer_times=False))
def test_verdict_equals_the_reference_on_real_times(data: st.DataObject, instance: Instance) -> None:
    assert_same_verdict(instance, data.draw(arbitrary_schedules(instance)))


@given(instances(integer_times=False))
def test_one_job_after_the_other_is_feasible(instance: Instance) -> None:
    assert validate(instance, one_after_the_other(instance)).ok


@given(instances(min_jobs=1), st.data())
def test_one_ulp_too_early_is_seen(instance: Instance, data: st.DataObject) -> None:
    schedule = one_after_the_other(instance)
    job = data.draw(st.integers(0, instance.n_jobs - 1))
    starts = schedule.start_time.copy()
    starts[job] = np.nextafter(starts[job], -np.inf)
    assert_same_verdict(instance, Schedule(starts, schedule.machine))


def test_large_groups_are_sorted_as_small_ones() -> None:
    """Thousands of jobs on one machine in random order: just feasible, and one unit less breaks it."""
    n = 5000
    rng = np.random.default_rng(3)
    starts = rng.permutation(n).astype(np.float64)
    jobs = Jobs(np.full(n, 10.0), np.ones((n, 1), dtype=np.int64))
    schedule = Schedule(starts, np.zeros(n, dtype=np.int64))
    assert validate(Instance(jobs, Machines.identical(1, [10])), schedule).ok
    report = validate(Instance(jobs, Machines.identical(1, [9])), schedule)
    assert (report.job, report.instant, report.excess) == (int(np.argmax(starts == 9.0)), 9.0, 1)
