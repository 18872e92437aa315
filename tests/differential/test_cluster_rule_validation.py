"""The reference validator finds what breaks the rules of a site, sentence by sentence."""

from dataclasses import replace
from typing import Any

import pytest

from reference import cluster_rule_validation, cluster_validation
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine, Down
from reference.cluster_site import Limit, Partition, ServiceClass, Site
from reference.cluster_state import RunRecord

SITE = Site(
    partitions=(Partition("first", constraint="a", max_time=9),),
    service_classes=(ServiceClass("urgent", level=1), ServiceClass("scavenger", preemptible=True)),
    limits=(Limit("user", "tasks", 2),),
    preempt="checkpoint",
)
#: Job 1 preempts job 0; 2 waits for the end of 1 and 3 for that of 4, which never arrives.
INSTANCE = ClusterInstance(
    (ClusterMachine((2,), labels=frozenset({"a"})), ClusterMachine((2,))),
    (
        ClusterJob(0, 6, (2,), 6, service_class="scavenger", checkpoint_interval=2, user="ann"),
        ClusterJob(3, 2, (2,), 2, service_class="urgent", partition="first"),
        ClusterJob(0, 4, (1,), 4, after_ok=(1,), user="ann", n_tasks=1),
        ClusterJob(0, 1, (1,), 1, after_not_ok=(4,), user="bob"),
        ClusterJob(5, 1, (1,), 1),
    ),
    failures=(Down(1, 20, 21),),
    cancellations={4: 5},
)
CUT = RunRecord(0, 0, 0, 3, "killed", ((0, 1),))
RESUMED = RunRecord(0, 1, 5, 9, "completed", ((0, 1),))
URGENT = RunRecord(1, 0, 3, 5, "completed", ((0, 1),))
AFTER = RunRecord(2, 0, 5, 9, "completed", ((1, 1),))
WITHOUT = RunRecord(3, 0, 0, 1, "completed", ((1, 1),))
RUNS = [CUT, WITHOUT, URGENT, RESUMED, AFTER]


def with_job(job: int, **columns: Any) -> ClusterInstance:
    rows = list(INSTANCE.jobs)
    rows[job] = replace(rows[job], **columns)
    return replace(INSTANCE, jobs=tuple(rows))


def test_runs_that_obey_are_feasible() -> None:
    assert cluster_validation.violations(INSTANCE, RUNS, SITE) == []
    told = ["completed", "completed", "completed", "completed", "cancelled"]
    assert cluster_validation.outcomes(INSTANCE, RUNS, told, SITE) == []


@pytest.mark.parametrize(
    ("check", "instance", "site"),
    [
        ("broken_limits", INSTANCE, replace(SITE, limits=(Limit("user=ann", "jobs", 1),))),
        ("broken_limits", INSTANCE, replace(SITE, limits=(Limit("user", 0, 2),))),
        ("broken_dependencies", with_job(2, after_ok=(0,)), SITE),
        ("broken_dependencies", with_job(2, after_not_ok=(1,)), SITE),
        ("broken_dependencies", with_job(3, after_any=(0,)), SITE),
        (
            "forbidden_jobs",
            with_job(0, partition="first"),
            replace(SITE, partitions=(Partition("first", max_time=5),)),
        ),
        ("forbidden_jobs", INSTANCE, replace(SITE, limits=(Limit("user", "tasks", 0),))),
        ("lengths_and_ends", INSTANCE, replace(SITE, preempt=None)),
        ("lengths_and_ends", with_job(0, service_class="urgent"), SITE),
        ("lengths_and_ends", with_job(1, service_class=None), SITE),
        ("lengths_and_ends", INSTANCE, replace(SITE, preempt="requeue")),
        ("one_run_at_a_time", INSTANCE, replace(SITE, preempt="drop")),
    ],
)
def test_what_breaks_a_rule_is_found(check: str, instance: ClusterInstance, site: Site) -> None:
    module = cluster_validation if hasattr(cluster_validation, check) else cluster_rule_validation
    assert getattr(module, check)(instance, RUNS, site)
    assert cluster_validation.violations(instance, RUNS, site)


def test_machines_that_the_partition_excludes_are_found() -> None:
    elsewhere = [replace(r, allocation=((1, 1),)) if r is RESUMED else r for r in RUNS]
    elsewhere = [replace(r, allocation=((0, 1),)) if r is AFTER else r for r in elsewhere]
    instance = with_job(0, partition="first")
    found = cluster_validation.violations(instance, elsewhere, SITE)
    assert any("constraint" in finding for finding in found)


def test_nobody_is_preempted_where_the_other_may_not_run() -> None:
    outside = [replace(r, allocation=((1, 1),)) if r is CUT else r for r in RUNS if r is not WITHOUT]
    found = cluster_validation.violations(INSTANCE, outside, SITE)
    assert any("killed by nothing" in finding for finding in found)


@pytest.mark.parametrize(
    ("job", "columns", "outcome", "agrees"),
    [
        (2, {"after_ok": (4,)}, "never", True),
        (2, {"after_ok": (4,)}, "waiting", False),
        (2, {"after_not_ok": (1,)}, "never", True),
        (2, {"after_any": (4,)}, "waiting", True),
    ],
)
def test_what_became_of_jobs_that_wait(job: int, columns: dict[str, Any], outcome: str, agrees: bool) -> None:
    instance = with_job(job, **{"after_ok": (), **columns})
    runs = [r for r in RUNS if r.job != job]
    told = ["completed", "completed", outcome, "completed", "cancelled"]
    assert (cluster_validation.outcomes(instance, runs, told, SITE) == []) == agrees
