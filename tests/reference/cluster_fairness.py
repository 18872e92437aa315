"""Who got what of a cluster, by the definitions: use, what accounts had used at an instant, lost work, holds of limits.

Nothing here is fast. Runs are those of a simulation; whoever asks passes whole times, and all answers are exact but for
powers of two with other exponents.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import exp2, floor, inf, log

from reference.cluster_dependencies import named_by
from reference.cluster_instance import ClusterInstance, ClusterJob
from reference.cluster_order import size_of
from reference.cluster_rule_validation import fails_at_end, fates, rule_of_kill
from reference.cluster_site import Site
from reference.cluster_state import CANCELLED, COMPLETED, NEVER, RunRecord

Runs = Sequence[RunRecord]


def use_of(instance: ClusterInstance, runs: Runs, job: int) -> float:
    """Size times length of all runs of a job."""
    size = size_of(instance.jobs[job], instance.machines)
    return sum(size * (run.end - run.start) for run in runs if run.job == job)


def decayed_use_of(
    instance: ClusterInstance, runs: Runs, job: int, instant: float, half_life: float
) -> float:
    """Size times the integral over its runs, up to the instant, of 2^(-(T - x) / half_life) dx."""
    total = 0.0
    for run in runs:
        if run.job != job or run.start >= instant:
            continue
        until = min(run.end, instant)
        if half_life == inf:
            total += until - run.start
        else:
            ages = (instant - until, instant - run.start)
            total += half_life / log(2) * (exp2(-ages[0] / half_life) - exp2(-ages[1] / half_life))
    return size_of(instance.jobs[job], instance.machines) * total


def lost_time_of(instance: ClusterInstance, runs: Runs, job: int, site: Site) -> dict[str, float]:
    """How much time of a job was lost to what: its runs one after the other, with what is saved at each moment."""
    row = instance.jobs[job]
    lost = {"preemption": 0.0, "failure": 0.0, "cancellation": 0.0}
    saved, cause = 0.0, ""
    own = sorted((run for run in runs if run.job == job), key=lambda run: run.attempt)
    for run in own:
        length, overhead = run.end - run.start, row.restart_cost if saved > 0 else 0
        if run.outcome == COMPLETED:
            assert length == row.processing_time - saved + overhead
            if overhead:
                lost[cause] += overhead
            return lost
        if run.outcome == CANCELLED:
            cause = "cancellation"
        else:
            by_failure = site.preempt is None or fails_at_end(instance, run)
            cause = "failure" if by_failure else "preemption"
        more = 0.0
        if cause != "cancellation" and rule_of_kill(instance, run, site) == "checkpoint":
            interval = row.checkpoint_interval
            more = floor(max(0, length - overhead) / interval) * interval if interval > 0 else 0
        saved += more
        lost[cause] += length - more
    if own:
        lost[cause] += saved
    return lost


def hold_times_of(instance: ClusterInstance, runs: Runs, job: int, site: Site) -> list[float]:
    """How long each limit was the first that held the job, from instant to instant at which something changes."""
    row = instance.jobs[job]
    told = fates(instance, runs, site)
    held = [0.0] * len(site.limits)
    if told[job].how == NEVER:
        return held
    since = max([row.release_time, *(told[other].time for other in named_by(row))])
    starts = [run.start for run in runs if run.job == job]
    until = min(starts, default=instance.cancellations.get(job, inf))
    until = min(until, max((run.end for run in runs), default=-inf))  # nobody runs, nobody is held
    changes = sorted({since, until} | {x for run in runs for x in (run.start, run.end) if since < x < until})
    for begin, end in pairwise(changes):
        if begin < since or end > until:
            continue
        holder = site.limit_that_holds(row, running_at(instance, runs, begin))
        if holder is not None:
            held[holder] += end - begin
    return held


def running_at(instance: ClusterInstance, runs: Runs, instant: float) -> list[ClusterJob]:
    return [instance.jobs[run.job] for run in runs if run.start <= instant < run.end]
