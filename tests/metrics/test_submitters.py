"""Who got what: figures of users and accounts, shares used and promised, and holds of limits, computed by hand."""

from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import (
    Incidents,
    Instance,
    InvalidInstanceError,
    Jobs,
    Limit,
    Machines,
    Multifactor,
    Outages,
    Result,
    RunAllocation,
    Runs,
    ServiceClass,
    Site,
    UnsupportedError,
    metrics,
)

# One machine of 4 cores and 8 GB. Job 0 of ann (1 core, 4 GB) takes 11 and is preempted at 4 by the urgent job 1 of bob
# (4 cores), which runs [4, 6). Job 0 has saved 3 and runs again from 6 on, for 11 - 3 + 1 of the restart. The machine
# fails at 14, just before the end, and the job is cancelled at 15. Job 2 of ann (2 cores) runs [16, 17) and fails with
# the machine, which is down in [14, 16) and [17, 18); it begins anew and runs [18, 20).
JOBS = Jobs(
    [11, 2, 2],
    [[1, 4], [4, 0], [2, 0]],
    [0, 4, 5],
    user=["ann", "bob", "ann"],
    account=["physics", "art", None],
    service_class=["scavenger", "urgent", "urgent"],
    checkpoint_interval=[3, 0, 0],
    restart_cost=[1, 0, 0],
)
INSTANCE = Instance(JOBS, Machines([[4, 8]], ["cores", "memory"]))
INCIDENTS = Incidents(Outages([0, 0], [14, 17], [16, 18]), {0: 15}, "requeue")
SITE = Site(
    service_classes=[ServiceClass("scavenger", preemptible=True), ServiceClass("urgent", level=1)],
    preempt="checkpoint",
    shares={"physics": 2, "art": 5, None: 1, "idle": 2},
)
RUNS = Runs(
    [0, 1, 0, 2, 2],
    [0, 0, 1, 0, 1],
    [0, 4, 6, 16, 18],
    [4, 6, 14, 17, 20],
    ["killed", "completed", "killed", "killed", "completed"],
    RunAllocation([0, 1, 2, 3, 4], [0] * 5, [1] * 5),
)
OUTCOME = ["cancelled", "completed", "completed"]


def result_of(
    instance: Instance = INSTANCE, runs: Runs = RUNS, outcome: Any = OUTCOME, **told: Any
) -> Result:
    told = {"incidents": INCIDENTS, "site": SITE} | told
    schedule = schedcore.Schedule(np.zeros(instance.n_jobs), np.zeros(instance.n_jobs, dtype=int))
    return Result(schedule, "awct", 0.0, instance=instance, runs=runs, outcome=outcome, **told)


RESULT = result_of()


def test_the_example_is_feasible() -> None:
    report = schedcore.validate(INSTANCE, RUNS, incidents=INCIDENTS, outcome=OUTCOME, site=SITE)
    assert report.ok, report.message


def test_figures_of_the_example_by_user() -> None:
    figures = metrics.fairness_by_submitter(RESULT)
    assert (figures.column, figures.names, figures.resource_names) == (
        "user",
        ("ann", "bob"),
        ("cores", "memory"),
    )
    # Of ann's two jobs one completed: it waited from 5 to 16, and was done at 20.
    assert (figures.n_jobs.tolist(), figures.n_completed.tolist()) == ([2, 1], [1, 1])
    assert (figures.mean_wait.tolist(), figures.wait_p95.tolist()) == ([11, 0], [11, 0])
    assert figures.mean_bounded_slowdown.tolist() == [1.5, 1.0]
    # Sizes: half of the memory, all cores, half of the cores. Ann: (4 + 8) / 2 + (1 + 2) / 2; bob: 2.
    assert figures.use.tolist() == [7.5, 2.0]
    assert figures.share_used.tolist() == [7.5 / 9.5, 2 / 9.5]
    assert figures.share_promised is None
    # The preemption cost 1 beside what was saved. The failure at 14 ended a run of 8; the 3 that were saved before are
    # lost by it, too, as the job never went on. The failure at 17 cost 1 of 2 cores.
    assert figures.lost_by_preemption.tolist() == [[1, 4], [0, 0]]
    assert figures.lost_by_failure.tolist() == [[8 + 3 + 2, 4 * (8 + 3)], [0, 0]]
    assert figures.lost_by_cancellation.tolist() == [[0, 0], [0, 0]]
    assert metrics.run_work(INSTANCE, RUNS).lost.tolist() == [14, 48]
    assert figures.share_lost.tolist() == [(1 / 2 + 11 / 2 + 1 / 2) / 7.5, 0]


def test_shares_are_promised_to_accounts() -> None:
    figures = metrics.fairness_by_submitter(RESULT, "account")
    assert figures.names == ("art", "physics", "(none)")
    assert figures.share_promised is not None
    assert figures.share_promised.tolist() == [0.5, 0.2, 0.1]  # an account without jobs has the rest
    assert figures.share_used.tolist() == [2 / 9.5, 6 / 9.5, 1.5 / 9.5]
    rows = figures.rows()
    assert [row["class"] for row in rows] == ["art", "physics", "(none)"]
    assert rows[1]["lost_by_preemption"] == {"cores": 1.0, "memory": 4.0}
    assert (rows[1]["n_jobs"], rows[1]["n_completed"], rows[1]["mean_wait"]) == (1, 0, 0.0)
    assert rows[1]["share_promised"] == 0.2
    alike = metrics.fairness_by_submitter(result_of(site=Site()), "account")
    assert alike.share_promised is not None
    assert alike.share_promised.tolist() == [1 / 3, 1 / 3, 1 / 3]
    assert metrics.fairness_by_submitter(result_of(site=None), "account").rows()[0]["share_promised"] is None


def test_what_is_killed_without_preemption_failed() -> None:
    figures = metrics.fairness_by_submitter(result_of(site=None, incidents=None), "user")
    assert figures.lost_by_preemption.tolist() == [[0, 0], [0, 0]]
    assert figures.lost_by_failure.sum(axis=0).tolist() == metrics.run_work(INSTANCE, RUNS).lost.tolist()


def test_a_plain_schedule_has_figures_of_its_users() -> None:
    plain = Instance(Jobs([4, 1, 2], [[1], [1], [1]], user=["bob", None, "ann"]), Machines([[1]]))
    result = schedcore.solve("fcfs", plain)
    figures = metrics.fairness_by_submitter(result, "user")
    assert figures.use.tolist() == [2, 4, 1]
    by_class = metrics.fairness_by_class(plain, result.schedule, metrics.submitter_classes(plain))
    for name in (
        "mean_wait",
        "wait_p95",
        "max_wait",
        "mean_response",
        "mean_slowdown",
        "mean_times_overtaken",
    ):
        assert getattr(figures, name).tolist() == getattr(by_class, name).tolist()
    with pytest.raises(InvalidInstanceError, match=r"the jobs have no account; they have user"):
        metrics.fairness_by_submitter(result, "account")
    with pytest.raises(InvalidInstanceError, match="did you mean 'user'"):
        metrics.fairness_by_submitter(result, "users")


def test_without_jobs_there_are_no_rows() -> None:
    empty = schedcore.solve(
        "fcfs", Instance(JOBS[:0], INSTANCE.machines), site=Site(limits=[Limit("user", "jobs", 1)])
    )
    assert metrics.fairness_by_submitter(empty, "account").rows() == []
    assert metrics.limit_holds(empty).rows() == []
    assert metrics.shares_over_time(empty, [0, 1], half_life=1).share_used.shape == (2, 0)


# E7 of the specification of clusters: all jobs take the machine for 10, shares are 3 and 1.
E7 = Instance(
    Jobs([10] * 4, [[4]] * 4, [0, 1, 5, 6], account=["physics", "physics", "art", "art"]), Machines([[4]])
)
E7_SITE = Site(
    Multifactor(age=100, fair_share=100, max_age=100, half_life=10, interval=10),
    shares={"physics": 3, "art": 1},
)


def test_shares_used_and_promised_over_time() -> None:
    result = schedcore.solve("fcfs", E7, site=E7_SITE)
    shares = metrics.shares_over_time(result, [20, 0, 10, -5])
    assert (shares.column, shares.names, shares.half_life) == ("account", ("art", "physics"), 10)
    assert shares.promised is not None
    assert shares.promised.tolist() == [0.25, 0.75]
    ten = 10 / np.log(2) / 2  # of a run of 10, right behind its end
    np.testing.assert_allclose(shares.used, [[ten, ten / 2], [0, 0], [0, ten], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(shares.share_used, [[2 / 3, 1 / 3], [0, 0], [0, 1], [0, 0]], atol=1e-12)
    everything = metrics.shares_over_time(result, [15, 40], half_life=np.inf)
    assert everything.used.tolist() == [[5, 10], [20, 20]]
    assert metrics.shares_over_time(result, []).used.shape == (0, 2)
    by_user = result_of()
    assert metrics.shares_over_time(by_user, [20], "user", half_life=np.inf).used.tolist() == [[7.5, 2]]
    assert metrics.shares_over_time(by_user, [20], "user", half_life=np.inf).promised is None


def test_what_shares_over_time_cannot_know_is_refused() -> None:
    result = schedcore.solve("fcfs", E7, site=E7_SITE)
    with pytest.raises(InvalidInstanceError, match="the result has no site that says in which half_life"):
        metrics.shares_over_time(schedcore.solve("fcfs", E7), [1])
    with pytest.raises(InvalidInstanceError, match="the order of the site is no Multifactor"):
        metrics.shares_over_time(schedcore.solve("fcfs", E7, site=Site("sjf")), [1])
    for half_life in (0, -1, np.nan):
        with pytest.raises(InvalidInstanceError, match="half_life"):
            metrics.shares_over_time(result, [1], half_life=half_life)
    for instants in ([np.nan], [np.inf], [[1, 2]]):
        with pytest.raises(InvalidInstanceError, match="instants must be one column of finite times"):
            metrics.shares_over_time(result, instants)
    with pytest.raises(InvalidInstanceError, match="the jobs have no user"):
        metrics.shares_over_time(result, [1], "user")
    lacking = Result(result.schedule, "awct", 0.0, instance=E7, site=Site(E7_SITE.order, shares={"art": 1}))
    for metric in (metrics.shares_over_time, metrics.fairness_by_submitter):
        with pytest.raises(
            InvalidInstanceError, match=r"account\[0\] = 'physics' .* is unknown: it has no share"
        ):
            metric(lacking, *([[1]] if metric is metrics.shares_over_time else ["account"]))  # type: ignore[operator]


# E9 of the specification of clusters: one job of each user at a time.
E9 = Instance(
    Jobs(
        [4, 2, 3, 1, 2, 1, 5],
        [[1], [1], [1], [1], [1], [4], [1]],
        [0, 0, 0, 1, 1, 2, 4],
        user=["ann", "ann", "bob", "bob", "cem", "ann", "bob"],
        after_ok=[(), (), (0,), (), (), (), ()],
        after_not_ok=[(), (), (), (0,), (), (), ()],
        after_any=[(), (), (), (), (3,), (), ()],
    ),
    Machines([[4]], ["cores"]),
)


def test_limits_that_held_whom_for_how_long() -> None:
    # Starts 0 4 4 - 4 7 8. Ann runs in [0, 6): that held job 1 in [0, 4) and job 5 in [2, 6). Bob runs in [4, 7), which
    # held job 6 from its release on. Jobs 2 and 4 waited for others; job 5 in [6, 7) for cores.
    result = schedcore.solve("easy", E9, site=Site(limits=[Limit("user", "jobs", 1)]))
    holds = metrics.limit_holds(result)
    assert holds.time_of_jobs[:, 0].tolist() == [0, 4, 0, 0, 0, 4, 3]
    assert holds.value == ("ann", "bob", "cem")
    assert (holds.n_jobs.tolist(), holds.total_time.tolist()) == ([2, 1, 0], [8, 3, 0])
    assert holds.longest_time.tolist() == [4, 3, 0]
    assert (len(holds), holds.limits) == (3, (Limit("user", "jobs", 1),))
    assert holds.rows()[1] == {
        "limit": 0, "who": "user", "what": "jobs", "most": 1, "value": "bob",
        "n_jobs": 1, "total_time": 3.0, "longest_time": 3.0,
    }  # fmt: skip


def test_the_first_limit_that_holds_a_job_is_the_one_that_counts() -> None:
    # The limit of ann alone comes first; the other one holds her job 5 only when job 1 runs alone: never.
    site = Site(
        limits=[Limit("user=ann", "cores", 4), Limit("user", "jobs", 1), Limit("user=zoe", "jobs", 1)]
    )
    holds = metrics.limit_holds(schedcore.solve("easy", E9, site=site))
    assert holds.time_of_jobs.tolist() == [
        [0, 0, 0],
        [0, 4, 0],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
        [4, 0, 0],
        [0, 3, 0],
    ]
    told = [(row["limit"], row["value"], row["n_jobs"], row["total_time"]) for row in holds.rows()]
    assert told == [(0, "ann", 1, 4), (1, "ann", 1, 4), (1, "bob", 1, 3), (1, "cem", 0, 0)]


def test_values_of_arrays_are_in_order_of_their_numbers() -> None:
    arrays = Instance(Jobs([3, 3, 3, 3], [[1]] * 4, array=[10, 9, 10, -1]), Machines([[9]]))
    result = schedcore.solve("fcfs", arrays, site=Site(limits=[Limit("array", "jobs", 1)]))
    holds = metrics.limit_holds(result)
    assert (holds.value, holds.n_jobs.tolist(), holds.total_time.tolist()) == (("9", "10"), [0, 1], [0, 3])


def test_jobs_that_never_started_are_held_until_they_are_cancelled() -> None:
    jobs = Jobs([9, 1], [[1], [1]], user="ann")
    one_each = Site(limits=[Limit("user", "jobs", 1)])
    incidents = Incidents(cancellations={1: 5})
    result = schedcore.solve("fcfs", Instance(jobs, Machines([[2]])), incidents=incidents, site=one_each)
    assert metrics.limit_holds(result).total_time.tolist() == [5]
    unknown = Result(
        result.schedule,
        "awct",
        0.0,
        instance=result.instance,
        runs=result.runs,
        outcome=result.outcome,
        site=one_each,
    )
    with pytest.raises(InvalidInstanceError, match="job 1 was cancelled, and the result does not say when"):
        metrics.limit_holds(unknown)


def test_limits_need_a_site_that_fits() -> None:
    plain = schedcore.solve("fcfs", E7)
    with pytest.raises(InvalidInstanceError, match="the result has no site, so no limits"):
        metrics.limit_holds(plain)
    odd = Result(plain.schedule, "awct", 0.0, instance=E7, site=Site(limits=[Limit("user", "gpus", 1)]))
    with pytest.raises(
        InvalidInstanceError, match=r"limits\[0\] = .* names neither jobs, tasks nor a resource"
    ):
        metrics.limit_holds(odd)
    assert metrics.limit_holds(schedcore.solve("fcfs", E7, site=Site("sjf"))).time_of_jobs.shape == (4, 0)


@pytest.mark.parametrize(
    "metric",
    [
        metrics.fairness_by_submitter,
        metrics.limit_holds,
        lambda result: metrics.shares_over_time(result, [1], half_life=1),
    ],
)
def test_what_is_no_result_of_jobs_is_refused(metric: Any) -> None:
    with pytest.raises(TypeError, match=r"result must be a schedcore.Result, not Instance"):
        metric(INSTANCE)
    unknown = Result(schedcore.Schedule([0.0], [0]), "awct", 0.0)
    with pytest.raises(UnsupportedError, match="needs a result that knows its instance of jobs"):
        metric(unknown)
    slotted = schedcore.solve("srpt", Instance(Jobs([1], [[1]], user="ann", account="art"), Machines([[1]])))
    with pytest.raises((UnsupportedError, TypeError)):
        metric(slotted)
