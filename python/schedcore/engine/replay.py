"""A simulation told to an embedded scheduler, event by event, as a caller would: what is to start the same jobs."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from math import inf

import numpy as np

from schedcore.model import Incidents, Instance, Outages, Result

from .decision import Decision
from .online import OnlineScheduler

__all__ = ["Between", "Start", "known_in_advance", "replayed_starts", "reports_of", "simulated_starts"]

#: What is reported, and of which job or machine.
Report = tuple[str, int]
#: A job, when it starts, and on which machines with how many tasks.
Start = tuple[int, float, tuple[tuple[int, int], ...]]
#: Called with a scheduler and the instant of the next event; returns the one that goes on, and what it has decided.
Between = Callable[[OnlineScheduler, float], tuple[OnlineScheduler, list[Decision]]]


def known_in_advance(policy: str, instance: Instance, result: Result) -> dict[str, float]:
    """Return what a simulation reads from all jobs, and the origin that it has by default, as options when embedded."""
    if policy == "ca_pq":
        return {"last_release_time": float(instance.release_time.max(initial=0))}
    if policy != "mris":
        return {}
    lengths = instance.processing_time
    if result.outcome is not None:
        lengths = lengths[result.outcome != "never"]
    return {"gamma0": float(lengths.min()) if lengths.size else 1.0, "origin": 0.0}


def simulated_starts(result: Result) -> list[Start]:
    """Return all starts of a simulation, by job."""
    runs = result.runs
    if runs is not None:
        rows = zip(runs.job.tolist(), runs.start_time.tolist(), strict=True)
        return sorted((job, start, tuple(runs.allocation.of(i))) for i, (job, start) in enumerate(rows))
    schedule = result.schedule
    rows = zip(schedule.start_time.tolist(), schedule.machine.tolist(), strict=True)
    return [(job, start, ((machine, 1),)) for job, (start, machine) in enumerate(rows) if start == start]


def reports_of(instance: Instance, incidents: Incidents, result: Result) -> dict[float, list[Report]]:
    """Return what a caller reports, by instant, of what is not known at the beginning."""
    found: dict[float, list[Report]] = defaultdict(list)
    outcome = result.outcome
    releases = instance.release_time.tolist()
    for job, release in enumerate(releases):
        is_never = outcome is not None and outcome[job] == "never"
        if not is_never and incidents.cancellations.get(job, inf) > release:
            found[release].append(("submit", job))
    for job, end in _completions(instance, result):
        found[end].append(("complete", job))
    for job, time in incidents.cancellations.items():
        if outcome is not None and outcome[job] == "cancelled" and time > releases[job]:
            found[time].append(("cancel", job))
    for machine, start, end in rows_of(incidents.failures):
        found[start].append(("fail_machines", machine))
        if end < inf:
            found[end].append(("repair_machines", machine))
    return found


def _completions(instance: Instance, result: Result) -> list[tuple[int, float]]:
    runs = result.runs
    if runs is None:
        return list(enumerate((result.schedule.start_time + instance.processing_time).tolist()))
    ended = runs.outcome == "completed"
    return list(zip(runs.job[ended].tolist(), runs.end_time[ended].tolist(), strict=True))


def rows_of(outages: Outages | None) -> list[tuple[int, float, float]]:
    """Return machines, starts and ends, united."""
    if outages is None:
        return []
    united = outages.united()
    columns = (united.machine, united.start_time, united.end_time)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def replayed_starts(
    scheduler: OnlineScheduler,
    instance: Instance,
    reports: Mapping[float, list[Report]],
    between: Between | None = None,
) -> list[Start]:
    """Return all that a scheduler starts, by job. It hears of things as they happen, and is woken as it wishes.

    `between` is called before every event.
    """
    left = {now: list(listed) for now, listed in reports.items()}
    starts: list[Start] = []
    for machine, start, end in rows_of(instance.outages):
        scheduler.announce_outage(machine, start, end, 0.0)
    wakeup = inf

    def note(decision: Decision) -> None:
        placed = decision.starts
        for each in placed:
            places = [(each.machine, 1)] if placed.allocation is None else placed.allocation.of(each.id)
            starts.append((each.id, each.start_time, tuple(places)))

    while (now := min(wakeup, min(left, default=inf))) < inf:
        if between is not None:
            scheduler, decisions = between(scheduler, now)
            for decision in decisions:
                note(decision)
        for what, number in left.pop(now, []):
            if what == "submit":
                scheduler.submit(instance.jobs[np.array([number])], now, ids=[number])
            else:
                getattr(scheduler, what)([number], now)
        decision = scheduler.advance(now)
        note(decision)
        wakeup = decision.next_wakeup
    return sorted(starts)
