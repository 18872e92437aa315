"""The report on runs names the first violation, in a sentence with the job, the value and the bound."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.test_validator import SIZES, arbitrary_schedules
from schedcore import (
    Allocation,
    Incidents,
    Instance,
    InvalidInstanceError,
    Jobs,
    Limit,
    Machines,
    Outages,
    Partition,
    RunAllocation,
    Runs,
    Schedule,
    ServiceClass,
    Site,
    solve,
    validate,
)
from schedcore.model.runs import runs_of
from strategies import instances

# Two machines with 2 and 3 cores. Job 10: two tasks of 1 core, one a machine, cancelled at 17. Job 11: alone, not on
# machine 0. Job 12: 2 cores of machine 0, saves its work after every 2 units: when it is killed at 8, 4 of its 9 are
# saved, and it then takes 9 - 4 + 1 = 6.
INSTANCE = Instance(
    Jobs(
        [4, 5, 9],
        [[1], [1], [2]],
        [1, 0, 0],
        id=[10, 11, 12],
        n_tasks=[2, 1, 1],
        max_tasks_per_machine=[1, 0, 0],
        exclusive=[False, True, False],
        constraint=[None, "!a", "a"],
        checkpoint_interval=[0, 0, 2],
        restart_cost=[0, 0, 1],
    ),
    Machines([[2], [3]], ["cores"], labels=[["a"], []]),
    Outages([1], [20], [22]),
)
INCIDENTS = Incidents(Outages([0, 0], [9, 8], [10, 9]), {10: 17}, "checkpoint")
#: Job, attempt, start, end, outcome, places.
ROWS: list[tuple[Any, ...]] = [
    (1, 0, 0, 5, "completed", {1: 1}),
    (2, 0, 3, 8, "killed", {0: 1}),
    (2, 1, 10, 16, "completed", {0: 1}),
    (0, 0, 16, 17, "cancelled", {1: 1, 0: 1}),
]
OUTCOME = ["cancelled", "completed", "completed"]


def runs(rows: list[tuple[Any, ...]]) -> Runs:
    job, attempt, start, end, outcome, places = zip(*rows, strict=True)
    where = [(row, machine, n) for row, each in enumerate(places) for machine, n in each.items()]
    return Runs(job, attempt, start, end, outcome, RunAllocation(*np.array(where).reshape(-1, 3).T.tolist()))


def changed(row: int, **fields: Any) -> Runs:
    names = ("job", "attempt", "start", "end", "outcome", "places")
    rows = list(ROWS)
    rows[row] = tuple(fields.get(name, value) for name, value in zip(names, rows[row], strict=True))
    return runs(rows)


def test_feasible_runs_are_reported_as_such() -> None:
    for outcome in (None, OUTCOME):
        report = validate(INSTANCE, runs(ROWS), True, incidents=INCIDENTS, outcome=outcome)
        assert report.ok
        assert report.message == "the runs are feasible"
    assert validate(INSTANCE, Runs([], [], [], [], [], RunAllocation([], [], []))).ok


@pytest.mark.parametrize(
    ("row", "fields", "message", "excess"),
    [
        (3, {"end": np.inf}, "job 0 (id 10) starts at 16.0 and ends at inf: times of runs are finite numbers", None),
        (0, {"job": 3}, "job 3 starts at 0.0 on machine 1: jobs are numbered from 0 to 2", None),
        (0, {"places": {2: 1}}, "on machine 2: machines are numbered from 0 to 1", None),
        (3, {"start": 0.5}, "on machine 0: that is 0.5 before its release time 1.0", 0.5),
        (0, {"end": 0}, "on machine 1: it ends as it starts", None),
        (0, {"end": -1}, "on machine 1: it ends at -1.0, before it starts", None),
        (2, {"attempt": 2}, "attempt 2, starts at 10.0 on machine 0: it should be attempt 1", None),
        (2, {"start": 7}, "attempt 1, starts at 7.0 on machine 0: another run of the job ends at 8.0 only", 1.0),
        (1, {"start": 2, "end": 11, "outcome": "completed"}, "failure of this machine begins at 8.0", None),
        (3, {"end": 18}, "it ends at 18.0, after the cancellation of the job at 17.0", 1.0),
        (3, {"places": {}}, "starts at 16.0 on no machine: it has 0 tasks, the job 2", -2),
        (3, {"places": {0: 1}}, "on machine 0: it has 1 task, the job 2", -1),
        (2, {"end": 15}, "it completes at 15.0, the work that is left takes until 16.0", -1.0),
        (1, {"start": -1}, "that is 1.0 before its release time 0.0", 1.0),
        (1, {"end": 7}, "it is killed at 7.0, when none of its machines begins to fail", None),
        (3, {"end": 16.5}, "it is cancelled at 16.5, the job is cancelled at 17.0", None),
        (3, {"outcome": "killed"}, "it is killed at 17.0, when none of its machines begins to fail", None),
        (3, {"places": {1: 2, 0: 0}}, "on machine 0: it has 0 tasks there; where it has any, it has at least 1", None),
        (0, {"places": {0: 1}}, "its constraint '!a' excludes this machine", None),
        (3, {"places": {1: 2}}, "it has 2 tasks there, at most 1 may share a machine", 1),
        (3, {"start": 15}, "cores (resource 0) rises to 3, 1 above capacity 2", 1),
        (3, {"start": 3, "end": 7, "outcome": "completed"}, "on machine 0: cores (resource 0) rises to 3", 1),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(row: int, fields: dict[str, Any], message: str, excess: float | None) -> None:
    wrong = changed(row, **fields)
    report = validate(INSTANCE, wrong, incidents=INCIDENTS)
    assert message in report.message
    assert report.excess == excess
    assert report.run is not None
    assert (wrong.job[report.run], wrong.start_time[report.run]) == (report.job, report.instant)
    with pytest.raises(InvalidInstanceError) as caught:
        validate(INSTANCE, wrong, raise_on_error=True, incidents=INCIDENTS)
    assert str(caught.value) == report.message


def test_runs_that_are_not_cut_short_are_named() -> None:
    report = validate(INSTANCE.replace(processing_time=[4, 5, 5]), runs(ROWS), incidents=INCIDENTS)
    assert "it is killed at 8.0, the work that is left takes until 8.0 only" in report.message
    report = validate(INSTANCE, runs(ROWS), incidents=Incidents(INCIDENTS.failures, {}, "checkpoint"))
    assert "it is cancelled at 17.0, the job is cancelled never" in report.message
    report = validate(INSTANCE, runs(ROWS), incidents=Incidents(INCIDENTS.failures, {10: 17}, "drop"))
    assert (
        "job 2 (id 12), attempt 1, starts at 10.0 on machine 0: the job ended for good at 8.0"
        in report.message
    )


def test_exclusive_jobs_are_alone() -> None:
    small = INSTANCE.replace(demand=[[1], [1], [0]], outages=Outages([1], [16], [19]))
    report = validate(small, changed(3, start=4, end=8, outcome="completed"), incidents=INCIDENTS)
    assert (report.kind, report.machine) == ("not_alone", 1)
    assert "job 1 (id 11) has this machine for itself" in report.message
    report = validate(
        small.replace(exclusive=[True, False, False]), changed(3, start=15), incidents=INCIDENTS
    )
    assert (report.kind, report.machine) == ("not_alone", 0)
    assert "it wants the machine for itself, and is not alone there" in report.message
    report = validate(small, runs(ROWS), incidents=INCIDENTS)
    assert "it ends at 17.0, and outage of this machine begins at 16.0" in report.message


def test_outcomes_agree_with_the_runs() -> None:
    told = ["cancelled", "waiting", "completed"]
    report = validate(INSTANCE, runs(ROWS), incidents=INCIDENTS, outcome=told)
    assert (report.kind, report.job, report.run, report.machine) == ("wrong_outcome", 1, None, None)
    assert report.message == "job 1 (id 11) has the outcome 'waiting', its runs say 'completed'"


def test_dependencies_hold() -> None:
    waiting = Instance(
        Jobs([2, 1, 1], [[1]] * 3, id=[5, 6, 7], after_ok=[None, [5], None], after_any=[None, None, [6]]),
        Machines([[3]]),
    )
    assert validate(waiting, Schedule([0, 2, 3], [0, 0, 0])).ok
    report = validate(waiting, Schedule([0, 1, 3], [0, 0, 0]))
    assert (report.kind, report.job) == ("dependency_unmet", 1)
    assert "it waits for job 0 (id 5) (after_ok) still" in report.message
    assert (
        "it waits for job 1 (id 6) (after_any) still"
        in validate(waiting, Schedule([0, 2, 2], [0, 0, 0])).message
    )


def test_a_schedule_of_gangs_is_checked_by_its_allocation() -> None:
    gangs = Instance(Jobs([2, 3], [[1], [1]], n_tasks=[3, 1]), Machines([[2], [2]]))
    where = Allocation([0, 0, 1], [1, 0, 0], [2, 1, 1])
    assert validate(gangs, Schedule([0, 0], [1, 0], where)).ok
    report = validate(gangs, Schedule([0, 0], [1, 1], Allocation([0, 0, 1], [1, 0, 1], [2, 1, 1])))
    assert (report.kind, report.job, report.machine, report.excess) == ("capacity_exceeded", 1, 1, 1)
    assert validate(gangs, Schedule([0, 0], [1, 0])).kind == "wrong_n_tasks"
    report = validate(gangs, Schedule([0, np.nan], [1, 0], where))
    assert (report.kind, report.job) == ("start_not_finite", 1)


def test_amounts_beyond_64_bits_are_told_exactly() -> None:
    most = 2**53
    huge = Instance(Jobs([1], [[most]], n_tasks=most), Machines([[most]]))
    report = validate(huge, Schedule([0], [0], Allocation([0], [0], [most])))
    assert report.excess == most * most - most
    report = validate(huge, Schedule([0], [0], Allocation([0, 0], [0, 0], [2**63 - 1, 2**63 - 1])))
    assert report.excess == 2 * (2**63 - 1) - most


@given(st.data())
def test_plain_runs_are_judged_as_their_schedule(data: st.DataObject) -> None:
    plain = data.draw(instances(**SIZES))
    schedule = data.draw(arbitrary_schedules(plain))
    if not np.isfinite(schedule.start_time).all() or (schedule.machine < 0).any():
        return
    by_job = validate(plain, schedule)
    by_run = validate(plain, runs_of(schedule, plain.jobs.processing_time))
    assert (by_run.kind, by_run.job, by_run.machine) == (by_job.kind, by_job.job, by_job.machine)
    assert (by_run.instant, by_run.resource, by_run.excess) == (
        by_job.instant,
        by_job.resource,
        by_job.excess,
    )
    assert by_job.ok or by_run.message == by_job.message


def test_results_have_runs_to_validate() -> None:
    plain = Instance(Jobs([2, 1], [[1], [2]]), Machines([[2]]))
    result = solve("easy", plain)
    assert validate(plain, result.runs, outcome=result.outcome).ok


def test_wrong_input_is_refused() -> None:
    right = runs(ROWS)
    with pytest.raises(InvalidInstanceError, match="outcome has 2 entries for 3 jobs"):
        validate(INSTANCE, right, outcome=["completed", "completed"])
    with pytest.raises(InvalidInstanceError, match="unknown outcome 'complete' of job 0"):
        validate(INSTANCE, right, outcome=["complete", "completed", "completed"])
    with pytest.raises(TypeError, match="incidents must be Incidents, not dict"):
        validate(INSTANCE, right, incidents={})  # type: ignore[arg-type]
    with pytest.raises(InvalidInstanceError, match="cancellations name id 0, which no job has"):
        validate(INSTANCE, right, incidents=Incidents(cancellations={0: 3}))
    with pytest.raises(InvalidInstanceError, match=r"machine\[0\] = 2"):
        validate(INSTANCE, right, incidents=Incidents(Outages([2], [0], [1])))
    with pytest.raises(TypeError, match="site must be a Site, not object"):
        validate(INSTANCE, right, site=object())  # type: ignore[arg-type]
    with pytest.raises(
        InvalidInstanceError, match=r"limits\[0\] = Limit\('user', 'memory', 1\) names neither"
    ):
        validate(INSTANCE, right, site=Site(limits=[Limit("user", "memory", 1)]))
    with pytest.raises(TypeError, match="site is for runs, not for Schedule"):
        validate(INSTANCE, Schedule([0, 0, 0], [0, 0, 0]), site=Site())
    with pytest.raises(TypeError, match="incidents is for runs, not for Schedule"):
        validate(INSTANCE, Schedule([0, 0, 0], [0, 0, 0]), incidents=INCIDENTS)
    with pytest.raises(TypeError, match="kind = 'complete' is for schedules"):
        validate(INSTANCE, right, kind="complete")
    with pytest.raises(TypeError, match="do not belong together"):
        validate(INSTANCE, right.allocation)  # type: ignore[arg-type]
    with pytest.raises(InvalidInstanceError, match="the schedule has 1 jobs, the instance 3"):
        validate(INSTANCE, Schedule([0], [0]))


# Two machines of 2 cores, the first with the label a. Job 0, of the scavengers, is preempted at 3 by job 1, when 2 of 6
# units of its work are saved. Job 2 waits for job 1, and runs beside the rest of job 0: both are of ann.
RULED = Instance(
    Jobs(
        [6, 2, 4],
        [[2], [2], [1]],
        [0, 3, 0],
        id=[5, 6, 7],
        user=["ann", None, "ann"],
        service_class=["scavenger", "urgent", None],
        partition=[None, "first", "any"],
        checkpoint_interval=[2, 0, 0],
        after_ok=[None, None, [6]],
    ),
    Machines([[2], [2]], ["cores"], labels=[["a"], []]),
)
SITE = Site(
    partitions=[Partition("first", constraint="a", max_time=9), Partition("any")],
    service_classes=[ServiceClass("urgent", level=1), ServiceClass("scavenger", preemptible=True)],
    limits=[Limit("user", "cores", 3)],
    preempt="checkpoint",
)
RULED_ROWS: list[tuple[Any, ...]] = [
    (0, 0, 0, 3, "killed", {0: 1}),
    (1, 0, 3, 5, "completed", {0: 1}),
    (0, 1, 5, 9, "completed", {0: 1}),
    (2, 0, 5, 9, "completed", {1: 1}),
]


def with_site(**rules: Any) -> Site:
    names = ("order", "partitions", "service_classes", "limits", "shares", "preempt")
    return Site(**{**{name: getattr(SITE, name) for name in names}, **rules})


def test_runs_that_obey_the_rules_are_feasible() -> None:
    ended = ["completed"] * 3
    assert (
        validate(RULED, runs(RULED_ROWS), True, site=SITE, outcome=ended).message == "the runs are feasible"
    )
    assert validate(RULED, runs(RULED_ROWS)).kind == "killed_by_nothing"
    assert validate(INSTANCE, runs(ROWS), incidents=INCIDENTS, outcome=OUTCOME, site=Site()).ok


@pytest.mark.parametrize(
    ("rules", "columns", "message", "excess"),
    [
        (
            {"limits": [Limit("user=bob", "jobs", 0), Limit("user", "cores", 2)]},
            {},
            "job 2 (id 7) starts at 5.0 on machine 1: cores of user 'ann' rise to 3, 1 above "
            "limits[1] = Limit('user', 'cores', 2)",
            1,
        ),
        (
            {"limits": [Limit("array=4", "jobs", 1)]},
            {"array": [4, -1, 4]},
            "jobs of array 4 rise to 2, 1 above limits[0] = Limit('array=4', 'jobs', 1)",
            1,
        ),
        (
            {"limits": [Limit("user", "cores", 1)]},
            {},
            "job 0 (id 5) starts at 0.0 on machine 0: its 2 cores are above limits[0] = Limit('user', 'cores', 1)",
            None,
        ),
        (
            {"partitions": [Partition("first", max_time=1), Partition("any")]},
            {},
            "its estimate 2 is above max_time 1 of partition 'first'",
            None,
        ),
        (
            {"partitions": [Partition("first", constraint="!a"), Partition("any")]},
            {"service_class": None, "processing_time": [3, 2, 4]},
            "constraint '!a' of its partition 'first' excludes this machine",
            None,
        ),
        (
            {"partitions": [Partition("first", constraint="!a"), Partition("any")]},
            {"service_class": None, "processing_time": [3, 2, 4], "constraint": [None, "!a", None]},
            "its constraint '!a' excludes this machine",
            None,
        ),
        (
            {"service_classes": [ServiceClass("urgent", level=1), ServiceClass("scavenger")]},
            {},
            "job 0 (id 5) starts at 0.0 on machine 0: it is killed at 3.0, when none of its machines begins to fail, "
            "and no job starts that may preempt it",
            None,
        ),
        ({"preempt": "requeue"}, {}, "it completes at 9.0, the work that is left takes until 11.0", -2.0),
        ({"preempt": "drop"}, {}, "the job ended for good at 3.0", None),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_named(
    rules: dict[str, Any], columns: dict[str, Any], message: str, excess: float | None
) -> None:
    told = list(RULED_ROWS)
    if "processing_time" in columns:  # nobody is killed
        told[0] = (0, 0, 0, 3, "completed", {0: 1})
        del told[2]
    report = validate(RULED.replace(**columns), runs(told), site=with_site(**rules))
    assert message in report.message
    assert report.excess == excess


def test_who_ended_otherwise_is_named() -> None:
    instance = RULED.replace(after_ok=None, after_not_ok=[None, None, [6]])
    report = validate(instance, runs(RULED_ROWS), site=SITE)
    assert "it waits for job 1 (id 6) (after_not_ok), which ended otherwise at 5.0" in report.message
    told = runs([(2, 0, 0, 4, "completed", {1: 1})])
    never = with_site(partitions=[Partition("first", max_time=1), Partition("any")])
    assert validate(instance, told, site=never, outcome=["waiting", "never", "completed"]).ok
    report = validate(RULED, told, site=never)
    assert "it waits for job 1 (id 6) (after_ok), which ended otherwise before it could run" in report.message
    left = runs(RULED_ROWS[:3])
    ended = ["completed", "completed", "waiting"]
    report = validate(instance, left, site=SITE, outcome=ended)
    assert report.message == "job 2 (id 7) has the outcome 'waiting', its runs say 'never'"
    assert validate(instance, left, site=SITE, outcome=[*ended[:2], "never"]).ok


def test_names_that_a_site_does_not_have_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"partition\[2\] = 'any' \(job 2 \(id 7\)\) is unknown"):
        validate(RULED, runs(RULED_ROWS), site=Site(partitions=[Partition("first")]))


def test_rules_that_name_nobody_change_nothing() -> None:
    idle = with_site(
        limits=[Limit("array", "jobs", 0), Limit("account=art", "tasks", 0), Limit("user=bob", "cores", 0)]
    )
    assert validate(RULED, runs(RULED_ROWS), site=idle).ok
