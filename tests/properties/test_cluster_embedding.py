"""Told what happened in a simulation, an embedded scheduler on a cluster starts the same jobs at the same places."""

import pytest

import schedcore
from differential.cluster_cases import ALL_SETTINGS, Setting, instances_for, name_of
from differential.cluster_model import model_incidents, model_instance
from example_shares import n_or_more
from schedcore import OnlineScheduler
from schedcore.engine.replay import known_in_advance, replayed_starts, reports_of, simulated_starts

SETTINGS = [(policy, options) for policy, options in ALL_SETTINGS if not any(map(callable, options.values()))]


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_embedded_as_simulated(setting: Setting) -> None:
    policy, options = setting
    n_started = 0
    for instance in instances_for(setting, n_or_more(18), first=7000):
        model, incidents = model_instance(instance), model_incidents(instance)
        result = schedcore.solve(policy, model, incidents=incidents, infeasible="drop", **options)
        known = known_in_advance(policy, model, result)
        scheduler = OnlineScheduler(policy, model.machines, killed=incidents.killed, **{**known, **options})
        expected = simulated_starts(result)
        assert replayed_starts(scheduler, model, reports_of(model, incidents, result)) == expected
        n_started += len(expected)
    assert n_started > 60
