"""Under the rules of random sites the policies of the library decide as the references."""

import os

import pytest

from differential import cluster_library
from differential.cluster_cases import RULED_SETTINGS, SELECTING_SETTINGS, Setting, name_of, sites_for
from differential.test_cluster_policies import assert_equal_runs
from reference import cluster_simulation

#: A setting is tried on so many instances; the heavy check sets more.
N_INSTANCES = int(os.environ.get("SCHEDCORE_CLUSTER_INSTANCES", "150"))


@pytest.mark.parametrize("setting", RULED_SETTINGS, ids=name_of)
@pytest.mark.parametrize("max_jobs", [12, 30])
def test_all_rules_mixed(setting: Setting, max_jobs: int) -> None:
    policy, options = setting
    n_instances = N_INSTANCES if max_jobs == 12 else N_INSTANCES // 5
    if setting in SELECTING_SETTINGS:  # there are many of them, and their references take longest
        n_instances //= 3
    for seed, (instance, site) in enumerate(sites_for(setting, n_instances, max_jobs=max_jobs)):
        expected = cluster_simulation.run(instance, policy, site=site, infeasible="drop", **options)
        assert_equal_runs(cluster_library.run(instance, policy, site=site, **options), expected, seed)
