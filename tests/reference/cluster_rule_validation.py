"""What the rules of a site ask of the runs of a cluster: dependencies, limits, and who may be preempted by whom.

Dependencies look at what became of jobs, and when. Runs tell most of it, the instance the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from reference.cluster_dependencies import named_by
from reference.cluster_instance import ClusterInstance, allowed_machines, united
from reference.cluster_site import Site
from reference.cluster_state import CANCELLED, COMPLETED, KILLED, NEVER, WAITING, RunRecord

Runs = Sequence[RunRecord]


@dataclass(frozen=True)
class Fate:
    """How a job has ended and when; it is "waiting" for ever if it has not. ``is_known_late``: the pass of that
    instant did not count it yet.
    """

    how: str
    time: float
    is_known_late: bool = False

    def is_before(self, start: float) -> bool:
        return self.time < start or (self.time == start and not self.is_known_late)


def fails_at_end(instance: ClusterInstance, run: RunRecord) -> bool:
    return any(
        f.start == run.end and any(m == f.machine for m, _ in run.allocation)
        for f in united(instance.failures)
    )


def rule_of_kill(instance: ClusterInstance, run: RunRecord, site: Site) -> str:
    """Failures come before the pass: who is killed by one cannot be preempted at that instant."""
    if site.preempt is None or fails_at_end(instance, run):
        return instance.killed
    return site.preempt


def is_preemption(instance: ClusterInstance, runs: Runs, run: RunRecord, site: Site) -> bool:
    """Whether somebody of a higher level starts where the run ends, and may use a machine of it."""
    own = site.class_of(instance.jobs[run.job])
    held = {m for m, _ in run.allocation}

    def preempts(other: RunRecord) -> bool:
        job = instance.jobs[other.job]
        return (
            other.start == run.end
            and site.class_of(job).level > own.level
            and not held.isdisjoint(allowed_machines(instance.machines, job))
        )

    return site.preempt is not None and own.preemptible and any(map(preempts, runs))


def broken_dependencies(instance: ClusterInstance, runs: Runs, site: Site) -> list[str]:
    """All that a job waits for has ended as the job needs it when it starts."""
    told = fates(instance, runs, site)
    found = []
    for r in runs:
        job = instance.jobs[r.job]
        wrong = {other for other in job.after_ok if told[other].how != COMPLETED}
        wrong |= {other for other in job.after_not_ok if told[other].how == COMPLETED}
        wrong |= {other for other in named_by(job) if not told[other].is_before(r.start)}
        found += [f"{r} does not wait for job {other}" for other in sorted(wrong)]
    return found


def broken_limits(instance: ClusterInstance, runs: Runs, site: Site) -> list[str]:
    """What runs grows at starts only, so these instants are enough."""
    found = []
    for limit in site.limits:
        for r in runs:
            whose = limit.whose(instance.jobs[r.job])
            beside = [instance.jobs[x.job] for x in runs if x.start <= r.start < x.end]
            taken = sum(limit.amount(job) for job in beside if limit.whose(job) == whose)
            if whose is not None and taken > limit.most:
                found.append(f"{taken} run at {r.start}, more than {limit} lets {whose}")
    return found


def forbidden_jobs(instance: ClusterInstance, runs: Runs, site: Site) -> list[str]:
    return [f"{r} runs though it never may" for r in runs if site.forbids(instance.jobs[r.job])]


def fates(instance: ClusterInstance, runs: Runs, site: Site) -> dict[int, Fate]:
    told: dict[int, Fate] = {}

    def tell(job: int) -> None:
        for other in named_by(instance.jobs[job]) - set(told):
            tell(other)
        told[job] = fate(instance, runs, site, job, told)

    for job in range(len(instance.jobs)):
        if job not in told:
            tell(job)
    return told


def fate(instance: ClusterInstance, runs: Runs, site: Site, job: int, told: dict[int, Fate]) -> Fate:
    """``told`` is that of all whom the job names. Who never arrives has ended before anything begins."""
    row = instance.jobs[job]
    cancelled = instance.cancellations.get(job, inf)
    if not site.lets_run(row, instance.machines):
        return Fate(NEVER, -inf)
    if cancelled <= row.release_time:
        return Fate(CANCELLED, -inf)
    last = max((r for r in runs if r.job == job), key=lambda r: r.attempt, default=None)
    if last is not None and last.outcome != KILLED:
        return Fate(last.outcome, last.end)
    if last is not None and rule_of_kill(instance, last, site) == "drop":
        return Fate(KILLED, last.end, is_known_late=not fails_at_end(instance, last))
    if last is None:
        broken = [told[j] for j in row.after_ok if told[j].how not in (COMPLETED, WAITING)]
        broken += [told[j] for j in row.after_not_ok if told[j].how == COMPLETED]
        first = min(broken, key=lambda f: (f.time, f.is_known_late), default=Fate(WAITING, inf))
        leaves = max(row.release_time, first.time)
        if leaves < cancelled:
            return Fate(NEVER, leaves, is_known_late=first.is_known_late and leaves == first.time)
    return Fate(CANCELLED, cancelled) if cancelled < inf else Fate(WAITING, inf)
