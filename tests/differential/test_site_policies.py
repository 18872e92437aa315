"""Under the rules of random sites the policies of the library decide as the references."""

import os
from random import Random

import pytest

from differential import cluster_library
from differential.cluster_cases import RULED_SETTINGS, SELECTING_SETTINGS, Setting, name_of, sites_for
from differential.test_cluster_policies import assert_equal_runs
from reference import cluster_simulation
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine
from reference.cluster_site import Limit, Site

#: A setting is tried on so many instances; the heavy check sets more.
N_INSTANCES = int(os.environ.get("SCHEDCORE_CLUSTER_INSTANCES", "24"))


@pytest.mark.parametrize("setting", RULED_SETTINGS, ids=name_of)
@pytest.mark.parametrize("max_jobs", [12, 30])
def test_all_rules_mixed(setting: Setting, max_jobs: int) -> None:
    policy, options = setting
    n_instances = N_INSTANCES if max_jobs == 12 else max(8, N_INSTANCES // 5)
    if setting in SELECTING_SETTINGS:  # there are many of them, and their references take longest
        n_instances = max(10 if max_jobs == 12 else 6, n_instances // 3)
    for seed, (instance, site) in enumerate(sites_for(setting, n_instances, max_jobs=max_jobs)):
        expected = cluster_simulation.run(instance, policy, site=site, infeasible="drop", **options)
        assert_equal_runs(cluster_library.run(instance, policy, site=site, **options), expected, seed)


def job(release: float, label: str, demand: int, length: float, user: str) -> ClusterJob:
    return ClusterJob(release, length, (demand,), length, constraint=label, user=user)


def a_and_b(free_of_a: int, free_of_b: int) -> tuple[ClusterMachine, ...]:
    return (
        ClusterMachine((free_of_a,), labels=frozenset("a")),
        ClusterMachine((free_of_b,), labels=frozenset("b")),
    )


@pytest.mark.parametrize("selection", ["ff", "bb", "bl", "sb"])
def test_who_was_kept_from_the_places_of_a_head_starts_once_a_limit_holds_the_head(selection: str) -> None:
    jobs = (
        job(0, "a", 3, 10, "v"),
        job(0, "b", 1, 50, "w"),
        job(1, "a", 5, 5, "ann"),  # the head, which is to start at 10
        job(1, "b", 1, 5, "cem"),
        job(1, "a", 1, 5, "ann"),  # starts beside the head, and uses up the limit of ann
        job(1, "a", 1, 20, "bob"),  # would meet it, until at 3 the job of cem is the head
        job(3, "b", 1, 5, "zed"),
    )
    instance, site = ClusterInstance(a_and_b(5, 1), jobs), Site(limits=[Limit("user=ann", "jobs", 1)])
    result = cluster_library.run(instance, "easy", site=site, selection=selection)
    assert {run.job: run.start for run in result.runs} == {0: 0, 1: 0, 2: 23, 3: 50, 4: 1, 5: 3, 6: 55}


def limits_that_run_out(seed: int) -> tuple[ClusterInstance, Site]:
    """A head that waits for a whole machine, jobs beside it that count in its limit, and instants without an end."""
    draw = Random(seed)
    jobs = [job(0, "a", draw.choice([1, 2]), draw.choice([10, 15, 30]), "v"), job(0, "b", 2, 40, "v")]
    jobs.append(job(1, "a", 4, draw.choice([4, 8]), draw.choice("uuv")))
    for now in [draw.choice([1, 1, 1, 2]) for _ in range(7)] + [3, 4, 5]:
        length = draw.choice([3, 6, 12, 24])
        jobs.append(job(now, draw.choice("aaab"), draw.choice([1, 1, 2]), length, draw.choice("uuvw")))
    jobs.sort(key=lambda each: each.release_time)
    limit = Limit("user=u", draw.choice(["jobs", "jobs", "tasks", 0]), draw.choice([1, 1, 4]))
    return ClusterInstance(a_and_b(4, 2), tuple(jobs)), Site(limits=[limit])


@pytest.mark.parametrize("setting", RULED_SETTINGS, ids=name_of)
def test_limits_that_run_out_while_nobody_ends(setting: Setting) -> None:
    policy, options = setting
    for seed in range(N_INSTANCES):
        instance, site = limits_that_run_out(seed)
        expected = cluster_simulation.run(instance, policy, site=site, infeasible="drop", **options)
        assert_equal_runs(cluster_library.run(instance, policy, site=site, **options), expected, seed)
