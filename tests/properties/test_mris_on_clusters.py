"""MRIS goes on where it was when the first failure, outage or cancellation is reported to an embedded scheduler."""

from math import inf
from random import Random
from typing import Any

import pytest

import schedcore
from differential.cluster_cases import MRIS_SETTINGS, Setting, instances_for, name_of
from differential.cluster_model import model_instance
from example_shares import n_cases
from schedcore import Instance, OnlineScheduler

Start = tuple[int, float, int]


def starts_of(
    scheduler: OnlineScheduler, model: Instance, duration: dict[int, float], first_report: float
) -> list[Start]:
    """All starts in order of jobs, where the scheduler hears at one instant that a machine is up, as it always was."""
    arrivals = {job: float(release) for job, release in enumerate(model.release_time)}
    running: dict[int, float] = {}
    starts: list[Start] = []
    wakeup, has_reported = inf, False
    while True:
        report = inf if has_reported else first_report
        now = min([wakeup, report, *arrivals.values(), *running.values()])
        if now == inf:
            return sorted(starts)
        if now == report:
            scheduler.repair_machines([0], now)
            has_reported = True
        ended = [job for job, end in running.items() if end == now]
        scheduler.complete(ended, now)
        for job in ended:
            del running[job]
        for job in [job for job, release in arrivals.items() if release == now]:
            scheduler.submit(model.jobs[[job]], now, ids=[job])
            del arrivals[job]
        decision = scheduler.advance(now)
        for start in decision.starts:
            starts.append((start.id, start.start_time, start.machine))
            running[start.id] = start.start_time + duration[start.id]
        wakeup = decision.next_wakeup


@pytest.mark.parametrize("setting", MRIS_SETTINGS, ids=name_of)
@pytest.mark.parametrize("ends_early", [False, True])
def test_what_was_decided_before_the_first_report_goes_on(setting: Setting, ends_early: bool) -> None:
    policy, options = setting
    if ends_early and options.get("placement") == "nobackfill":
        pytest.skip("behind everything committed: on clusters that ends when the runs do")
    only = {"outages": False, "incidents": False}
    for seed, instance in enumerate(instances_for(setting, n_cases(36), first=21000, max_jobs=20, **only)):
        model = model_instance(instance)
        schedule = schedcore.solve(policy, model, infeasible="drop", **options).schedule
        model = model.take_jobs(schedule.machine >= 0)
        random = Random(seed)
        duration = {
            job: float(max(1, length - (random.choice([0, 0, 1, 3]) if ends_early else 0)))
            for job, length in enumerate(model.processing_time.tolist())
        }
        known: dict[str, Any] = {"gamma0": model.processing_time.min(initial=inf), "origin": 0.0, **options}
        from_now_on, late = (
            starts_of(OnlineScheduler(policy, model.machines, **known), model, duration, first_report)
            for first_report in (0.0, float(random.randint(1, 20)))
        )
        assert late == from_now_on, seed
