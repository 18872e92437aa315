"""The policies of the library on clusters decide as the references: runs, outcomes, shadows, reservations, batches."""

import os

import pytest

from differential import cluster_library
from differential.cluster_cases import (
    ALL_SETTINGS,
    Setting,
    instances_for,
    name_of,
)
from reference import cluster_simulation
from reference.cluster_simulation import ClusterRun

#: A setting is tried on so many instances; the heavy check sets more.
N_INSTANCES = int(os.environ.get("SCHEDCORE_CLUSTER_INSTANCES", "16"))


@pytest.mark.parametrize("setting", ALL_SETTINGS, ids=name_of)
@pytest.mark.parametrize("max_jobs", [11, 30])
def test_everything_mixed(setting: Setting, max_jobs: int) -> None:
    policy, options = setting
    n_instances = N_INSTANCES if max_jobs == 11 else max(6, N_INSTANCES // 5)
    for seed, instance in enumerate(instances_for(setting, n_instances, max_jobs=max_jobs)):
        expected = cluster_simulation.run(instance, policy, infeasible="drop", **options)
        assert_equal_runs(cluster_library.run(instance, policy, **options), expected, seed)


@pytest.mark.parametrize("setting", ALL_SETTINGS, ids=name_of)
@pytest.mark.parametrize("max_jobs", [11, 40])
def test_labels_and_weights_alone(setting: Setting, max_jobs: int) -> None:
    # These need no policy for clusters: the policies for single tasks are told where jobs may run.
    policy, options = setting
    n_instances = N_INSTANCES if max_jobs == 11 else max(6, N_INSTANCES // 5)
    only = {"tasks": False, "outages": False, "incidents": False}
    for seed, instance in enumerate(instances_for(setting, n_instances, max_jobs=max_jobs, **only)):
        expected = cluster_simulation.run(instance, policy, infeasible="drop", **options)
        assert_equal_runs(cluster_library.run(instance, policy, **options), expected, seed)


def assert_equal_runs(result: ClusterRun, expected: ClusterRun, seed: int) -> None:
    assert result.outcome == expected.outcome, seed
    assert result.runs == expected.runs, seed
    assert result.shadow == expected.shadow, seed
    assert result.reservations == expected.reservations, seed
    assert batches(result) == batches(expected), seed


def batches(run: ClusterRun) -> list[tuple[int, float, int, list[int]]]:
    return [(each.k, each.gamma, each.n_candidates, each.chosen) for each in run.iterations]
