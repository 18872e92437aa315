"""Told what happened in a simulation, an embedded scheduler on a cluster starts the same jobs at the same places."""

from collections import defaultdict
from math import inf

import numpy as np
import pytest

import schedcore
from differential.cluster_cases import ALL_SETTINGS, Setting, instances_for, name_of
from differential.cluster_model import model_incidents, model_instance
from schedcore import Incidents, Instance, OnlineScheduler, Outages

SETTINGS = [(policy, options) for policy, options in ALL_SETTINGS if not any(map(callable, options.values()))]
Report = tuple[str, int]
Start = tuple[int, float, tuple[tuple[int, int], ...]]


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_embedded_as_simulated(setting: Setting) -> None:
    policy, options = setting
    for instance in instances_for(setting, 60, first=7000):
        model, incidents = model_instance(instance), model_incidents(instance)
        result = schedcore.solve(policy, model, incidents=incidents, infeasible="drop", **options)
        known = known_in_advance(policy, model, result)
        scheduler = OnlineScheduler(policy, model.machines, killed=incidents.killed, **{**known, **options})
        assert starts_of(scheduler, model, reports(model, incidents, result)) == simulated_starts(result)


def known_in_advance(policy: str, model: Instance, result: schedcore.Result) -> dict[str, float]:
    """What a simulation reads from the jobs, and the origin that it has by default."""
    if policy == "ca_pq":
        return {"last_release_time": model.release_time.max(initial=0)}
    if policy != "mris":
        return {}
    assert result.outcome is not None
    lengths = model.processing_time[result.outcome != "never"]
    return {"gamma0": lengths.min(initial=inf) if lengths.size else 1.0, "origin": 0.0}


def simulated_starts(result: schedcore.Result) -> list[Start]:
    runs = result.runs
    assert runs is not None
    rows = zip(runs.job.tolist(), runs.start_time.tolist(), strict=True)
    return sorted((job, start, tuple(runs.allocation.of(i))) for i, (job, start) in enumerate(rows))


def reports(model: Instance, incidents: Incidents, result: schedcore.Result) -> dict[float, list[Report]]:
    """What a caller reports, by instant, of what is not known at the beginning."""
    runs, outcome = result.runs, result.outcome
    assert runs is not None
    assert outcome is not None
    found: dict[float, list[Report]] = defaultdict(list)
    releases = model.jobs.release_time.tolist()
    for job, release in enumerate(releases):
        if outcome[job] != "never" and incidents.cancellations.get(job, inf) > release:
            found[release].append(("submit", job))
    for job, end, ended in zip(runs.job.tolist(), runs.end_time.tolist(), runs.outcome, strict=True):
        if ended == "completed":
            found[end].append(("complete", job))
    for job, time in incidents.cancellations.items():
        if outcome[job] == "cancelled" and time > releases[job]:
            found[time].append(("cancel", job))
    for machine, start, end in rows_of(incidents.failures):
        found[start].append(("fail_machines", machine))
        if end < inf:
            found[end].append(("repair_machines", machine))
    return found


def rows_of(outages: Outages | None) -> list[tuple[int, float, float]]:
    if outages is None:
        return []
    united = outages.united()
    columns = (united.machine, united.start_time, united.end_time)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def starts_of(
    scheduler: OnlineScheduler, model: Instance, reported: dict[float, list[Report]]
) -> list[Start]:
    """All that it starts; it hears of things as they happen, and is woken as it wishes."""
    for machine, start, end in rows_of(model.outages):
        scheduler.announce_outage(machine, start, end, 0.0)
    starts: list[Start] = []
    wakeup = inf
    while (now := min(wakeup, min(reported, default=inf))) < inf:
        for what, number in reported.pop(now, []):
            if what == "submit":
                scheduler.submit(model.jobs[np.array([number])], now, ids=[number])
            else:
                getattr(scheduler, what)([number], now)
        decision = scheduler.advance(now)
        starts += [(p.id, p.start_time, tuple(decision.starts.allocation.of(p.id))) for p in decision.starts]
        wakeup = decision.next_wakeup
    return sorted(starts)
