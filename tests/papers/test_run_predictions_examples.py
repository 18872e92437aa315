"""EASY++ by hand: predictions by the last two runs of each user, and what follows when they are too short.

One machine of 10 processors. Ann's first two jobs run for 10 each, far below their estimates.
"""

import numpy as np
import pytest

import schedcore
from schedcore import InvalidInstanceError, UnsupportedError

# release, length, estimate, processors, user
ROWS = [
    (0, 10, 100, 1, "ann"),
    (0, 10, 100, 1, "ann"),
    (20, 15, 100, 6, "ann"),
    (20, 50, 50, 8, "bob"),  # the head from 20 on
    (20, 10, 150, 4, "ann"),
    (25, 40, 40, 4, "bob"),
]


def instance() -> schedcore.Instance:
    release, length, estimate, processors, user = zip(*ROWS, strict=True)
    jobs = schedcore.Jobs(
        length,
        [[n] for n in processors],
        release_time=release,
        estimated_processing_time=estimate,
        user=user,
    )
    return schedcore.Instance(jobs, schedcore.Machines([[10]]))


# By estimates the head is to start at 120. At 20 job 4 would end at 170 and is kept; job 5 would end at 65 and starts
# at 25. At 35 job 2 ends; the head follows job 5 at 65, and job 4 the head at 115.
def test_by_estimates() -> None:
    result = schedcore.easy(instance(), record=True)
    assert result.schedule.start_time.tolist() == [0, 0, 20, 65, 115, 25]
    assert result.stats["shadow"][0][:3] == (20, 3, 120)


# Jobs 2 and 4 are predicted to take (10 + 10) / 2. At 20 the head is to start at 30, as job 4 would end, which starts.
# At 30 it ends; job 2 does not, and is predicted to take a minute more, until 90. So the head is to start at 90, and
# job 5 may overtake it until 70. At 35 job 2 ends. The head starts at 70, long after it was promised to.
def test_by_the_last_two_runs() -> None:
    result = schedcore.easy(instance(), predictions="last_two", selection="sjbf", record=True)
    assert result.schedule.start_time.tolist() == [0, 0, 20, 70, 20, 30]
    shadows = [row[:3] for row in result.stats["shadow"]]
    assert shadows == [(20, 3, 30), (25, 3, 30), (30, 3, 90), (35, 3, 70)]
    assert schedcore.validate(instance(), result.schedule).ok


# A machine of 10 processors is as good as 10 machines of one for jobs of as many tasks, and a site that says nothing
# changes nothing.
@pytest.mark.parametrize(
    ("name", "options"), [("easy", {}), ("conservative", {}), ("backfill", {"protected": 2})]
)
def test_jobs_of_several_tasks_are_predicted_as_others_are(name: str, options: dict[str, int]) -> None:
    by_estimates = schedcore.solve(name, instance(), **options).schedule.start_time.tolist()
    options = {**options, "predictions": "last_two"}
    one = schedcore.solve(name, instance(), **options).schedule.start_time.tolist()
    assert one != by_estimates
    jobs = instance().jobs
    tasks = jobs.replace(n_tasks=jobs.demand[:, 0], demand=np.ones_like(jobs.demand))
    many = schedcore.Instance(tasks, schedcore.Machines([[1]] * 10))
    for more in ({}, {"site": schedcore.Site()}):
        runs = schedcore.solve(name, many, **options, **more)
        assert runs.schedule.start_time.tolist() == one


def alone(length: float, estimate: float, then: float) -> list[float]:
    """Shadows of a head behind a job of a user whose two runs before took 10; and another event at `then`."""
    jobs = schedcore.Jobs(
        [10, 10, length, 1, 1],
        [[5], [5], [10], [10], [10]],
        release_time=[0, 0, 20, 20, then],
        estimated_processing_time=[10, 10, estimate, 1, 1],
        user=["ann", "ann", "ann", None, None],
    )
    result = schedcore.easy(
        schedcore.Instance(jobs, schedcore.Machines([[10]])), predictions="last_two", record=True
    )
    return list(dict.fromkeys(shadow for _, job, shadow, _ in result.stats["shadow"] if job == 3))


# 10, and then 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours more.
def test_predictions_that_are_too_short_grow_by_the_increments_of_the_paper() -> None:
    sums = [10, 70, 370, 1270, 3070, 6670, 13_870, 31_870, 67_870, 139_870, 319_870, 679_870]
    assert alone(1e6, 1e6, 25) == [20.0 + total for total in [*sums, 1e6]]
    assert alone(400, 500, 25) == [30, 90, 390, 520]
    assert alone(400, 400, 25) == [30, 90, 390, 420]


# Two runs of 10 are more than the user says.
def test_no_prediction_is_above_the_estimate() -> None:
    assert alone(7, 7, 21) == [27]


# One run is not enough, and the runs of nobody teach nothing.
@pytest.mark.parametrize("users", [["ann", "bob", "ann"], [None, None, "ann"], ["ann", "ann", None]])
def test_without_two_runs_the_estimate_counts(users: list[str | None]) -> None:
    jobs = schedcore.Jobs(
        [10, 10, 10, 1],
        [[5], [5], [10], [10]],
        release_time=[0, 0, 20, 20],
        estimated_processing_time=[10, 10, 50, 1],
        user=[*users, None],
    )
    result = schedcore.easy(
        schedcore.Instance(jobs, schedcore.Machines([[10]])), predictions="last_two", record=True
    )
    assert result.stats["shadow"][0][:3] == (20, 3, 70)


def test_what_kills_runs_is_refused() -> None:
    outage = schedcore.Outages([0], [300.0], [400.0])
    with pytest.raises(UnsupportedError, match="predictions = 'last_two' does not take failures"):
        schedcore.easy(instance(), predictions="last_two", incidents=schedcore.Incidents(failures=outage))
    with pytest.raises(UnsupportedError, match="predictions = 'last_two' does not take announced outages"):
        schedcore.easy(
            schedcore.Instance(instance().jobs, instance().machines, outages=outage), predictions="last_two"
        )


def test_jobs_of_nobody_are_planned_with_their_estimates_and_this_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    jobs = instance().jobs.replace(user=None)
    one = schedcore.Instance(jobs, instance().machines)
    result = schedcore.easy(one, predictions="last_two")
    assert "no job has a user: all are planned with their estimates" in caplog.text
    assert result.schedule == schedcore.easy(one).schedule
    caplog.clear()
    nobody = schedcore.Instance(schedcore.Jobs([], np.empty((0, 1), int)), schedcore.Machines([[1]]))
    assert len(schedcore.easy(nobody, predictions="last_two").schedule) == 0
    assert not caplog.text


def test_bad_predictions_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="last_two"):
        schedcore.easy(instance(), predictions="last_three")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="an embedded scheduler is told by submit and update"):
        schedcore.OnlineScheduler("easy", schedcore.Machines([[10]]), predictions="last_two")
