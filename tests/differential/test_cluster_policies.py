"""The policies of the library on clusters decide as the references, in every run, outcome, shadow and reservation."""

import os
from typing import Any

import pytest

from differential import cluster_library
from differential.cluster_cases import GANG_SETTINGS, KNOBBED_SETTINGS, Setting, name_of
from reference import cluster_simulation
from reference.cluster_random import random_cluster

#: A setting is tried on so many instances; the heavy check sets more.
N_INSTANCES = int(os.environ.get("SCHEDCORE_CLUSTER_INSTANCES", "150"))


SETTINGS = GANG_SETTINGS + KNOBBED_SETTINGS


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
@pytest.mark.parametrize("max_jobs", [11, 30])
def test_everything_mixed(setting: Setting, max_jobs: int) -> None:
    policy, options = setting
    for seed in range(N_INSTANCES if max_jobs == 11 else N_INSTANCES // 5):
        instance = random_cluster(seed, max_jobs=max_jobs)
        expected = cluster_simulation.run(instance, policy, infeasible="drop", **options)
        assert_equal_runs(cluster_library.run(instance, policy, **options), expected, seed)


def assert_equal_runs(result: Any, expected: Any, seed: int) -> None:
    assert result.outcome == expected.outcome, seed
    assert result.runs == expected.runs, seed
    assert result.shadow == expected.shadow, seed
    assert result.reservations == expected.reservations, seed
