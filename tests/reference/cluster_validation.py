"""What makes the runs of a cluster feasible, checked run by run and instant by instant.

Each function is one sentence of the specification and returns what breaks it, in words.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import floor

from reference.cluster_instance import ClusterInstance, allowed_machines, united
from reference.cluster_rule_validation import (
    broken_dependencies,
    broken_limits,
    fails_at_end,
    fates,
    forbidden_jobs,
    is_preemption,
    rule_of_kill,
)
from reference.cluster_site import NO_RULES, Site
from reference.cluster_state import CANCELLED, COMPLETED, KILLED, NEVER, WAITING, RunRecord

Runs = Sequence[RunRecord]


def violations(instance: ClusterInstance, runs: Runs, site: Site = NO_RULES) -> list[str]:
    """All that is wrong; empty if the runs are feasible."""
    instance = replace(instance, jobs=tuple(site.seen(row) for row in instance.jobs))
    checks: list[Callable[[ClusterInstance, Runs], list[str]]] = [
        starts_after_release,
        allocations,
        capacities,
        exclusive_machines,
        usable_machines,
        cancellations,
    ]
    checks_with_rules: list[Callable[[ClusterInstance, Runs, Site], list[str]]] = [
        one_run_at_a_time,
        lengths_and_ends,
        broken_dependencies,
        broken_limits,
        forbidden_jobs,
    ]
    found = [finding for check in checks for finding in check(instance, runs)]
    return found + [finding for check in checks_with_rules for finding in check(instance, runs, site)]


def starts_after_release(instance: ClusterInstance, runs: Runs) -> list[str]:
    return [f"{r} starts early" for r in runs if r.start < instance.jobs[r.job].release_time]


def allocations(instance: ClusterInstance, runs: Runs) -> list[str]:
    """All tasks, on machines of the job, at most ``spread`` on each."""
    found = []
    for r in runs:
        job = instance.jobs[r.job]
        machines = [m for m, _ in r.allocation]
        tasks = [x for _, x in r.allocation]
        if sum(tasks) != job.n_tasks or min(tasks, default=1) < 1:
            found.append(f"{r} has not {job.n_tasks} tasks")
        if len(set(machines)) < len(machines):
            found.append(f"{r} names a machine twice")
        if not set(machines) <= set(allowed_machines(instance.machines, job)):
            found.append(f"{r} uses a machine that its constraint excludes")
        if job.spread > 0 and max(tasks, default=0) > job.spread:
            found.append(f"{r} has too many tasks on one machine")
    return found


def capacities(instance: ClusterInstance, runs: Runs) -> list[str]:
    """Usage grows at starts only, so these instants are enough. Tasks count, not all of an exclusive machine."""
    found = []
    for instant in sorted({r.start for r in runs}):
        here = [r for r in runs if r.start <= instant < r.end]
        for m, machine in enumerate(instance.machines):
            for k, capacity in enumerate(machine.capacity):
                used = sum(
                    x * instance.jobs[r.job].demand[k] for r in here for i, x in r.allocation if i == m
                )
                if used > capacity:
                    found.append(f"machine {m} holds {used} of {capacity} of resource {k} at {instant}")
    return found


def exclusive_machines(instance: ClusterInstance, runs: Runs) -> list[str]:
    """No other run meets an exclusive one on a machine."""
    return [
        f"{a} shares a machine with {b}"
        for a in runs
        if instance.jobs[a.job].exclusive
        for b in runs
        if a is not b and a.start < b.end and b.start < a.end and _machines(a) & _machines(b)
    ]


def usable_machines(instance: ClusterInstance, runs: Runs) -> list[str]:
    """No run overlaps an outage or a failure of a machine it holds; one that a failure ends does not overlap it."""
    downs = [*united(instance.outages), *united(instance.failures)]
    return [
        f"{r} meets {down}"
        for r in runs
        for down in downs
        if down.machine in _machines(r) and down.start < r.end and r.start < down.end
    ]


def one_run_at_a_time(instance: ClusterInstance, runs: Runs, site: Site = NO_RULES) -> list[str]:
    """Attempts count from 0, each begins when the one before has ended, and only killed jobs run again."""
    found = []
    for job in range(len(instance.jobs)):
        own = sorted((r for r in runs if r.job == job), key=lambda r: r.attempt)
        if [r.attempt for r in own] != list(range(len(own))):
            found.append(f"job {job} has other attempts than 0, 1, ..")
        for before, after in pairwise(own):
            if after.start < before.end:
                found.append(f"{after} begins before {before} has ended")
            if before.outcome != KILLED or rule_of_kill(instance, before, site) == "drop":
                found.append(f"{after} comes after the end of its job")
    return found


def cancellations(instance: ClusterInstance, runs: Runs) -> list[str]:
    """A cancelled job neither runs on nor starts."""
    return [
        f"{r} ends after the job is cancelled"
        for r in runs
        if r.job in instance.cancellations and r.end > instance.cancellations[r.job]
    ]


def lengths_and_ends(instance: ClusterInstance, runs: Runs, site: Site = NO_RULES) -> list[str]:
    """Completed runs are as long as the work that was left; others are shorter and have a reason to end."""
    found = []
    for r in runs:
        length = length_of_run(instance, runs, r, site)
        if r.outcome == COMPLETED:
            if r.end != r.start + length:
                found.append(f"{r} does not take {length}")
            continue
        if not r.start < r.end < r.start + length:
            found.append(f"{r} is not cut short of {length}")
        if (
            r.outcome == KILLED
            and not fails_at_end(instance, r)
            and not is_preemption(instance, runs, r, site)
        ):
            found.append(f"{r} is killed by nothing")
        if r.outcome == CANCELLED and instance.cancellations.get(r.job) != r.end:
            found.append(f"{r} is cancelled by nobody")
        if r.outcome not in (KILLED, CANCELLED):
            found.append(f"{r} has an unknown outcome")
    return found


def outcomes(
    instance: ClusterInstance, runs: Runs, outcome: Sequence[str], site: Site = NO_RULES
) -> list[str]:
    """What became of the jobs is what runs, cancellations and dependencies say; of feasible runs.

    Whether a job could ever run is not asked.
    """
    instance = replace(instance, jobs=tuple(site.seen(row) for row in instance.jobs))
    told = fates(instance, runs, site)
    found = []
    for job, given in enumerate(outcome):
        cancelled = {CANCELLED} if job in instance.cancellations else set()
        possible = {told[job].how}
        if told[job].how == NEVER and site.lets_run(instance.jobs[job], instance.machines):
            # it leaves at the next event, and a cancellation may be that
            possible |= cancelled if told[job].is_known_late else set()
        elif all(r.job != job for r in runs):
            possible = {NEVER} | (cancelled or {WAITING})
        if given not in possible:
            found.append(f"job {job} is {given}, not {sorted(possible)}")
    return found


def length_of_run(instance: ClusterInstance, runs: Runs, run: RunRecord, site: Site) -> float:
    """The work that earlier runs have not saved, and the restart cost if they have saved any."""
    job = instance.jobs[run.job]
    saved: float = 0
    for before in sorted((r for r in runs if r.job == run.job), key=lambda r: r.attempt):
        if before.attempt >= run.attempt:
            break
        if rule_of_kill(instance, before, site) == "checkpoint" and job.checkpoint_interval > 0:
            length = before.end - before.start
            done = max(0, length - job.restart_cost) if saved > 0 else length
            saved += floor(done / job.checkpoint_interval) * job.checkpoint_interval
    return job.processing_time - saved + (job.restart_cost if saved > 0 else 0)


def _machines(run: RunRecord) -> set[int]:
    return {m for m, _ in run.allocation}
