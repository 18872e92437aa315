"""What holds under the rules of a site, stated on the reference implementation and random sites."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from differential.cluster_cases import (
    GANG_SETTINGS,
    RULED_SETTINGS,
    SELECTING_SETTINGS,
    Setting,
    can_preempt,
    instances_for,
    name_of,
    sites_for,
)
from example_shares import n_cases, n_or_more
from reference.cluster_instance import ClusterInstance
from reference.cluster_rule_validation import rule_of_kill
from reference.cluster_simulation import ClusterRun, Simulation, run
from reference.cluster_site import Limit, Multifactor, Partition, ServiceClass, Site
from reference.cluster_validation import outcomes, violations


def every(settings: list[Setting]) -> Any:
    return pytest.mark.parametrize("setting", settings, ids=name_of)


def solved(instance: ClusterInstance, setting: Setting, site: Site) -> ClusterRun:
    return run(instance, setting[0], site=site, infeasible="drop", **setting[1])


@every(RULED_SETTINGS)
def test_runs_under_rules_are_feasible(setting: Setting) -> None:
    for instance, site in sites_for(setting, n_cases(15 if setting in SELECTING_SETTINGS else 60)):
        result = solved(instance, setting, site)
        assert violations(instance, result.runs, site) == []
        assert outcomes(instance, result.runs, result.outcome, site) == []


@every([s for s in GANG_SETTINGS if can_preempt(s)])
def test_a_preempted_job_is_of_a_lower_level_than_one_that_starts_then(setting: Setting) -> None:
    preempted: Counter[str] = Counter()
    for instance, site in sites_for(setting, n_or_more(200), first=1000):
        result = solved(instance, setting, site)
        assert site.preempt is not None
        for ended in result.runs:
            on = {m for m, _ in ended.allocation}
            failed = any(f.start == ended.end and f.machine in on for f in instance.failures)
            if ended.outcome != "killed" or failed:
                continue
            own = site.class_of(instance.jobs[ended.job])
            starting = [instance.jobs[r.job] for r in result.runs if r.start == ended.end]
            assert own.preemptible
            assert any(site.class_of(job).level > own.level for job in starting)
            assert rule_of_kill(instance, ended, site) == site.preempt
            preempted[site.preempt] += 1
    assert min(preempted[rule] for rule in ("requeue", "drop", "checkpoint")) > 5


#: Each by itself; no job has the columns that they look at.
RULES_THAT_NAME_NOBODY = [
    Site(partitions=(Partition("p", constraint="a", max_time=1, max_tasks=1, tier=3, factor=2),)),
    Site(service_classes=(ServiceClass("c", level=3, factor=2, preemptible=True),)),
    Site(limits=(Limit("user", "jobs", 1), Limit("account=x", 0, 1), Limit("array", "tasks", 1))),
    Site(limits=(Limit("partition", "jobs", 0), Limit("service_class", "tasks", 0))),
    Site(order="priority"),
    Site(order=Multifactor(fair_share=3, partition=1, service_class=1, job=1)),
    Site(order=Multifactor(age=1, fair_share=2, max_age=5, half_life=3, interval=0)),
    Site(shares={None: 1.0, "physics": 2.0}),
]


@every(GANG_SETTINGS)
def test_rules_that_name_nobody_change_nothing(setting: Setting) -> None:
    policy, _ = setting
    sites = [s for s in RULES_THAT_NAME_NOBODY if policy != "pq" or s.order == "arrival"]
    if can_preempt(setting):
        classes = (ServiceClass("c", level=3, preemptible=True),)
        sites += [Site(service_classes=classes, preempt=rule) for rule in ("requeue", "drop")]
    for instance in instances_for(setting, n_cases(15), first=2000):
        without = run(instance, policy, infeasible="drop", **setting[1])
        for site in sites:
            assert solved(instance, setting, site) == without


@every(GANG_SETTINGS)
def test_columns_that_no_rule_looks_at_change_nothing(setting: Setting) -> None:
    for instance, _ in sites_for(setting, n_cases(18), first=3000, dependencies=False):
        plain = tuple(
            replace(row, priority=0, user=None, account=None, partition=None, service_class=None, array=-1)
            for row in instance.jobs
        )
        without = run(replace(instance, jobs=plain), setting[0], infeasible="drop", **setting[1])
        assert run(instance, setting[0], infeasible="drop", **setting[1]) == without


@every([s for s in GANG_SETTINGS if s[0] != "pq"])
def test_an_array_of_arrival_times_orders_like_arrival(setting: Setting) -> None:
    for instance, site in sites_for(setting, n_cases(18), first=4000):
        by_numbers = replace(site, order=tuple(row.release_time for row in instance.jobs))
        by_key = replace(site, order="erf")
        expected = solved(instance, setting, replace(site, order="arrival"))
        assert solved(instance, setting, by_numbers) == expected
        assert solved(instance, setting, by_key) == expected


@every([s for s in GANG_SETTINGS if s[0] in ("first_fit", "pq")])
def test_after_a_pass_whoever_fits_is_held_by_a_limit(setting: Setting) -> None:
    for instance, site in sites_for(setting, n_cases(30), first=5000, preemption=False):
        simulation = Simulation(instance, setting[0], "drop", setting[1], site)
        while (now := simulation.next_instant()) < float("inf"):
            simulation.step(now)
            state = simulation.state
            fitting = [j for j in state.queue() if state.fits_at(j, now) is not None]
            assert all(state.limit_that_holds(j) is not None for j in fitting)


@every([s for s in GANG_SETTINGS if s[0] in ("easy", "backfill", "conservative")])
def test_nothing_is_reserved_for_jobs_that_wait_for_others(setting: Setting) -> None:
    kept_back = 0
    for instance, site in sites_for(setting, n_or_more(30), first=6000, preemption=False):
        simulation = Simulation(instance, setting[0], "drop", setting[1], site)
        while (now := simulation.next_instant()) < float("inf"):
            simulation.step(now)
            state = simulation.state
            planned = {job for job, _, _ in simulation.policy.plan()}
            assert not planned & state.kept_back
            kept_back += len(state.kept_back)
    assert kept_back > 100


def test_priorities_of_sums_are_apart_by_more_than_rounding() -> None:
    apart = []
    for instance, site in sites_for(("fcfs", {}), n_or_more(300)):
        if not isinstance(site.order, Multifactor):
            continue
        simulation = Simulation(instance, "fcfs", "drop", {}, site)
        while (now := simulation.next_instant()) < float("inf"):
            simulation.step(now)
            state = simulation.state
            told = sorted(
                state.order.priority(site.order, state.jobs[j], state.machines) for j in state.queue()
            )
            apart += [after - before for before, after in pairwise(told)]
    assert len(apart) > 1000
    assert min(apart) > 1e-7


@every([("fcfs", {}), ("easy", {}), ("conservative", {})])
def test_random_sites_use_every_rule(setting: Setting) -> None:
    seen: Counter[str] = Counter()
    for instance, site in sites_for(setting, n_or_more(90)):
        result = solved(instance, setting, site)
        by_tier = tuple(replace(p, tier=0) for p in site.partitions)
        without = {
            "limits": replace(site, limits=()),
            "order": replace(site, order="arrival"),
            "tiers": replace(site, partitions=by_tier),
            "preemption": replace(site, preempt=None),
        }
        for rule, other in without.items():
            seen[rule] += other != site and result.runs != solved(instance, setting, other).runs
        rows = tuple(replace(r, after_ok=(), after_any=(), after_not_ok=()) for r in instance.jobs)
        alone = replace(instance, jobs=rows)
        seen["dependencies"] += rows != instance.jobs and result.runs != solved(alone, setting, site).runs
    rules = ["limits", "order", "dependencies", "tiers"] + (["preemption"] if can_preempt(setting) else [])
    assert min(seen[rule] for rule in rules) > 10
