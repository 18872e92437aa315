"""The cluster reference under single rules, worked out by hand: who is looked at, who is passed over, who has to go."""

from math import inf
from typing import Any

import pytest

from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine, Down
from reference.cluster_simulation import ClusterRun, run
from reference.cluster_site import NO_RULES, Limit, Partition, ServiceClass, Site
from reference.cluster_validation import outcomes, violations

FOUR = ClusterMachine((4,))
ALL = ["fcfs", "first_fit", "easy", "conservative", "pq"]
PREEMPTING = ["fcfs", "first_fit", "easy", "pq"]
LEVELS = (
    ServiceClass("high", level=2),
    ServiceClass("low", level=1, preemptible=True),
    ServiceClass("lowest", preemptible=True),
)


def job(
    release: float, demand: int, length: float, estimate: float | None = None, **columns: Any
) -> ClusterJob:
    return ClusterJob(release, length, (demand,), length if estimate is None else estimate, **columns)


def solve(
    policy: str,
    jobs: list[ClusterJob],
    site: Site = NO_RULES,
    *,
    machines: tuple[ClusterMachine, ...] = (FOUR,),
    infeasible: str = "refuse",
    options: dict[str, Any] | None = None,
    **incidents: Any,
) -> ClusterRun:
    instance = ClusterInstance(machines, tuple(jobs), **incidents)
    result = run(instance, policy, site=site, infeasible=infeasible, **(options or {}))
    assert violations(instance, result.runs, site) == []
    assert outcomes(instance, result.runs, result.outcome, site) == []
    return result


# Order


@pytest.mark.parametrize("policy", ["fcfs", "first_fit", "easy", "conservative"])
@pytest.mark.parametrize(
    ("order", "starts"),
    [
        ("arrival", [0, 1, 6, 8]),
        ("priority", [0, 5, 1, 3]),  # 2 and 3 are equal
        ("sjf", [0, 5, 1, 3]),  # by estimates 9, 4, 5
        ((0, 7, 8, 6), [0, 3, 8, 1]),
        (lambda j: (0, 3, 2, 1)[j], [0, 5, 3, 1]),
    ],
)
def test_the_queue_is_ordered_by_the_site(policy: str, order: Any, starts: list[float]) -> None:
    jobs = [
        job(0, 4, 1, priority=3),
        job(0, 4, 5, 9, priority=1),
        job(0, 4, 2, 4, priority=2),
        job(0, 4, 2, 5, priority=2),
    ]
    assert solve(policy, jobs, Site(order=order)).starts() == starts


@pytest.mark.parametrize("policy", ALL)
def test_tiers_come_first(policy: str) -> None:
    site = Site(partitions=(Partition("fast", tier=1), Partition("late", tier=-1)))
    jobs = [job(0, 4, 1, partition="late"), job(0, 4, 2), job(0, 4, 3, partition="fast")]
    assert solve(policy, jobs, site).starts() == [5, 3, 0]


# Limits


@pytest.mark.parametrize("policy", ["first_fit", "easy", "backfill", "conservative"])
def test_whom_a_limit_holds_is_passed_over_and_not_protected(policy: str) -> None:
    options = {"protected": 2} if policy == "backfill" else {}
    jobs = [job(0, 1, 9, user="ann"), job(0, 4, 1, user="ann"), job(0, 3, 5), job(1, 3, 4)]
    site = Site(limits=(Limit("user=ann", "jobs", 1),))
    assert solve(policy, jobs, site, options=options).starts() == [0, 9, 0, 5]


@pytest.mark.parametrize("policy", ALL)
@pytest.mark.parametrize(
    ("limit", "starts"),
    [
        (Limit("array", "jobs", 1), [0, 2, 0, 0]),
        (Limit("array=7", "jobs", 1), [0, 2, 0, 0]),
        (Limit("array=8", "jobs", 1), [0, 0, 0, 0]),
        (Limit("partition", "tasks", 3), [0, 2, 0, 0]),
        (Limit("account", 0, 3), [0, 0, 2, 0]),
    ],
)
def test_what_is_limited_and_for_whom(policy: str, limit: Limit, starts: list[float]) -> None:
    jobs = [
        job(0, 1, 2, n_tasks=2, array=7, partition="p", account="a"),
        job(0, 1, 2, n_tasks=2, array=7, partition="p", account="b"),
        job(0, 2, 2, n_tasks=1, array=8, account="a"),
        job(0, 2, 2),
    ]
    assert solve(policy, jobs, Site(limits=(limit,)), machines=(FOUR, FOUR)).starts() == starts


def test_a_held_job_is_not_counted_among_the_protected() -> None:
    # 1 is held, 2 and 3 are protected; 4 would delay 3
    jobs = [
        job(0, 2, 4, user="ann"),
        job(0, 1, 1, user="ann"),
        job(0, 4, 2),
        job(0, 4, 2),
        job(0, 2, 5),
        job(0, 2, 4),
    ]
    site = Site(limits=(Limit("user", "jobs", 1),))
    result = solve("backfill", jobs, site, options={"protected": 2})
    assert result.starts() == [0, 8, 4, 6, 8, 0]
    assert set(result.reservations) >= {2, 3}


def test_a_held_job_counts_for_the_depth_of_the_queue() -> None:
    jobs = [job(0, 1, 4, user="ann"), job(0, 1, 1, user="ann"), job(0, 4, 2), job(0, 1, 1)]
    site = Site(limits=(Limit("user", "jobs", 1),))
    # the first two that wait when backfilling begins are 1 and 2
    assert solve("first_fit", jobs, site, options={"queue_depth": 2}).starts()[3] > 0
    assert solve("first_fit", jobs, site, options={"queue_depth": 3}).starts()[3] == 0


# Who may never run


@pytest.mark.parametrize(
    "forbidden",
    [
        job(0, 1, 1, 6, partition="p"),
        job(0, 1, 1, n_tasks=3, partition="p"),
        job(0, 2, 1, partition="p", n_tasks=2, spread=1),
        job(0, 3, 1, user="ann"),
        job(0, 1, 1, constraint="!a", partition="p"),
    ],
)
def test_partitions_and_limits_refuse_jobs(forbidden: ClusterJob) -> None:
    site = Site(
        partitions=(Partition("p", constraint="a", max_time=5, max_tasks=2),), limits=(Limit("user", 0, 2),)
    )
    machines = (ClusterMachine((4,), labels=frozenset({"a"})), FOUR)
    jobs = [job(0, 1, 1, 5, partition="p", n_tasks=2), forbidden]
    with pytest.raises(ValueError, match="job 1"):
        solve("fcfs", jobs, site, machines=machines)
    result = solve("fcfs", jobs, site, machines=machines, infeasible="drop")
    assert result.outcome == ["completed", "never"]


@pytest.mark.parametrize("policy", ALL)
def test_who_waits_for_a_job_that_never_runs(policy: str) -> None:
    jobs = [
        job(0, 5, 1),
        job(2, 1, 1, after_ok=(0,)),
        job(3, 1, 1, after_any=(1,)),
        job(0, 1, 1, after_not_ok=(1,)),
    ]
    result = solve(policy, jobs, infeasible="drop")
    assert result.outcome == ["never", "never", "completed", "completed"]
    assert result.starts() == [None, None, 3, 2]


@pytest.mark.parametrize("policy", ALL)
def test_who_is_cancelled_before_the_release_has_ended_from_the_beginning(policy: str) -> None:
    jobs = [job(5, 1, 1), job(1, 1, 1, after_not_ok=(0,)), job(2, 1, 1, after_ok=(0,))]
    result = solve(policy, jobs, cancellations={0: 4})
    assert result.outcome == ["cancelled", "completed", "never"]
    assert result.starts()[1] == 1


@pytest.mark.parametrize("policy", ALL)
def test_a_job_that_is_killed_and_waits_again_has_not_ended(policy: str) -> None:
    jobs = [job(0, 4, 5), job(0, 1, 1, after_any=(0,)), job(0, 1, 1, after_not_ok=(0,))]
    requeued = solve(policy, jobs, failures=(Down(0, 3, 4),))
    assert requeued.starts() == [4, 9, None]
    assert requeued.outcome == ["completed", "completed", "never"]
    dropped = solve(policy, jobs, failures=(Down(0, 3, 4),), killed="drop")
    assert dropped.outcome == ["killed", "completed", "completed"]
    assert dropped.starts() == [0, 4, 4]


@pytest.mark.parametrize("policy", ALL)
def test_a_job_that_waits_for_another_blocks_nobody(policy: str) -> None:
    jobs = [job(0, 2, 5), job(0, 4, 1, after_ok=(0,)), job(1, 2, 9), job(1, 2, 4)]
    assert min(solve(policy, jobs).starts()[2:]) == 1


def test_circles_and_unknown_jobs_are_refused() -> None:
    with pytest.raises(ValueError, match="wait for each other"):
        solve("fcfs", [job(0, 1, 1, after_ok=(1,)), job(0, 1, 1, after_any=(0,))])
    with pytest.raises(ValueError, match="nobody knows"):
        solve("fcfs", [job(0, 1, 1, after_ok=(7,))])


# Preemption


@pytest.mark.parametrize("policy", PREEMPTING)
def test_the_lowest_and_latest_have_to_go_first(policy: str) -> None:
    site = Site(service_classes=LEVELS, preempt="requeue")
    low, lowest = {"service_class": "low"}, {"service_class": "lowest"}
    jobs = [
        job(0, 1, 9, **lowest),
        job(1, 1, 9, **low),
        job(1, 1, 9, **lowest),
        job(1, 1, 9, **lowest),
        job(2, 2, 3, service_class="high"),
    ]
    result = solve(policy, jobs, site)
    cut = [r.job for r in result.runs if r.outcome == "killed"]
    assert sorted(cut) == [2, 3]
    assert result.starts()[4] == 2


@pytest.mark.parametrize("policy", PREEMPTING)
def test_who_has_just_started_and_who_is_of_the_same_level_stay(policy: str) -> None:
    site = Site(service_classes=LEVELS, preempt="requeue")
    together = [job(0, 4, 5, service_class="low"), job(0, 4, 1, service_class="high")]
    assert solve(policy, together, site, options={"heuristic": "erf"} if policy == "pq" else {}).starts() == [
        0,
        5,
    ]
    equal = [job(0, 4, 5, service_class="low"), job(1, 4, 1, service_class="low")]
    assert solve(policy, equal, site).starts() == [0, 5]


@pytest.mark.parametrize("policy", PREEMPTING)
def test_nobody_has_to_go_where_all_do_not_suffice(policy: str) -> None:
    site = Site(service_classes=LEVELS, preempt="drop")
    jobs = [job(0, 2, 5, service_class="low"), job(0, 1, 6), job(1, 4, 1, service_class="high")]
    result = solve(policy, jobs, site)
    assert result.outcome == ["completed"] * 3
    assert result.starts() == [0, 0, 6]


@pytest.mark.parametrize("policy", PREEMPTING)
def test_only_machines_that_the_job_may_use_count(policy: str) -> None:
    site = Site(service_classes=LEVELS, preempt="requeue", partitions=(Partition("p", constraint="a"),))
    machines = (FOUR, ClusterMachine((4,), labels=frozenset({"a"})))
    jobs = [
        job(0, 4, 8, service_class="low", constraint="a"),
        job(1, 4, 8, service_class="lowest"),
        job(2, 4, 1, service_class="high", partition="p"),
    ]
    result = solve(policy, jobs, site, machines=machines)
    assert [(r.job, r.end) for r in result.runs if r.outcome == "killed"] == [(0, 2)]
    assert result.starts() == [3, 1, 2]


@pytest.mark.parametrize("policy", PREEMPTING)
def test_a_job_may_go_before_an_outage_because_another_goes(policy: str) -> None:
    site = Site(service_classes=LEVELS, preempt="requeue")
    # after the running job it would meet the outage, which has no end
    jobs = [job(0, 4, 8, service_class="low"), job(1, 4, 5, service_class="high")]
    result = solve(policy, jobs, site, outages=(Down(0, 10, inf),))
    assert result.starts()[1] == 1
    assert result.outcome == ["waiting", "completed"]


def test_whom_a_limit_holds_does_not_preempt_for_it() -> None:
    site = Site(service_classes=LEVELS, preempt="requeue", limits=(Limit("user", "jobs", 1),))
    jobs = [job(0, 4, 5, service_class="low", user="ann"), job(1, 4, 1, service_class="high", user="ann")]
    assert solve("first_fit", jobs, site).starts() == [0, 5]


def test_a_preemption_lets_later_jobs_of_the_pass_under_a_limit() -> None:
    site = Site(service_classes=LEVELS, preempt="requeue", limits=(Limit("user", "jobs", 1),))
    jobs = [
        job(0, 4, 9, service_class="low", user="ann"),
        job(1, 1, 1, user="ann"),  # held when it is looked at
        job(1, 2, 3, service_class="high"),
        job(1, 1, 1, user="ann"),  # not any more
    ]
    assert solve("first_fit", jobs, site).starts() == [4, 2, 1, 1]


@pytest.mark.parametrize("policy", PREEMPTING)
def test_what_is_dropped_counts_from_the_next_event_on(policy: str) -> None:
    site = Site(service_classes=LEVELS, preempt="drop")
    jobs = [
        job(0, 4, 9, service_class="low"),
        job(0, 1, 1, after_not_ok=(0,)),
        job(2, 3, 5, service_class="high"),
        job(4, 1, 1),
    ]
    result = solve(policy, jobs, site, options={"heuristic": "erf"} if policy == "pq" else {})
    assert result.outcome == ["killed", "completed", "completed", "completed"]
    assert result.starts() == [0, 4, 2, 5]
